import type { history as English } from '../en/history.ts';
import type { Translation } from '../translation.ts';

export const history: Translation<typeof English> = {};

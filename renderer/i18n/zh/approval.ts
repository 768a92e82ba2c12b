import type { approval as English } from '../en/approval.ts';
import type { Translation } from '../translation.ts';

export const approval: Translation<typeof English> = {};

import type { chat as English } from '../en/chat.ts';
import type { Translation } from '../translation.ts';

export const chat: Translation<typeof English> = {};

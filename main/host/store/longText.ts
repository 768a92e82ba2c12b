import type { LongText } from '../../../preload/contract/content.ts';
import type { ConversationId } from '../../../preload/contract/ids.ts';
import type { Blobs } from './blobs.ts';

/** The longest text that stands in a row or a message as a whole, in UTF-16 code units. */
export const headLength = 65_536;

/** The text as rows and messages hold it: whole when short, else its head and a blob that `conversationId` owns. */
export function storeText(blobs: Pick<Blobs, 'put'>, text: string, conversationId: ConversationId | undefined): LongText {
  // Lone surrogates cannot be written as UTF-8; replaced here, head and blob agree.
  const whole = text.toWellFormed();
  if (whole.length <= headLength) return { text: whole, length: whole.length };
  return { text: headOf(whole), length: whole.length, blobId: blobs.put(whole, 'text/plain; charset=utf-8', conversationId) };
}

/** The whole of a stored text. Throws `notFound` when its blob is gone. */
export function wholeText(blobs: Pick<Blobs, 'read'>, stored: LongText): string {
  return stored.blobId === undefined ? stored.text : blobs.read(stored.blobId).bytes.toString('utf8');
}

function headOf(text: string): string {
  const last = text.charCodeAt(headLength - 1);
  const splitsPair = last >= 0xd800 && last <= 0xdbff;
  return text.slice(0, splitsPair ? headLength - 1 : headLength);
}

import type { LongText } from '../../preload/contract/content.ts';
import { ok, type Result } from '../../preload/contract/result.ts';
import type { Bridge } from '../../preload/contract/bridge.ts';

/** Bytes that one `blob.read` may return. */
const pageBytes = 262_144;

/** A text that is known up to `nextOffset`, a byte of its blob; absent when the whole is known. */
export interface ReadText {
  text: string;
  nextOffset?: number | undefined;
}

export const headOf = (long: LongText): ReadText =>
  long.blobId === undefined || long.text.length >= long.length
    ? { text: long.text }
    : { text: long.text, nextOffset: new TextEncoder().encode(long.text).length };

/** The text with its next page. */
export async function readPage(bridge: Bridge, long: LongText, known: ReadText): Promise<Result<ReadText>> {
  if (long.blobId === undefined || known.nextOffset === undefined) return ok(known);
  const page = await bridge.invoke('blob.read', { blobId: long.blobId, offset: known.nextOffset, length: pageBytes, as: 'text' });
  return page.ok ? ok({ text: known.text + page.value.data, nextOffset: page.value.nextOffset }) : page;
}

/** The whole text, page by page. */
export async function readAll(bridge: Bridge, long: LongText): Promise<Result<string>> {
  let known = headOf(long);
  while (known.nextOffset !== undefined) {
    const next = await readPage(bridge, long, known);
    if (!next.ok) return next;
    known = next.value;
  }
  return ok(known.text);
}

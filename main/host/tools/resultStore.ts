import type { ConversationId } from '../../../preload/contract/ids.ts';
import type { Blobs } from '../store/blobs.ts';
import { storeText } from '../store/longText.ts';
import type { ResultStore } from './result.ts';

/** Characters of heads that one result may hold, so that it fits a message of the bridge with all its blocks. */
const headBudget = 262_144;
/** Heads once the budget is spent. */
const shortHead = 256;

/** Where one result's texts and bytes go: rows hold heads, the conversation's blobs the rest, or, without a conversation, blobs that nobody keeps. */
export function createResultStore(blobs: Pick<Blobs, 'put'>, conversationId: ConversationId | undefined): ResultStore {
  let left = headBudget;
  return {
    text(text) {
      if (text.length <= shortHead || text.length <= left) {
        const stored = storeText(blobs, text, conversationId);
        left -= stored.text.length;
        return stored;
      }
      const whole = text.toWellFormed();
      const blobId = blobs.put(whole, 'text/plain; charset=utf-8', conversationId);
      return { text: whole.slice(0, shortHead).toWellFormed(), length: whole.length, blobId };
    },
    bytes(base64, mimeType) {
      const bytes = Buffer.from(base64, 'base64');
      return { blobId: blobs.put(bytes, mimeType, conversationId), bytes: bytes.byteLength };
    },
  };
}

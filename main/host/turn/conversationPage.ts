import type { ConversationId, MessageId } from '../../../preload/contract/ids.ts';
import type { LongText, ResultBlock } from '../../../preload/contract/content.ts';
import type { Message, Part } from '../../../preload/contract/conversations.ts';
import type { Blobs } from '../store/blobs.ts';
import type { Db } from '../store/database.ts';
import { updateCall } from '../store/calls.ts';
import { branchTo, setPartContent, updatePart } from '../store/messages.ts';
import { messageView } from './messageView.ts';

/** A page of messages stays below this, in bytes of JSON, so that it fits one message of the bridge. */
const pageSize = 700_000;
/** A single message above this has its long texts cut to heads. */
const messageSize = 400_000;
const shortHead = 2048;

const bytesOf = (message: Message): number => Buffer.byteLength(JSON.stringify(message));

/** The newest messages of the branch to `leafId` that fit, oldest first; `before` names the one to go on from, when there are more. */
export function conversationPage(
  db: Db,
  blobs: Pick<Blobs, 'put'>,
  leafId: MessageId | undefined,
  limit: number,
): { messages: Message[]; before?: MessageId } {
  if (leafId === undefined) return { messages: [] };
  const branch = branchTo(db, leafId, limit + 1);
  const messages: Message[] = [];
  let size = 0;
  for (const stored of branch.slice(-limit).reverse()) {
    const message = fitMessage(db, blobs, messageView(db, stored));
    size += bytesOf(message);
    if (messages.length > 0 && size > pageSize) break;
    messages.unshift(message);
  }
  const first = messages[0];
  return { messages, ...(first?.parentId === undefined ? {} : { before: first.parentId }) };
}

/** Cuts the long texts of a message that is too large for the bridge; whole they stay in blobs. */
export function fitMessage(db: Db, blobs: Pick<Blobs, 'put'>, message: Message): Message {
  if (bytesOf(message) <= messageSize) return message;
  return { ...message, parts: message.parts.map((part) => fitPart(db, blobs, message.conversationId, part)) };
}

function fitPart(db: Db, blobs: Pick<Blobs, 'put'>, conversationId: ConversationId, part: Part): Part {
  /** The text with a blob that holds it whole; made and remembered where there was none. */
  const kept = (text: LongText): LongText =>
    text.length <= shortHead || text.blobId !== undefined
      ? text
      : { ...text, blobId: blobs.put(text.text, 'text/plain; charset=utf-8', conversationId) };
  const head = (text: LongText): LongText =>
    text.length <= shortHead ? text : { ...text, text: text.text.slice(0, shortHead).toWellFormed() };

  const whole = (blocks: ResultBlock[]): ResultBlock[] => blocks.map((block) => withTexts(block, kept));
  if (part.kind === 'attachment') {
    const { serverId, serverName, uri, title } = part;
    const content = whole(part.content);
    setPartContent(db, part.id, JSON.stringify({ serverId, serverName, uri, title, content }));
    return { ...part, content: content.map((block) => withTexts(block, head)) };
  }
  if (part.kind === 'prompt') {
    const { serverId, serverName, name, title, values } = part;
    const messages = part.messages.map(({ role, content }) => ({ role, content: whole(content) }));
    setPartContent(db, part.id, JSON.stringify({ serverId, serverName, name, title, values, messages }));
    return {
      ...part,
      messages: messages.map(({ role, content }) => ({ role, content: content.map((block) => withTexts(block, head)) })),
    };
  }
  if (part.kind !== 'call') {
    if (part.open || part.text.length <= shortHead) return part;
    const text = kept(part.text);
    if (text.blobId !== part.text.blobId)
      updatePart(db, part.id, { text, open: false, durationMs: part.kind === 'reasoning' ? part.durationMs : undefined });
    return { ...part, text: head(text) };
  }
  const { call } = part;
  if (call.state !== 'succeeded' && call.state !== 'failed') return part;
  const content = whole(call.content);
  updateCall(db, { ...call, content });
  return { ...part, call: { ...call, content: content.map((block) => withTexts(block, head)) } };
}

function withTexts(block: ResultBlock, change: (text: LongText) => LongText): ResultBlock {
  if (block.type === 'text' || block.type === 'resourceText') return { ...block, text: change(block.text) };
  return block.type === 'structured' ? { ...block, json: change(block.json) } : block;
}

import { ContentBlockSchema } from '@modelcontextprotocol/core';
import type { BlobId } from '../../../preload/contract/ids.ts';
import type { LongText, ResultBlock } from '../../../preload/contract/content.ts';
import type { PromptPart } from '../model/model.ts';
import { isNestedTooDeep } from '../nesting.ts';
import { blockProblem } from './blockProblem.ts';

/** How results are kept: long texts and bytes go to blobs of the conversation. */
export interface ResultStore {
  text(text: string): LongText;
  bytes(base64: string, mimeType: string): { blobId: BlobId; bytes: number };
}

/** Most characters of one result that the model reads at once; the rest is read with `read_result`. */
const modelTextLimit = 40_000;
/** Blocks of one result that stand apart; the rest is kept as one JSON text. */
const maxBlocks = 500;
/** Characters that those blocks may take as JSON, so that the result fits a message of the bridge. */
const maxBlocksJson = 450_000;
/** Characters of an address; a longer one cannot be followed, and a part of it must not be. */
const maxUri = 8192;
/** Characters of a name or a kind, and of a description. */
const maxName = 500;
const maxDescription = 4000;
/** Largest image that is handed to a model, in bytes. */
const modelImageLimit = 5 * 1024 * 1024;
/** The kinds that every model which sees takes. Another one would have this and every later request of the chat refused. */
const modelImageTypes = new Set(['image/png', 'image/jpeg', 'image/gif', 'image/webp']);

/**
 * Turns a tool's raw result (MCP `CallToolResult`) into blocks for cards, history and model. A block that does not fit
 * the protocol becomes `unreadable` with its reason; the others are kept.
 */
export function shapeResult(
  raw: { content: unknown[]; structuredContent?: unknown; hasStructuredContent: boolean },
  store: ResultStore,
): ResultBlock[] {
  const blocks: ResultBlock[] = [];
  let json = 0;
  for (const block of raw.content) {
    if (blocks.length === maxBlocks || json > maxBlocksJson) break;
    const shaped = shapeBlock(block, store);
    json += JSON.stringify(shaped).length;
    blocks.push(shaped);
  }
  if (raw.content.length > blocks.length)
    blocks.push({ type: 'structured', json: store.text(JSON.stringify(raw.content.slice(blocks.length), null, 2)) });
  // Structured content repeats the text for servers that follow the advice to send both; alone, it is the result.
  const saysSomething = blocks.some((block) => block.type !== 'unreadable');
  if (raw.hasStructuredContent && !(saysSomething && repeatsText(raw.structuredContent, raw.content)))
    blocks.push({ type: 'structured', json: store.text(JSON.stringify(raw.structuredContent, null, 2)) });
  return blocks;
}

/**
 * Whether the text blocks say the same: the value as JSON, or, for servers that wrap plain text to have an object at all
 * (`{"content": "…"}`, `{"result": "…"}`), the only member's value.
 */
function repeatsText(structured: unknown, content: unknown[]): boolean {
  const texts = content.flatMap((block) => {
    const text = (block as { text?: unknown } | null)?.text;
    return typeof text === 'string' ? [text] : [];
  });
  const values = typeof structured === 'object' && structured !== null && !Array.isArray(structured) ? Object.values(structured) : [];
  const only = values.length === 1 ? values[0] : undefined;
  if (typeof only === 'string' && (texts.includes(only) || texts.join('\n') === only)) return true;
  const wanted = [structured, only].filter((value) => value !== undefined).map((value) => JSON.stringify(value));
  return texts.some((text) => text.length <= 2 * (wanted[0]?.length ?? 0) + 1000 && wanted.includes(canonicalText(text)));
}

/** A JSON text without its spaces; any other text as it is, which then equals no JSON. */
function canonicalText(text: string): string {
  try {
    const value: unknown = JSON.parse(text);
    return isNestedTooDeep(value) ? `too deep: ${text}` : JSON.stringify(value);
  } catch (error) {
    if (error instanceof SyntaxError) return `not JSON: ${text}`;
    throw error;
  }
}

/** What a read returned (MCP `ReadResourceResult`) as blocks of a result: pictures as pictures, everything else as embedded resources. */
export function blocksOfContents(contents: readonly unknown[]): unknown[] {
  return contents.map((content) => {
    const { mimeType, blob } = (content ?? {}) as { mimeType?: unknown; blob?: unknown };
    return typeof mimeType === 'string' && /^image\//i.test(mimeType) && typeof blob === 'string'
      ? { type: 'image', data: blob, mimeType }
      : { type: 'resource', resource: content };
  });
}

function shapeBlock(raw: unknown, store: ResultStore): ResultBlock {
  const parsed = ContentBlockSchema.safeParse(raw);
  if (!parsed.success) return { type: 'unreadable', reason: blockProblem(raw, parsed.error.issues) };
  const block = parsed.data;
  const uri = block.type === 'resource_link' ? block.uri : block.type === 'resource' ? block.resource.uri : '';
  if (uri.length > maxUri)
    return { type: 'unreadable', reason: `A block names an address of ${uri.length} characters, which is too long.` };
  switch (block.type) {
    case 'text':
      return { type: 'text', text: store.text(block.text) };
    case 'image':
    case 'audio': {
      const mimeType = cutText(block.mimeType, maxName);
      return { type: block.type, mimeType, ...store.bytes(block.data, mimeType) };
    }
    case 'resource_link':
      return {
        type: 'resourceLink',
        uri: uri.toWellFormed(),
        name: cutText(block.name, maxName),
        ...(block.title === undefined ? {} : { title: cutText(block.title, maxName) }),
        ...(block.description === undefined ? {} : { description: cutText(block.description, maxDescription) }),
        ...(block.mimeType === undefined ? {} : { mimeType: cutText(block.mimeType, maxName) }),
      };
    case 'resource': {
      const { resource } = block;
      const mimeType = resource.mimeType === undefined ? undefined : cutText(resource.mimeType, maxName);
      const common = { uri: uri.toWellFormed(), ...(mimeType === undefined ? {} : { mimeType }) };
      if ('text' in resource) return { type: 'resourceText', ...common, text: store.text(resource.text) };
      return { type: 'resourceBlob', ...common, ...store.bytes(resource.blob, mimeType ?? 'application/octet-stream') };
    }
  }
}

/** A server's word, at most so many characters of it, with no half of one: a model's API refuses those, and with them the whole chat. */
const cutText = (text: string, max: number): string =>
  text.length <= max ? text.toWellFormed() : `${text.slice(0, max - 1).toWellFormed()}…`;

/** Reads stored text and bytes back for the prompt. */
export interface ResultReader {
  text(text: LongText): string;
  base64(blobId: BlobId): string;
}

/** The whole text of a result, as `read_result` serves it by range. */
export function resultText(blocks: readonly ResultBlock[], read: Pick<ResultReader, 'text'>): string {
  return blocks
    .map((block): string => {
      switch (block.type) {
        case 'text':
          return read.text(block.text);
        case 'structured':
          return read.text(block.json);
        case 'resourceText':
          return `Resource ${block.uri}:\n${read.text(block.text)}`;
        case 'resourceLink':
          return `Link to resource ${block.uri} (${block.title ?? block.name}${block.mimeType === undefined ? '' : `, ${block.mimeType}`})${block.description === undefined ? '' : `: ${block.description}`}`;
        case 'image':
        case 'audio':
          return `[${block.type}, ${block.mimeType}, ${block.bytes} bytes]`;
        case 'resourceBlob':
          return `Resource ${block.uri}: [${block.mimeType ?? 'unknown type'}, ${block.bytes} bytes]`;
        case 'unreadable':
          return `[${block.reason}]`;
      }
    })
    .join('\n\n');
}

/**
 * What the model reads of a result: text up to a limit, images as images. Bytes never become text.
 * `handle` names the result for `read_result` when it is longer.
 */
export function promptResult(
  blocks: readonly ResultBlock[],
  read: ResultReader,
  handle: string,
  limit: number = modelTextLimit,
): PromptPart[] {
  const text = resultText(blocks, read);
  const parts: PromptPart[] = [];
  if (text.length > limit)
    parts.push({
      type: 'text',
      text: `${text.slice(0, limit).toWellFormed()}\n\n[This result has ${text.length} characters; the first ${limit} are above. Read on with read_result, result "${handle}", offset ${limit}.]`,
    });
  else parts.push({ type: 'text', text: text === '' ? '[The tool returned nothing.]' : text });
  for (const block of blocks)
    if (block.type === 'image' && modelImageTypes.has(block.mimeType) && block.bytes <= modelImageLimit)
      parts.push({ type: 'image', mimeType: block.mimeType, base64: read.base64(block.blobId) });
  return parts;
}

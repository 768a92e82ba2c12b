import type { ToolCall } from '../../../preload/contract/calls.ts';
import { maxViewJson } from '../../../preload/contract/commands/viewCommands.ts';
import type { ResultBlock } from '../../../preload/contract/content.ts';
import type { CallId } from '../../../preload/contract/ids.ts';
import type { ToolCallOutcome } from '../mcp/callTool.ts';
import type { Db } from '../store/database.ts';
import { getForView, setForView } from '../store/views.ts';
import type { ResultReader } from '../tools/result.ts';

/** Keeps what only a view reads of a result, as it came: structured content and `_meta`. What is too long for a view is not kept. */
export function keepForView(db: Db, callId: CallId, outcome: ToolCallOutcome): void {
  if (outcome.kind !== 'result' || (!outcome.hasStructuredContent && outcome.meta === undefined)) return;
  const { structuredContent, hasStructuredContent, meta } = outcome;
  const json = JSON.stringify({ ...(hasStructuredContent ? { structuredContent } : {}), ...(meta && { _meta: meta }) });
  if (json.length <= maxViewJson) setForView(db, callId, json);
}

/** How a call ended, as a view is told. */
export type EndForView = { kind: 'result'; resultJson: string } | { kind: 'cancelled'; reason: string };

/** Undefined while the call goes on. A result that no view could be sent is told as none, with the reason. */
export function endForView(db: Db, call: ToolCall, read: ResultReader): EndForView | undefined {
  switch (call.state) {
    case 'proposed':
    case 'awaitingApproval':
    case 'running':
    case 'awaitingInput':
      return undefined;
    case 'succeeded':
      return resultOf(db, call, false, read);
    case 'failed':
      return call.error.code === 'toolError' ? resultOf(db, call, true, read) : { kind: 'cancelled', reason: call.error.message };
    case 'denied':
      return { kind: 'cancelled', reason: call.by === 'user' ? 'The person denied the call.' : 'The call is not allowed here.' };
    case 'cancelled':
      return { kind: 'cancelled', reason: 'The call was stopped.' };
    case 'interrupted':
      return { kind: 'cancelled', reason: 'The application ended before the call had an answer.' };
  }
}

function resultOf(db: Db, call: Extract<ToolCall, { content: unknown }>, isError: boolean, read: ResultReader): EndForView {
  const tooLarge: EndForView = { kind: 'cancelled', reason: 'The result is too large for a view.' };
  if (sizeOf(call.content) > maxViewJson) return tooLarge;
  const own = JSON.parse(getForView(db, call.id) ?? '{}') as Record<string, unknown>;
  // Structured content stands in `own`, as it came.
  const blocks = 'structuredContent' in own ? call.content.filter(({ type }) => type !== 'structured') : call.content;
  const content = blocks.flatMap((block) => blockForView(block, read));
  const resultJson = JSON.stringify({ content, ...own, ...(isError ? { isError } : {}) });
  return resultJson.length > maxViewJson ? tooLarge : { kind: 'result', resultJson };
}

/** About how many characters they take, without reading what is stored elsewhere. */
const sizeOf = (blocks: readonly ResultBlock[]): number =>
  blocks.reduce(
    (sum, block) => sum + ('bytes' in block ? block.bytes : 'text' in block ? block.text.length : 'json' in block ? block.json.length : 0),
    0,
  );

/** A block as the protocol has it (MCP `ContentBlock`). */
function blockForView(block: ResultBlock, read: ResultReader): object[] {
  switch (block.type) {
    case 'text':
      return [{ type: 'text', text: read.text(block.text) }];
    case 'structured':
      return [{ type: 'text', text: read.text(block.json) }];
    case 'image':
    case 'audio':
      return [{ type: block.type, mimeType: block.mimeType, data: read.base64(block.blobId) }];
    case 'resourceLink': {
      const { type: _type, ...link } = block;
      return [{ type: 'resource_link', ...link }];
    }
    case 'resourceText':
    case 'resourceBlob':
      return [{ type: 'resource', resource: contentForView(block, read) }];
    case 'unreadable':
      return [];
  }
}

function contentForView(block: Extract<ResultBlock, { type: 'resourceText' | 'resourceBlob' }>, read: ResultReader): object {
  const { uri, mimeType } = block;
  return {
    uri,
    ...(mimeType === undefined ? {} : { mimeType }),
    ...(block.type === 'resourceText' ? { text: read.text(block.text) } : { blob: read.base64(block.blobId) }),
  };
}

/** What a view's read of a resource returned (MCP `ReadResourceResult`), as JSON: its blocks as contents again. Undefined: too long. */
export function readForView(uri: string, content: readonly ResultBlock[], read: ResultReader): string | undefined {
  if (sizeOf(content) > maxViewJson) return undefined;
  const contents = content.flatMap((block): object[] => {
    if (block.type === 'resourceText' || block.type === 'resourceBlob') return [contentForView(block, read)];
    return block.type === 'image' ? [{ uri, mimeType: block.mimeType, blob: read.base64(block.blobId) }] : [];
  });
  const json = JSON.stringify({ contents });
  return json.length > maxViewJson ? undefined : json;
}

import type { CallId } from '../../../preload/contract/ids.ts';
import type { ResultBlock } from '../../../preload/contract/content.ts';
import { refuse } from '../refusal.ts';
import { getCall, type StoredCall } from '../store/calls.ts';
import { resultOf } from '../turn/prompt.ts';
import { isEnded } from '../turn/toolCallState.ts';
import type { CommandContext, Handlers } from './context.ts';

/** Milliseconds for looking through one result. */
const scanMs = 5000;
const maxHints = 200;

/** What came back from a call, looked at more closely. */
export function resultCommands({ db, pool, read, servers }: CommandContext): Handlers<'result'> {
  const ended = (callId: CallId): StoredCall => {
    const stored = getCall(db, callId) ?? refuse('notFound', 'This call is not kept any more.');
    if (!isEnded(stored.call)) refuse('wrongState', 'This call has not ended yet.');
    return stored;
  };

  const textOf = (block: ResultBlock): string => {
    switch (block.type) {
      case 'text':
      case 'resourceText':
        return read.text(block.text);
      case 'structured':
        return read.text(block.json);
      case 'resourceLink':
        return [block.title, block.name, block.description].filter((text) => text !== undefined).join('\n');
      default:
        return '';
    }
  };

  return {
    'result.hints': async ({ callId }) => {
      const { call } = ended(callId);
      const content = 'content' in call ? call.content : [];
      const tools = servers.tools();
      const hints = await pool.run(
        'scan',
        {
          texts: content.map((block, row) => ({ row, at: String(row + 1), text: textOf(block) })),
          otherTools: tools.filter(({ serverId }) => serverId !== call.serverId).map(({ name, serverName }) => ({ name, serverName })),
          ownNames: tools.filter(({ serverId }) => serverId === call.serverId).map(({ name }) => name),
        },
        { timeoutMs: scanMs },
      );
      return { hints: hints.slice(0, maxHints).map(({ row, ...hint }) => ({ ...hint, block: row })) };
    },

    'result.given': ({ callId }) => {
      const { isError, parts } = resultOf(ended(callId), read);
      return {
        isError,
        parts: parts.map((part) =>
          part.type === 'text'
            ? { type: 'text' as const, text: part.text }
            : { type: 'image' as const, mimeType: part.mimeType, bytes: Buffer.byteLength(part.base64, 'base64') },
        ),
      };
    },
  };
}

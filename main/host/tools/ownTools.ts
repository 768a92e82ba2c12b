import type { CallId, ConversationId } from '../../../preload/contract/ids.ts';
import type { ModelTool } from '../model/model.ts';
import type { Db } from '../store/database.ts';
import { getCall } from '../store/calls.ts';
import { getMessage } from '../store/messages.ts';
import { type Catalogue, findToolsName } from './catalogue.ts';
import { resultText, type ResultReader } from './result.ts';

/** The name under which the host's own tools stand in rows: no server can take it, since these have no server id. */
export const ownServerName = 'Maitre';

export const readResultName = 'read_result';
/** Characters of one answer of `read_result`. */
const pieceLength = 40_000;

/** Offered once a result was too long to be read at once. */
export const readResultTool: ModelTool = {
  wireName: readResultName,
  description: 'Reads on in an earlier tool result that was too long. Finds the first place of a text when one is given.',
  inputSchema: {
    type: 'object',
    properties: {
      result: { type: 'string', description: 'The name of the result, as the note at its cut gives it.' },
      offset: { type: 'integer', minimum: 0, description: 'The character to begin with.' },
      find: { type: 'string', description: 'A text to look for from the offset on; reading begins shortly before it.' },
    },
    required: ['result'],
  },
};

export interface OwnToolAnswer {
  text: string;
  isError: boolean;
  /** Wire names that may be called from the next request on. */
  loaded: string[];
}

export const isOwnTool = (wireName: string): boolean => wireName === findToolsName || wireName === readResultName;

/** The host's own tools read what the model may read anyway, so they are never asked about. */
export function runOwnTool(
  wireName: string,
  values: Record<string, unknown>,
  context: { db: Db; conversationId: ConversationId; catalogue: Catalogue; read: Pick<ResultReader, 'text'> },
): OwnToolAnswer {
  if (wireName === findToolsName) {
    const { text, isError, wireNames } = context.catalogue.findTools(values);
    return { text, isError, loaded: wireNames };
  }
  return { ...readResult(values, context), loaded: [] };
}

function readResult(
  values: Record<string, unknown>,
  { db, conversationId, read }: { db: Db; conversationId: ConversationId; read: Pick<ResultReader, 'text'> },
): { text: string; isError: boolean } {
  const stored = typeof values['result'] === 'string' ? getCall(db, values['result'] as CallId) : undefined;
  // Only results of this conversation: another one's content must not leak in by a guessed name.
  if (!stored || !('content' in stored.call) || getMessage(db, stored.call.messageId)?.conversationId !== conversationId)
    return { text: 'There is no such result in this conversation.', isError: true };
  const whole = resultText(stored.call.content, read);
  const asked = typeof values['offset'] === 'number' && values['offset'] >= 0 ? Math.floor(values['offset']) : 0;
  let offset = asked;
  if (typeof values['find'] === 'string' && values['find'] !== '') {
    const place = whole.indexOf(values['find'], asked);
    if (place < 0) return { text: `The text does not stand in the result after offset ${asked}.`, isError: false };
    offset = Math.max(asked, place - 200);
  }
  if (offset >= whole.length)
    return { text: `The result has ${whole.length} characters; there is nothing at offset ${offset}.`, isError: false };
  const piece = whole.slice(offset, offset + pieceLength);
  const end = offset + piece.length;
  const more = end < whole.length ? `\n\n[Characters ${offset} to ${end} of ${whole.length}. Read on at offset ${end}.]` : '';
  return { text: `${piece}${more}`, isError: false };
}

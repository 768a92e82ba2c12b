import type { CallId, ConversationId, PartId, ServerId } from '../../../preload/contract/ids.ts';
import type { Labels, ResultBlock } from '../../../preload/contract/content.ts';
import { readResourceMethod } from '../mcp/callTool.ts';
import type { ModelTool } from '../model/model.ts';
import type { Db } from '../store/database.ts';
import { neither } from '../policy/labels.ts';
import { getCall, linkedResources } from '../store/calls.ts';
import { getMessage, getPart } from '../store/messages.ts';
import { type Catalogue, findToolsName } from './catalogue.ts';
import { resultText, type ResultReader } from './result.ts';
import { attachmentOf } from './storedAttachment.ts';
import { blocksOfPrompt, promptOf } from './storedPrompt.ts';

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

export const readResourceName = 'read_resource';

/** Offered once a result held a link. A call of it is a call to the server that gave the link, and goes through the same gate. */
export const readResourceTool: ModelTool = {
  wireName: readResourceName,
  description: 'Reads a resource to which an earlier tool result links, through the server that gave the link.',
  inputSchema: {
    type: 'object',
    properties: {
      uri: { type: 'string', description: 'The address of the resource, exactly as the result gives it.' },
      server: { type: 'string', description: 'The name of the server, where several gave a link with this address.' },
    },
    required: ['uri'],
  },
};

/** The server that gave the link which a call of `read_resource` names; undefined where this conversation holds no such link. */
export function linkedServer(
  db: Db,
  conversationId: ConversationId,
  values: Record<string, unknown> | undefined,
): { serverId: ServerId; serverName: string; name: string } | undefined {
  const server = values?.['server'];
  const found = linkedResources(db, conversationId).find(
    (link) => link.uri === values?.['uri'] && (typeof server !== 'string' || link.serverName === server),
  );
  return found && { serverId: found.serverId, serverName: found.serverName, name: readResourceMethod };
}

export interface OwnToolAnswer {
  text: string;
  isError: boolean;
  /** Wire names that may be called from the next request on. */
  loaded: string[];
  /** Of what was read. */
  labels: Pick<Labels, 'untrusted' | 'private'>;
}

export const isOwnTool = (wireName: string): boolean =>
  wireName === findToolsName || wireName === readResultName || wireName === readResourceName;

/** The host's own tools read what the model may read anyway, so they are never asked about. */
export function runOwnTool(
  wireName: string,
  values: Record<string, unknown>,
  context: { db: Db; conversationId: ConversationId; catalogue: Catalogue; read: Pick<ResultReader, 'text'> },
): OwnToolAnswer {
  if (wireName === findToolsName) {
    const { text, isError, wireNames } = context.catalogue.findTools(values);
    return { text, isError, loaded: wireNames, labels: neither };
  }
  if (wireName === readResourceName) {
    const text = 'No result in this conversation links to that address. Use the address of a link exactly as it stands there.';
    return { text, isError: true, loaded: [], labels: neither };
  }
  return { ...readResult(values, context), loaded: [] };
}

function readResult(
  values: Record<string, unknown>,
  { db, conversationId, read }: { db: Db; conversationId: ConversationId; read: Pick<ResultReader, 'text'> },
): Pick<OwnToolAnswer, 'text' | 'isError' | 'labels'> {
  const name = typeof values['result'] === 'string' ? values['result'] : '';
  const named = blocksNamed(db, conversationId, name);
  if (!named) return { text: 'There is no such result in this conversation.', isError: true, labels: neither };
  // It may stand on another branch of the conversation, which this one has not read.
  const { blocks, labels } = named;
  const whole = resultText(blocks, read);
  const asked = typeof values['offset'] === 'number' && values['offset'] >= 0 ? Math.floor(values['offset']) : 0;
  let offset = asked;
  if (typeof values['find'] === 'string' && values['find'] !== '') {
    const place = whole.indexOf(values['find'], asked);
    if (place < 0) return { text: `The text does not stand in the result after offset ${asked}.`, isError: false, labels };
    offset = Math.max(asked, place - 200);
  }
  if (offset >= whole.length)
    return { text: `The result has ${whole.length} characters; there is nothing at offset ${offset}.`, isError: false, labels };
  const piece = whole.slice(offset, offset + pieceLength);
  const end = offset + piece.length;
  const more = end < whole.length ? `\n\n[Characters ${offset} to ${end} of ${whole.length}. Read on at offset ${end}.]` : '';
  return { text: `${piece.toWellFormed()}${more}`, isError: false, labels };
}

/** What a call returned or an attachment holds. Only of this conversation: another one's content must not leak in by a guessed name. */
function blocksNamed(
  db: Db,
  conversationId: ConversationId,
  name: string,
): { blocks: readonly ResultBlock[]; labels: OwnToolAnswer['labels'] } | undefined {
  const stored = getCall(db, name as CallId);
  const part = stored ? undefined : getPart(db, name as PartId);
  const messageId = stored?.call.messageId ?? (part?.kind === 'attachment' || part?.kind === 'prompt' ? part.messageId : undefined);
  if (messageId === undefined || getMessage(db, messageId)?.conversationId !== conversationId) return undefined;
  if (part) return { blocks: part.kind === 'prompt' ? blocksOfPrompt(promptOf(part)) : attachmentOf(part).content, labels: part.labels };
  return stored && 'content' in stored.call ? { blocks: stored.call.content, labels: stored.labels } : undefined;
}

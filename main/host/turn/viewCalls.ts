import type { MessageId, PartId, ServerId } from '../../../preload/contract/ids.ts';
import type { ToolCall } from '../../../preload/contract/calls.ts';
import { readResourceMethod } from '../mcp/callTool.ts';
import { neither } from '../policy/labels.ts';
import { ensureBench } from '../store/conversations.ts';
import { insertMessage, insertPart } from '../store/messages.ts';
import { conversationOfView } from '../store/views.ts';
import { canonicalArguments } from '../tools/arguments.ts';
import { readResourceName } from '../tools/ownTools.ts';
import type { RunTurnDeps } from './runTurn.ts';
import type { TriedCall, wishOf } from './triedCalls.ts';

/** What a view wants of its own server. `origin`: the call that it shows the result of. */
export interface ViewCall {
  origin: Pick<ToolCall, 'id' | 'messageId'>;
  wanted: TriedCall | WantedResource;
}

interface WantedResource {
  serverId: ServerId;
  serverName: string;
  uri: string;
}

/** A read of a resource, as a call to be proposed. */
export async function readWish(
  { pool }: Pick<RunTurnDeps, 'pool'>,
  { serverId, serverName, uri }: WantedResource,
): ReturnType<typeof wishOf> {
  const { json, hash } = await canonicalArguments(pool, { uri }, uri.length);
  const tool = { serverId, serverName, name: readResourceMethod };
  return { wireName: readResourceName, tool, own: false, argumentsValid: true, json, hash, step: 0 };
}

/**
 * The message that stands before a call of a view. Part of the caller's transaction. The first one hangs on the answer of the chat in which
 * the view stands, and each on the one before: so the labels of all that the view may have seen are those of its next call, and what of it
 * stands in the arguments is marked on the card.
 */
export function writeViewMessage(deps: Pick<RunTurnDeps, 'db' | 'ids'>, { origin, wanted }: ViewCall, at: number): MessageId {
  const { db, ids } = deps;
  const conversationId = conversationOfView(origin.id);
  const id = ids() as MessageId;
  const parentId = ensureBench(db, conversationId, at).leafId ?? origin.messageId;
  insertMessage(db, { id, conversationId, parentId, role: 'user', createdAt: at });
  const text = 'uri' in wanted ? readResourceMethod : wanted.tool;
  insertPart(db, {
    id: ids() as PartId,
    messageId: id,
    step: 0,
    kind: 'text',
    text: { text, length: text.length },
    open: false,
    durationMs: undefined,
    labels: { source: { kind: 'host' }, ...neither },
  });
  return id;
}

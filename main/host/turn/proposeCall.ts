import type { CallId, ConversationId, MessageId, PartId, TurnId } from '../../../preload/contract/ids.ts';
import type { Clock, Ids } from '../ports.ts';
import type { Events } from '../events.ts';
import { neither } from '../policy/labels.ts';
import type { Servers } from '../servers/servers.ts';
import type { Blobs } from '../store/blobs.ts';
import { insertCall, type StoredCall } from '../store/calls.ts';
import { type Db, inTransaction } from '../store/database.ts';
import { storeText } from '../store/longText.ts';
import { insertPart } from '../store/messages.ts';
import type { ServerTool } from '../mcp/callTool.ts';
import { ownServerName } from '../tools/ownTools.ts';
import { callPartView, labelsOf } from './messageView.ts';

export interface ProposeCallDeps {
  db: Db;
  blobs: Blobs;
  events: Events;
  clock: Clock;
  ids: Ids;
  servers: Servers;
}

/** A call that somebody wishes for: the model, or the person who tries a tool by hand. `json` is canonical where it is valid. */
export interface ProposedCall {
  conversationId: ConversationId;
  turnId: TurnId;
  messageId: MessageId;
  step: number;
  modelCallId: string;
  wireName: string;
  /** Undefined: no server has it. `own`: it is one of the host's. */
  tool: Pick<ServerTool, 'serverId' | 'serverName' | 'name'> | undefined;
  own: boolean;
  argumentsValid: boolean;
  json: string;
  hash: string;
}

/** Stores a call in the state `proposed`, as a part of its message, then tells. From here on only the gate lets it go. */
export function proposeCall(deps: ProposeCallDeps, wish: ProposedCall): StoredCall {
  const { tool, conversationId, messageId, step } = wish;
  const partId = deps.ids() as PartId;
  const call: StoredCall = {
    partId,
    modelCallId: wish.modelCallId,
    wireName: wish.wireName,
    argumentsValid: wish.argumentsValid,
    // Nothing has come back. The arguments are the model's, and it stands in the same chat what that has read.
    labels: neither,
    call: {
      id: deps.ids() as CallId,
      turnId: wish.turnId,
      messageId,
      step,
      ...(tool ? { serverId: tool.serverId } : {}),
      serverName: tool?.serverName ?? (wish.own ? ownServerName : ''),
      tool: tool?.name ?? wish.wireName,
      arguments: storeText(deps.blobs, wish.json, conversationId),
      argumentsHash: wish.hash,
      effects: tool ? deps.servers.effectsOf(tool.serverId, tool.name) : { set: ['reads'], source: 'profile' },
      createdAt: deps.clock.now(),
      state: 'proposed',
    },
  };
  const labels = labelsOf(call);
  inTransaction(deps.db, () => {
    const text = { text: '', length: 0 };
    insertPart(deps.db, { id: partId, messageId, step, kind: 'call', text, open: false, durationMs: undefined, labels });
    insertCall(deps.db, call);
  });
  deps.events.conversation(conversationId, { type: 'part.changed', messageId, part: callPartView(partId, call.call, labels) });
  return call;
}

import type { ConversationId, MessageId, PartId, ServerId, TurnId } from '../../../preload/contract/ids.ts';
import { neither } from '../policy/labels.ts';
import { refuse } from '../refusal.ts';
import { callsOfTurn } from '../store/calls.ts';
import { benchOf, ensureBench } from '../store/conversations.ts';
import { insertMessage, insertPart } from '../store/messages.ts';
import { canonicalArguments } from '../tools/arguments.ts';
import { buildCatalogue } from '../tools/catalogue.ts';
import type { ProposedCall } from './proposeCall.ts';
import type { LiveTurn, RunTurnDeps } from './runTurn.ts';
import { isEnded } from './toolCallState.ts';

/** A tool called by hand: `values` is the object of its arguments, `size` about the characters of their text. */
export interface TriedCall {
  serverId: ServerId;
  tool: string;
  values: Record<string, unknown>;
  size: number;
}

/** Stands for the model of a turn that has none. */
export const byHandModel = 'byHand';

/** What is to be proposed, but for its place. Refuses a tool that cannot be called now, before anything is written. */
export async function wishOf(
  deps: Pick<RunTurnDeps, 'servers' | 'pool'>,
  { serverId, tool: name, values, size }: TriedCall,
): Promise<Pick<ProposedCall, 'wireName' | 'tool' | 'own' | 'argumentsValid' | 'json' | 'hash' | 'step'>> {
  const tool = deps.servers.tools().find((listed) => listed.serverId === serverId && listed.name === name);
  if (!tool) {
    const sentence = `This server has no usable tool named ${name.slice(0, 200)} now. Check that it is running, and its list of tools.`;
    return refuse('notFound', sentence);
  }
  const { json, hash } = await canonicalArguments(deps.pool, values, size);
  return { wireName: name, tool, own: false, argumentsValid: true, json, hash, step: 0 };
}

/** The message that stands before a call by hand, where a chat has the words of the person. Part of the caller's transaction. */
export function writeTriedMessage(
  deps: Pick<RunTurnDeps, 'db' | 'ids'>,
  { serverId, tool, at }: { serverId: ServerId; tool: string; at: number },
): MessageId {
  const { db, ids } = deps;
  const conversationId = benchOf(serverId);
  const id = ids() as MessageId;
  const parentId = ensureBench(db, conversationId, at).leafId;
  insertMessage(db, { id, conversationId, parentId, role: 'user', createdAt: at });
  insertPart(db, {
    id: ids() as PartId,
    messageId: id,
    step: 0,
    kind: 'text',
    text: { text: tool, length: tool.length },
    open: false,
    durationMs: undefined,
    labels: { source: { kind: 'user' }, ...neither },
  });
  return id;
}

/**
 * Takes what is open in a turn without a model through the same gate as any call, to its end. A person may try what no model is
 * offered yet. `chat`: where it is asked about, for the calls of a view.
 */
export function runTriedCalls(
  deps: RunTurnDeps,
  turnId: TurnId,
  conversationId: ConversationId,
  signal: AbortSignal,
  chat?: ConversationId,
): LiveTurn {
  const catalogue = buildCatalogue(deps.servers.tools(), { contextTokens: 0, maxTools: 0, dialect: 'plain', images: false }, new Set());
  const run = async (): ReturnType<() => LiveTurn['ended']> => {
    await Promise.resolve(); // The command that started it answers first.
    for (const stored of callsOfTurn(deps.db, turnId).filter(({ call }) => !isEnded(call))) {
      await deps.calls.run(stored, {
        conversationId,
        chat,
        catalogue,
        signal,
        before: Promise.resolve(),
        previousAtGate: Promise.resolve(),
        atGate: () => undefined,
        load: () => undefined,
      });
    }
    return { state: signal.aborted ? 'stopped' : 'done' };
  };
  return { save: () => undefined, ended: run() };
}

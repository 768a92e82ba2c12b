import { createHash } from 'node:crypto';
import type { ToolCall } from '../../../preload/contract/calls.ts';
import type { ConversationId, ServerId } from '../../../preload/contract/ids.ts';
import type { Approval, DecisionReason, Scope } from '../../../preload/contract/policy.ts';
import { readResourceMethod } from '../mcp/callTool.ts';
import { isNestedTooDeep } from '../nesting.ts';
import type { Approvals, EditedArguments, Judged } from '../policy/approvals.ts';
import { type CallFacts, isAgreedMeanwhile } from '../policy/callFacts.ts';
import type { Definer } from '../policy/definedTexts.ts';
import { decide, type Decision, kindOf } from '../policy/decide.ts';
import { factsOfNow, type FactsDeps, gatherFacts } from '../policy/gatherFacts.ts';
import { inspectCall, type Inspection } from '../policy/inspectCall.ts';
import { chatLabels } from '../policy/labels.ts';
import { questionOf } from '../policy/question.ts';
import type { Log, Notification } from '../ports.ts';
import { messageOf, refuse } from '../refusal.ts';
import { editCall, linkedResources, type StoredCall, updateCall } from '../store/calls.ts';
import { isBench } from '../store/conversations.ts';
import type { Db } from '../store/database.ts';
import { getMessage } from '../store/messages.ts';
import { rulesOfTool } from '../store/rules.ts';
import { argumentProblem, canonicalArguments } from '../tools/arguments.ts';
import { inOneLine } from '../tools/plainText.ts';
import type { ResultStore } from '../tools/result.ts';
import type { WorkerPool } from '../workers/pool.ts';
import * as state from './toolCallState.ts';

export interface GateDeps {
  db: Db;
  facts: FactsDeps;
  approvals: Approvals;
  pool: WorkerPool;
  resultStore(conversationId: ConversationId): ResultStore;
  serverNameOf(id: ServerId): string | undefined;
  /** What a call would go to now. */
  calledNow(id: ServerId, tool: string): Called;
  /** All servers but this one. */
  serversBeside(id: ServerId): Definer[];
  /** Whether the server lists a resource of this address. */
  listsResource(id: ServerId, uri: unknown): boolean;
  /** Whether the server runs on this computer, so that a path means a file of it. */
  isLocal(id: ServerId): boolean;
  log: Log;
  notify(notification: Notification): void;
  onActivity(conversationId: ConversationId): void;
}

/** A call before the gate, with whom to tell what becomes of it. */
export interface AtGate {
  stored: StoredCall;
  /** Where its card stands, and where permissions for a chat hold. */
  conversationId: ConversationId;
  /** A view of the server asked for it. */
  fromView: boolean;
  values: Record<string, unknown>;
  /** What edited arguments must fit; undefined: anything. */
  inputSchema: Record<string, unknown> | undefined;
  signal: AbortSignal;
  /** The call before it in the same step has come to the gate: cards stand in the model's order. */
  previousAtGate: Promise<unknown>;
  atGate(): void;
  /** Saves, then tells. */
  change(call: ToolCall): void;
  tell(): void;
}

/** Which program or address a tool belongs to, and which definition it has, each by its hash; undefined: there is none. */
export interface Called {
  configuration: string | undefined;
  definition: string | undefined;
}

/** What may go out, and why. `values` are not the model's where the person changed them. */
export interface Passed {
  reason: DecisionReason;
  /** What it was decided about. */
  called: Called;
  values: Record<string, unknown>;
  judged: Judged;
}

export interface Gate {
  /** Decides, and asks where that is needed. Undefined: the call has ended here. */
  pass(call: AtGate): Promise<Passed | undefined>;
  /**
   * Whether that still holds for a call that had to wait for others before it goes out. Undefined: the call has ended here, since it was
   * denied meanwhile, its paths lead elsewhere or its server is another one. `ask`: the permission was taken back, or the tool is not defined
   * as it was when the card was made, nor as the person had agreed to before the answer.
   */
  recheck(call: AtGate, passed: Passed): Promise<'holds' | 'ask' | undefined>;
}

/** Above this many characters JSON is parsed in a worker. */
const heavyJson = 256 * 1024;
const parseTimeoutMs = 2000;

export function createGate(deps: GateDeps): Gate {
  const { db } = deps;
  const { clock } = deps.facts;

  const factsOf = ({ stored: { call }, conversationId, fromView }: AtGate, values: Record<string, unknown>) =>
    gatherFacts(deps.facts, {
      serverId: serverOf(call),
      serverName: call.serverName,
      tool: call.tool,
      conversationId,
      turnId: call.turnId,
      values,
      isMadeUp: fromView && call.tool === readResourceMethod && !isNamed(call, conversationId, values['uri']),
    });

  /** Whether the server itself has said the address: in its list, or in a result that the view or its chat has seen. */
  function isNamed(call: ToolCall, chat: ConversationId, uri: unknown): boolean {
    const serverId = serverOf(call);
    const ofView = getMessage(db, call.messageId)?.conversationId ?? chat;
    const links = [chat, ofView].flatMap((id) => linkedResources(db, id));
    return deps.listsResource(serverId, uri) || links.some((link) => link.serverId === serverId && link.uri === uri);
  }

  const labelsOf = (call: ToolCall) => chatLabels(db, call.messageId, deps.serverNameOf);

  function judge({ facts, labels }: Judged): Decision {
    return decide(facts, rulesOfTool(db, facts.serverId, facts.tool), labels);
  }

  /** Never rejects but when the turn is stopped: a card that shows less is better than a call that nobody hears of. */
  async function inspect({ stored: { call }, conversationId, values, signal }: AtGate, { facts }: Judged): Promise<Inspection> {
    const { serverId, paths } = facts;
    const folders = deps.facts.foldersOf(serverId);
    const place = { conversationId, leafId: call.messageId, callId: call.id };
    try {
      const around = { folders, local: deps.isLocal(serverId), definers: deps.serversBeside(serverId) };
      return await inspectCall(deps, { ...place, values, paths, ...around }, signal);
    } catch (error) {
      if (signal.aborted) throw error;
      deps.log.warn('A call could not be looked at before the card.', { callId: call.id, error: messageOf(error) });
      const inspectionIncomplete = 'This call could not be searched for secrets and for what others wrote. Look at all of it yourself.';
      return { marks: [], findings: [], looks: [], inspectionIncomplete };
    }
  }

  async function edit(at: AtGate, json: string): Promise<EditedArguments> {
    const values = await parsedArguments(deps.pool, json);
    const checked = await canonicalArguments(deps.pool, values, json.length);
    if (at.inputSchema) {
      const problem = await argumentProblem(deps.pool, at.inputSchema, values, json.length);
      if (problem !== undefined) refuse('invalidInput', `${problem}\nNothing was sent; change the arguments and try again.`);
    }
    const { call } = at.stored;
    const { reason } = judge({ facts: await factsOf(at, values), labels: labelsOf(call) });
    if (reason.verdict === 'deny') refuse('notAllowed', `${reason.text} Nothing was sent.`);
    return { values, hash: checked.hash, arguments: deps.resultStore(at.conversationId).text(checked.json) };
  }

  async function ask(
    at: AtGate,
    called: Called,
    judged: Judged,
    { reason, offers, scopes }: Decision,
    inspection: Inspection,
  ): Promise<Passed | undefined> {
    const { stored, conversationId, values, fromView } = at;
    const { call } = stored;
    const { facts, labels } = judged;
    // No turn and no chat goes on where a call is tried by hand.
    const isByHand = isBench(conversationId);
    const lasting = (scope: Scope): boolean => (isByHand ? scope === 'once' || scope === 'always' : !(fromView && scope === 'turn'));
    const group = fromView ? undefined : groupOf(call, facts);
    const card: Omit<Approval, 'id' | 'createdAt'> = {
      conversationId,
      turnId: call.turnId,
      callId: call.id,
      serverId: facts.serverId,
      serverName: call.serverName,
      tool: call.tool,
      question: questionOf(call.tool, values),
      arguments: call.arguments,
      argumentsHash: call.argumentsHash,
      effects: facts.effects,
      reason,
      offers: offers.filter(({ scope }) => lasting(scope)),
      scopes: scopes.filter(lasting),
      destinations: [...facts.destinations],
      ...(group === undefined || isByHand ? {} : { groupId: group }),
      ...(labels.untrusted ? { labels } : {}),
      ...inspection,
      ...(isByHand ? { byHand: true as const } : {}),
      ...(fromView ? { fromView: true as const } : {}),
    };
    const isOneMore = card.groupId !== undefined && deps.approvals.list().some(({ groupId }) => groupId === card.groupId);
    const asked = deps.approvals.ask({
      card,
      judged,
      judgeAgain: () => ({ facts: { ...facts, ...factsOfNow(deps.facts, facts) }, labels: labelsOf(call) }),
      edit: (json) => edit(at, json),
      save(approval) {
        stored.call = state.awaitApproval(stored.call, approval.id, reason);
        updateCall(db, stored.call);
      },
      saveEdited(edited) {
        stored.call = state.edit(stored.call, { arguments: edited.arguments, argumentsHash: edited.hash });
        editCall(db, stored.call);
      },
      shown() {
        at.tell();
        deps.onActivity(conversationId);
        // Server and tool only: arguments may be private, and a notification is seen by whoever stands by. One for each card.
        if (!isOneMore) deps.notify({ title: 'Maitre asks', body: `${inOneLine(call.serverName)} wants to run ${inOneLine(call.tool)}.` });
      },
    });
    at.atGate();
    const outcome = await asked;
    deps.onActivity(conversationId);
    switch (outcome.kind) {
      case 'allowed':
        if (outcome.edited === undefined) return { reason: outcome.reason, called: answeredFor(facts, called), values, judged };
        return {
          reason: outcome.reason,
          called: answeredFor(facts, called),
          values: outcome.edited.values,
          judged: { labels, facts: await factsOf(at, outcome.edited.values) },
        };
      case 'denied':
        at.change(state.deny(stored.call, 'user', { reason, message: outcome.message }, clock.now()));
        return undefined;
      case 'cancelled':
        at.change(state.cancel(stored.call, clock.now()));
        return undefined;
      case 'interrupted':
        at.change(state.interrupt(stored.call, clock.now()));
        return undefined;
    }
  }

  /**
   * What a card speaks for, at the moment of its answer: for the definition that it was made with, or for another one that the person has
   * agreed to while it waited, and that does what the card says. So nobody is asked twice who has read both before the answer.
   */
  function answeredFor(asked: CallFacts, called: Called): Called {
    return isAgreedMeanwhile(asked, factsOfNow(deps.facts, asked))
      ? { ...called, definition: deps.calledNow(asked.serverId, asked.tool).definition }
      : called;
  }

  return {
    async pass(at) {
      const { stored, values } = at;
      const { call } = stored;
      // Before anything is awaited: what changes from here on is noticed.
      const called = deps.calledNow(serverOf(call), call.tool);
      const facts = await factsOf(at, values);
      await at.previousAtGate;
      const judged = { facts, labels: labelsOf(call) };
      const decision = judge(judged);
      const { reason } = decision;
      switch (reason.verdict) {
        case 'deny':
          at.change(state.deny(call, 'rule', { reason, message: reason.text }, clock.now()));
          return undefined;
        case 'allow':
          at.atGate();
          return { reason, called, values, judged };
        case 'ask': {
          const inspection = await inspect(at, judged).catch((error: unknown) => {
            if (at.signal.aborted) return undefined;
            throw error;
          });
          if (inspection && !at.signal.aborted) return ask(at, called, judged, decision, inspection);
          at.change(state.cancel(stored.call, clock.now()));
          return undefined;
        }
      }
    },

    async recheck(at, { reason: passedBy, called, values, judged }) {
      const { stored } = at;
      const now = deps.calledNow(serverOf(stored.call), stored.call.tool);
      const facts = await factsOf(at, values);
      const { reason } = judge({ ...judged, facts });
      if (reason.verdict === 'deny') {
        at.change(state.deny(stored.call, 'rule', { reason, message: reason.text }, clock.now()));
        return undefined;
      }
      if (passedBy.verdict === 'allow') return reason.verdict === 'allow' ? 'holds' : 'ask';
      const end = (message: string): undefined => {
        at.change(state.deny(stored.call, 'host', { reason: passedBy, message }, clock.now()));
      };
      // What was said of one program is no word on another, even one that was agreed to meanwhile.
      if (now.configuration !== called.configuration) return end('The server has changed since you were asked. This call was not made.');
      if (facts.paths.some(({ real }, index) => real !== judged.facts.paths[index]?.real))
        return end('A path of this call leads elsewhere than when you were asked. It was not made.');
      if (now.definition === called.definition) return 'holds';
      // Arguments that the person wrote stand on no card that could be shown again.
      return values === at.values ? 'ask' : end('The tool has changed since you were asked. This call was not made.');
    },
  };
}

function serverOf({ serverId }: ToolCall): ServerId {
  if (serverId === undefined) throw new Error('A call without a server reached the gate.');
  return serverId;
}

/**
 * Calls of one step to the same tool of the same server make one card. Never where something is deleted, or sent out, also to where only the
 * arguments lead, nor where nobody said what the tool does: each of those is looked at by itself.
 */
function groupOf({ turnId, step, serverId, tool }: ToolCall, facts: CallFacts): string | undefined {
  const { effects } = facts;
  if (effects.set.includes('deletes') || effects.set.includes('sendsOut') || ['unreviewed', 'send'].includes(kindOf(facts)))
    return undefined;
  return createHash('sha256')
    .update(JSON.stringify([turnId, step, serverId, tool, effects]))
    .digest('hex')
    .slice(0, 32);
}

async function parsedArguments(pool: WorkerPool, json: string): Promise<Record<string, unknown>> {
  let value: unknown;
  try {
    value = json.length > heavyJson ? (await pool.run('parseJson', { text: json }, { timeoutMs: parseTimeoutMs })).value : JSON.parse(json);
  } catch (error) {
    return refuse('invalidInput', 'These arguments are no valid JSON. Nothing was sent; change them and try again.', {
      detail: messageOf(error),
    });
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value) || isNestedTooDeep(value))
    return refuse('invalidInput', 'Arguments must be one JSON object, not nested too deep. Nothing was sent; change them and try again.');
  return value as Record<string, unknown>;
}

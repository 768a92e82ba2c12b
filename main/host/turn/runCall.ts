import type { CallId, ConversationId, InputId, MessageId } from '../../../preload/contract/ids.ts';
import type { ToolCall } from '../../../preload/contract/calls.ts';
import type { CallProgress } from '../../../preload/contract/tasks.ts';
import type { DecisionReason } from '../../../preload/contract/policy.ts';
import { readResourceMethod, type ServerTool, type ToolCallOutcome } from '../mcp/callTool.ts';
import type { FeatureAnswer, ResourceContents } from '../mcp/features.ts';
import type { Clock } from '../ports.ts';
import type { Events } from '../events.ts';
import type { Audit } from '../policy/audit.ts';
import { callDecided, callEnded } from '../policy/auditEntries.ts';
import { maxNesting } from '../nesting.ts';
import type { LabelPair } from '../policy/labels.ts';
import type { Servers } from '../servers/servers.ts';
import { inTransaction, withFullSync } from '../store/database.ts';
import { useApproval } from '../store/approvals.ts';
import { type StoredCall, updateCall } from '../store/calls.ts';
import { setPartLabels } from '../store/messages.ts';
import { countUse } from '../store/rules.ts';
import { argumentProblem } from '../tools/arguments.ts';
import type { Catalogue } from '../tools/catalogue.ts';
import { assignWireNames } from '../tools/names.ts';
import { isOwnTool, ownServerName, readResourceName, runOwnTool } from '../tools/ownTools.ts';
import { outputProblem } from '../tools/outputProblem.ts';
import { blocksOfContents, type ResultReader, shapeResult } from '../tools/result.ts';
import { keepForView } from '../views/forView.ts';
import { viewOfTool } from '../views/viewOfTool.ts';
import { createCallLabels } from './callLabels.ts';
import { type CallUnderWay, createFollowedTasks, type FollowedTasks } from './followedTasks.ts';
import { type AtGate, createGate, type GateDeps, type Passed } from './gateCall.ts';
import type { KeptTasks } from './keptTasks.ts';
import { callPartView, labelsOf } from './messageView.ts';
import * as state from './toolCallState.ts';

export interface RunCallDeps extends GateDeps {
  events: Events;
  clock: Clock;
  servers: Servers;
  audit: Pick<Audit, 'append'>;
  read: ResultReader;
  tasks: KeptTasks;
  /** The conversation that a message belongs to. */
  conversationOf(messageId: MessageId): ConversationId | undefined;
}

export interface CallContext {
  conversationId: ConversationId;
  /** Set for a call of a view: the chat that the view stands in. There it is asked about, and what is allowed there holds for it. */
  chat?: ConversationId | undefined;
  catalogue: Catalogue;
  signal: AbortSignal;
  /** Earlier calls of the same step that must end before this one goes out. */
  before: Promise<unknown>;
  /** The call before it in the same step has come to the gate: cards stand in the model's order. */
  previousAtGate: Promise<unknown>;
  atGate(): void;
  /** Wire names that `find_tools` made callable. */
  load(wireNames: string[]): void;
}

/** Takes calls from the model's wish to their end. */
export interface CallRunner {
  /** Resolves when the call has ended, in whatever way; it rejects only for bugs and a store that cannot be written. */
  run(stored: StoredCall, context: CallContext): Promise<void>;
  /** The server of a running call waits for the person, and has the answer. */
  waitForInput(callId: CallId, inputId: InputId): void;
  goOn(callId: CallId): void;
  /** Those that servers run as tasks. */
  readonly tasks: FollowedTasks;
}

/** Least time between two signs of progress of one call, in milliseconds. */
const progressMs = 100;

const reads = (call: ToolCall): boolean => call.effects.set.every((effect) => effect === 'reads');

export const mayRunBeside = (call: ToolCall): boolean => reads(call) && call.effects.source !== 'nobody';

export function createCallRunner(deps: RunCallDeps): CallRunner {
  const { db, events, clock } = deps;
  const running = new Map<CallId, CallUnderWay>();

  const callLabels = createCallLabels(deps);
  const gate = createGate(deps);

  function emit(stored: StoredCall, conversationId: ConversationId): void {
    const { call } = stored;
    events.conversation(conversationId, {
      type: 'part.changed',
      messageId: call.messageId,
      part: callPartView(stored.partId, call, labelsOf(stored)),
    });
  }

  /** Saves first, then tells. `labels`: of what has come back with it. */
  function change(stored: StoredCall, conversationId: ConversationId, call: ToolCall, labels?: LabelPair): void {
    stored.call = call;
    if (labels) stored.labels = labels;
    const ended = callEnded(call, conversationId);
    if (ended)
      inTransaction(db, () => {
        updateCall(db, call);
        if (labels) setPartLabels(db, stored.partId, labels);
        deps.audit.append(ended);
      });
    else updateCall(db, call);
    emit(stored, conversationId);
  }

  const failed = (
    stored: StoredCall,
    context: CallContext,
    code: Extract<ToolCall, { state: 'failed' }>['error']['code'],
    message: string,
  ) => change(stored, context.conversationId, state.failCall(stored.call, { code, message }, [], clock.now()));

  /** Writes the state under which the call goes out. Returns false when its approval does not hold. */
  function takeOff(stored: StoredCall, reason: DecisionReason, conversationId: ConversationId): boolean {
    const { call } = stored;
    const at = clock.now();
    const write = (): boolean => {
      if (call.state !== 'awaitingApproval') deps.audit.append(callDecided(call, reason, conversationId));
      else if (!useApproval(db, call.approvalId, call, at)) return false;
      if (reason.ruleId !== undefined) countUse(db, reason.ruleId, at);
      stored.call = state.run(call, reason, at);
      updateCall(db, stored.call);
      callLabels.note(stored);
      return true;
    };
    // What changes, deletes or sends out must be known after a power cut; a read may be forgotten.
    return reads(call) ? inTransaction(db, write) : withFullSync(db, write);
  }

  /** `outputSchema`: what the server has announced of its structured content. */
  async function finish(
    stored: StoredCall,
    conversationId: ConversationId,
    outcome: ToolCallOutcome,
    outputSchema?: Record<string, unknown>,
  ): Promise<void> {
    const schemaProblem = outcome.kind === 'result' ? await outputProblem(deps.pool, outputSchema, outcome) : undefined;
    const at = clock.now();
    const end = (call: ToolCall) => {
      if (wasTask) deps.tasks.drop(call.id);
      change(stored, conversationId, call, callLabels.ofOutcome(stored, outcome));
      if (wasTask) events.servers({ type: 'task.ended', callId: call.id });
    };
    const wasTask = running.get(stored.call.id)?.task !== undefined;
    const fail = (code: Extract<ToolCall, { state: 'failed' }>['error']['code'], message: string, detail?: string) =>
      end(state.failCall(stored.call, { code, message, ...(detail === undefined ? {} : { detail }) }, [], at));
    switch (outcome.kind) {
      case 'result': {
        const content = shapeResult(outcome, deps.resultStore(conversationId));
        if (outcome.isError) end(state.failCall(stored.call, { code: 'toolError', message: 'The tool reports an error.' }, content, at));
        else end(state.succeed(stored.call, content, at, schemaProblem));
        return;
      }
      case 'detached':
        // It goes on at its server, and is followed again at the next start.
        return;
      case 'protocolError':
        return fail('protocolError', `The server answered with error ${outcome.code}: ${outcome.rpcMessage}`);
      case 'declined':
        return fail('declined', outcome.message);
      case 'exited':
        return fail('serverExited', outcome.message, outcome.detail);
      case 'unavailable':
        return fail('serverUnavailable', outcome.message, outcome.detail);
      case 'timedOut':
        return fail('timedOut', outcome.message);
      case 'invalidResult':
        return fail('invalidResult', outcome.message, outcome.detail);
      case 'cancelled':
        return end(state.cancel(stored.call, at));
    }
  }

  /** Asks where that is needed, and sends what was allowed. */
  async function throughGate(
    stored: StoredCall,
    values: Record<string, unknown>,
    context: CallContext,
    tool: Pick<ServerTool, 'inputSchema' | 'outputSchema' | 'ui'> | undefined,
    send: (signal: AbortSignal, values: Record<string, unknown>) => Promise<ToolCallOutcome>,
  ): Promise<void> {
    const { call } = stored;
    const { conversationId, signal, previousAtGate, atGate } = context;
    const end = (changed: ToolCall) => change(stored, conversationId, changed);
    const at: AtGate = {
      stored,
      conversationId: context.chat ?? conversationId,
      fromView: context.chat !== undefined,
      values,
      inputSchema: tool?.inputSchema,
      signal,
      previousAtGate,
      atGate,
      change: end,
      tell: () => emit(stored, conversationId),
    };
    let passed: Passed | undefined;
    let still: 'holds' | 'ask' | undefined = 'ask';
    let outOfReach: ToolCallOutcome | undefined;
    while (still === 'ask') {
      passed = await gate.pass(at);
      if (passed === undefined) return;
      await context.before;
      // What was decided by what the server defined when it was there last must hold for what it defines now.
      outOfReach = call.serverId === undefined ? undefined : await deps.servers.reach(call.serverId, signal);
      if (signal.aborted) return end(state.cancel(stored.call, clock.now()));
      still = await gate.recheck(at, passed);
    }
    if (passed === undefined || still === undefined) return;
    if (!takeOff(stored, passed.reason, conversationId))
      return failed(stored, context, 'internal', 'The approval of this call does not hold any more. It was not made.');
    emit(stored, context.conversationId);
    const stop = new AbortController();
    const pass = () => stop.abort(context.signal.reason);
    context.signal.addEventListener('abort', pass, { once: true });
    running.set(call.id, { stored, conversationId: context.conversationId, stop });
    try {
      const outcome = outOfReach ?? (await send(stop.signal, passed.values));
      if (context.chat !== undefined || viewOfTool(tool?.ui).uri !== undefined) keepForView(db, call.id, outcome);
      await finish(stored, context.conversationId, outcome, tool?.outputSchema);
    } finally {
      context.signal.removeEventListener('abort', pass);
      running.delete(call.id);
    }
  }

  /** The call of a tool that nobody offers: why, where it is one of a server that is not there. */
  async function withoutTool(stored: StoredCall, context: CallContext): Promise<void> {
    const { wireName, call } = stored;
    const absent = deps.servers.absentTools();
    const known =
      call.serverId === undefined
        ? assignWireNames(absent).find(wireName)
        : absent.find(({ serverId, name }) => serverId === call.serverId && name === call.tool);
    const outcome = known && (await deps.servers.reach(known.serverId, context.signal));
    if (context.signal.aborted) return change(stored, context.conversationId, state.cancel(stored.call, clock.now()));
    if (outcome?.kind === 'unavailable')
      return failed(
        stored,
        context,
        'serverUnavailable',
        `${wireName} is a tool of a server that is not there at present, so the call was not made. ${outcome.message}`,
      );
    return failed(stored, context, 'unknownTool', `There is no tool named ${wireName}. Use the tools that are offered.`);
  }

  async function runTool(stored: StoredCall, tool: ServerTool, values: Record<string, unknown>, context: CallContext): Promise<void> {
    const { call } = stored;
    const problem = await argumentProblem(deps.pool, tool.inputSchema, values, call.arguments.length);
    if (problem !== undefined) return failed(stored, context, 'invalidArguments', problem);
    const { conversationId } = context;
    await throughGate(stored, values, context, tool, (signal, allowed) =>
      deps.servers.callTool({
        serverId: tool.serverId,
        tool: tool.name,
        arguments: allowed,
        callId: call.id,
        conversationId: context.chat ?? conversationId,
        signal,
        onProgress: tellProgress(stored, context),
        onTask: (task) => deps.tasks.keep(call.id, tool.serverId, task),
        onTaskState: (taskState) => followedTasks.tell(stored, conversationId, taskState),
      }),
    );
  }

  /** A resource to which a result links, read through the server that gave the link. */
  async function readResource(stored: StoredCall, values: Record<string, unknown>, context: CallContext): Promise<void> {
    const { id: callId, serverId } = stored.call;
    const { uri } = values;
    if (serverId === undefined || typeof uri !== 'string')
      return failed(stored, context, 'invalidArguments', 'A link is read by its "uri".');
    const conversationId = context.chat ?? context.conversationId;
    await throughGate(stored, values, context, undefined, async (signal) =>
      outcomeOfRead(await deps.servers.readResource(serverId, uri, { signal, call: { callId, conversationId } })),
    );
  }

  /** Progress as it comes, but at most every {@link progressMs}: a server may send thousands a second. */
  function tellProgress(stored: StoredCall, context: CallContext): (progress: CallProgress) => void {
    let newest: CallProgress | undefined;
    let resting = false;
    const tell = (): void => {
      resting = false;
      if (!newest || state.isEnded(stored.call)) return;
      const { id: callId, messageId } = stored.call;
      events.conversation(context.conversationId, { type: 'call.progress', messageId, callId, progress: newest });
      followedTasks.progressed(callId, newest);
      newest = undefined;
      resting = true;
      clock.after(progressMs, tell);
    };
    return (progress) => {
      newest = progress;
      stored.call = state.progressed(stored.call, progress);
      if (!resting) tell();
    };
  }

  function runOwn(stored: StoredCall, values: Record<string, unknown>, context: CallContext): void {
    const reason: DecisionReason = {
      verdict: 'allow',
      code: 'ownTool',
      text: 'A tool of Maitre itself: it only reads what is in this chat already.',
    };
    change(stored, context.conversationId, state.run(stored.call, reason, clock.now()));
    const answer = runOwnTool(stored.wireName, values, {
      db,
      conversationId: context.conversationId,
      catalogue: context.catalogue,
      read: deps.read,
    });
    context.load(answer.loaded);
    const content = [{ type: 'text' as const, text: deps.resultStore(context.conversationId).text(answer.text) }];
    const at = clock.now();
    change(
      stored,
      context.conversationId,
      answer.isError
        ? state.failCall(stored.call, { code: 'toolError', message: 'The tool reports an error.' }, content, at)
        : state.succeed(stored.call, content, at),
      answer.labels,
    );
  }

  const followedTasks = createFollowedTasks(deps, { running, change, finish });

  return {
    tasks: followedTasks,
    async run(stored, context) {
      // It runs at its server since an earlier run of the host.
      const followed = followedTasks.join(stored.call.id, context.signal);
      if (followed) return followed;
      if (context.signal.aborted) return change(stored, context.conversationId, state.cancel(stored.call, clock.now()));
      if (!stored.argumentsValid)
        return failed(
          stored,
          context,
          'invalidArguments',
          `The arguments are no JSON object, or nested deeper than ${maxNesting} levels. Write them again as one whole JSON object.`,
        );
      const values = JSON.parse(deps.read.text(stored.call.arguments)) as Record<string, unknown>;
      if (stored.call.serverId === undefined && stored.call.serverName === ownServerName && isOwnTool(stored.wireName))
        return runOwn(stored, values, context);
      if (stored.wireName === readResourceName && stored.call.tool === readResourceMethod) return readResource(stored, values, context);
      // By the server's id and its own name: what the model calls it may mean another tool by now.
      const { serverId, tool: name } = stored.call;
      const tool = context.catalogue.tools.find((listed) => listed.serverId === serverId && listed.name === name);
      if (!tool) return withoutTool(stored, context);
      return runTool(stored, tool, values, context);
    },
    waitForInput(callId, inputId) {
      const entry = running.get(callId);
      if (!entry || entry.stored.call.state !== 'running') return;
      change(entry.stored, entry.conversationId, state.awaitInput(entry.stored.call, inputId, clock.now()));
      deps.onActivity(entry.conversationId);
    },
    goOn(callId) {
      const entry = running.get(callId);
      if (!entry || entry.stored.call.state !== 'awaitingInput') return;
      const call = state.goOn(entry.stored.call, clock.now());
      change(entry.stored, entry.conversationId, entry.task ? state.asTask(call, { ...entry.task, status: 'working' }) : call);
      deps.onActivity(entry.conversationId);
    },
  };
}

/** That a resource is not there is for the model to learn from, like an error of a tool. */
function outcomeOfRead(answer: FeatureAnswer<ResourceContents>): ToolCallOutcome {
  switch (answer.kind) {
    case 'ok':
      return { kind: 'result', content: blocksOfContents(answer.value.contents), hasStructuredContent: false, isError: false };
    case 'notFound':
      return { kind: 'result', content: [{ type: 'text', text: answer.message }], hasStructuredContent: false, isError: true };
    case 'failed':
      return { kind: 'unavailable', message: answer.message, ...(answer.detail === undefined ? {} : { detail: answer.detail }) };
    case 'cancelled':
      return { kind: 'cancelled' };
  }
}

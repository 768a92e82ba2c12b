import type { MessageId, TurnId } from '../../../preload/contract/ids.ts';
import type { Labels } from '../../../preload/contract/content.ts';
import type { Turn } from '../../../preload/contract/conversations.ts';
import type { Clock, Ids } from '../ports.ts';
import type { Events } from '../events.ts';
import type { Model, ModelEvent, StepRequest } from '../model/model.ts';
import { ModelFailure } from '../model/model.ts';
import { isNestedTooDeep } from '../nesting.ts';
import type { Definitions } from '../policy/definitions.ts';
import { StoppedBeforeSending } from '../policy/cloudGuard.ts';
import { Refusal } from '../refusal.ts';
import type { Servers } from '../servers/servers.ts';
import type { Blobs } from '../store/blobs.ts';
import { type Db, inTransaction } from '../store/database.ts';
import { hasLinkedResources, openCallsOfTurn, stepHasCalls, type StoredCall } from '../store/calls.ts';
import { deletePart, partsOf } from '../store/messages.ts';
import { finishStep, getTurn, type StoredTurn } from '../store/turns.ts';
import type { WorkerPool } from '../workers/pool.ts';
import { canonicalArguments, hashText } from '../tools/arguments.ts';
import { buildCatalogue, type Catalogue } from '../tools/catalogue.ts';
import { isOwnTool, linkedServer, readResourceName, readResourceTool, readResultTool } from '../tools/ownTools.ts';
import type { ResultReader } from '../tools/result.ts';
import { createAnswerWriter } from './answerWriter.ts';
import { assemblePrompt, fitPrompt, systemPrompt } from './prompt.ts';
import { proposeCall } from './proposeCall.ts';
import { type CallRunner, mayRunBeside } from './runCall.ts';
import { createToolsOfTurn } from './toolsOfTurn.ts';

export interface RunTurnDeps {
  db: Db;
  blobs: Blobs;
  events: Events;
  clock: Clock;
  ids: Ids;
  servers: Servers;
  definitions: Pick<Definitions, 'usable' | 'isOff'>;
  pool: WorkerPool;
  calls: CallRunner;
  read: ResultReader;
  resolveModel(ref: string): Model;
  modelTimeoutMs(): number;
  /** Makes what the branch has read ready to be searched, while the model writes. */
  prepareInspection(leafId: MessageId): void;
}

export type TurnEnd =
  { state: 'done' } | { state: 'stepLimit' } | { state: 'stopped' } | { state: 'failed'; error: NonNullable<Turn['error']> };

/** Waits before a failed request is made again, in milliseconds; as many tries as there are entries follow the first. */
const retryWaits = [500, 3000];

/**
 * A model that is still writing after so long leaves time to prepare the search of its calls. A quicker one asks for a call before anything is
 * prepared, and the preparation would only take the processor from that call.
 */
const prepareAfterMs = 200;

/** A running turn, as far as others may look into it. */
export interface LiveTurn {
  /** Saves streaming text, so that a snapshot is complete. */
  save(): void;
  /** Resolves with the end; rejects only for bugs and a store that cannot be written. */
  readonly ended: Promise<TurnEnd>;
}

/**
 * The agent loop over one stored turn: request, calls, request, until the model asks for no more calls or the step limit
 * is met. Begins where the turn stands, so that it also continues one: calls that were proposed are taken up first,
 * steps that ended are never repeated.
 */
export function runTurn(deps: RunTurnDeps, turnId: TurnId, signal: AbortSignal, onStep: (turn: Turn) => void): LiveTurn {
  const stored = getTurn(deps.db, turnId);
  if (!stored) throw new Error('A turn that is not stored cannot run.');
  const { conversationId, assistantMessageId, model: modelRef } = stored.turn;
  const place = { conversationId, messageId: assistantMessageId };
  const writer = createAnswerWriter(deps, place);
  const loaded = new Set<string>();

  async function loop(): Promise<TurnEnd> {
    const model = deps.resolveModel(modelRef);
    // What was found and used earlier in this chat can be called again without a search.
    for (const message of assemblePrompt(deps.db, assistantMessageId, { ...deps.read, provider: model.provider }).messages)
      if (message.role === 'assistant') for (const call of message.calls) loaded.add(call.wireName);
    const toolsOfTurn = createToolsOfTurn(({ serverId, name }) => deps.definitions.isOff(serverId, name));
    const catalogueNow = () => {
      deps.servers.refreshLists();
      return buildCatalogue(toolsOfTurn(deps.definitions.usable(deps.servers.tools())), model.limits, loaded);
    };
    const left = openCallsOfTurn(deps.db, turnId);
    if (left.length > 0) await runCalls(left, catalogueNow());
    closeBrokenStep();
    const { steps } = turnNow().turn;
    if (steps > 0 && !askedForMore(steps - 1)) return { state: 'done' };
    dropUnfinished(steps);
    for (;;) {
      if (signal.aborted) return { state: 'stopped' };
      const { turn, stepLimit } = turnNow();
      if (turn.steps >= stepLimit) return { state: 'stepLimit' };
      const catalogue = catalogueNow();
      const asked = await requestWithRetry(model, catalogue, turn.steps);
      onStep(turnNow().turn);
      if (asked.length === 0) return { state: 'done' };
      await runCalls(asked, catalogue);
    }
  }

  function turnNow(): StoredTurn {
    const now = getTurn(deps.db, turnId);
    if (!now) throw new Error('A running turn was removed.');
    return now;
  }

  /** Calls of a request that broke off are a step of their own: the next request must not write into it. */
  function closeBrokenStep(): void {
    const { steps } = turnNow().turn;
    if (askedForMore(steps))
      inTransaction(deps.db, () => finishStep(deps.db, turnId, steps, { providerData: undefined, usage: undefined }));
  }

  /** Whether the step ended with calls, so that the model must hear what came of them. */
  const askedForMore = (step: number): boolean => stepHasCalls(deps.db, turnId, step);

  /** Text of a request that broke off is written again by the next try; calls that were made of it stay. */
  function dropUnfinished(step: number): void {
    const parts = partsOf(deps.db, assistantMessageId).filter((part) => part.step === step && part.kind !== 'call');
    for (const part of parts) deletePart(deps.db, part.id);
    if (parts.length > 0) deps.events.conversation(conversationId, { type: 'branch.changed' });
  }

  async function requestWithRetry(model: Model, catalogue: Catalogue, step: number): Promise<StoredCall[]> {
    for (let tries = 0; ; tries++) {
      let heard = false;
      try {
        return await request(model, catalogue, step, () => (heard = true));
      } catch (error) {
        const wait = retryWaits[tries];
        const again = error instanceof ModelFailure && error.retryable && !heard && wait !== undefined && !signal.aborted;
        if (!again) throw error;
        await pause(wait);
      }
    }
  }

  const pause = (ms: number) =>
    new Promise<void>((resolve, reject) => {
      const stop = () => {
        cancelTimer();
        reject(signal.reason);
      };
      const cancelTimer = deps.clock.after(ms, () => {
        signal.removeEventListener('abort', stop);
        resolve();
      });
      signal.addEventListener('abort', stop, { once: true });
    });

  /** One model request: its text goes out as it comes, its calls are stored as proposed and returned. */
  async function request(model: Model, catalogue: Catalogue, step: number, onHeard: () => void): Promise<StoredCall[]> {
    const asked: StoredCall[] = [];
    const { messages, labels } = assemblePrompt(deps.db, assistantMessageId, { ...deps.read, provider: model.provider });
    const tools = [
      ...catalogue.modelTools,
      ...(mentionsCutResult(messages) ? [readResultTool] : []),
      ...(hasLinkedResources(deps.db, conversationId) ? [readResourceTool] : []),
    ];
    const stepRequest: StepRequest = {
      system: systemPrompt,
      messages: fitPrompt(messages, model.limits.contextTokens),
      tools,
      conversationId,
      signal,
      timeoutMs: deps.modelTimeoutMs(),
    };
    const prepare = (): void => {
      if (labels.untrusted || labels.private) deps.prepareInspection(assistantMessageId);
    };
    const cancelPreparation = deps.clock.after(prepareAfterMs, prepare);
    let finished: Extract<ModelEvent, { type: 'finish' }> | undefined;
    try {
      for await (const event of model.stream(stepRequest)) {
        if (signal.aborted) throw signal.reason;
        onHeard();
        if (event.type === 'finish') finished = event;
        else if (event.type === 'call') {
          writer.end();
          asked.push(await propose(event, catalogue, step));
        } else writeText(event, step, labels);
      }
    } finally {
      cancelPreparation();
      writer.end();
    }
    if (signal.aborted) throw signal.reason;
    if (!finished) throw new ModelFailure('disconnected', 'The model broke off before it had finished. Try again.');
    const { providerData, usage } = finished;
    inTransaction(deps.db, () => finishStep(deps.db, turnId, step, { providerData, usage }));
    return asked;
  }

  function writeText(
    event: Exclude<ModelEvent, { type: 'finish' | 'call' }>,
    step: number,
    labels: Pick<Labels, 'untrusted' | 'private'>,
  ): void {
    switch (event.type) {
      case 'text.start':
        return writer.start('text', step, labels);
      case 'reasoning.start':
        return writer.start('reasoning', step, labels);
      case 'text.delta':
      case 'reasoning.delta':
        return writer.append(event.text);
      case 'text.end':
      case 'reasoning.end':
        return writer.end();
    }
  }

  async function propose(event: Extract<ModelEvent, { type: 'call' }>, catalogue: Catalogue, step: number): Promise<StoredCall> {
    const tool = catalogue.find(event.wireName);
    const own = !tool && isOwnTool(event.wireName);
    const values = isNestedTooDeep(event.arguments) ? undefined : event.arguments;
    const checked =
      values === undefined
        ? { json: event.argumentsText, hash: hashText(event.argumentsText) }
        : await canonicalArguments(deps.pool, values, event.argumentsText.length);
    return proposeCall(deps, {
      conversationId,
      turnId,
      messageId: assistantMessageId,
      step,
      modelCallId: event.modelCallId,
      wireName: event.wireName,
      tool: tool ?? (own && event.wireName === readResourceName ? linkedServer(deps.db, conversationId, event.arguments) : undefined),
      own,
      argumentsValid: values !== undefined,
      json: checked.json,
      hash: checked.hash,
    });
  }

  /**
   * Cards of one step stand together. Reads that somebody classified go out beside each other; everything else keeps the
   * order in which the model asked.
   */
  async function runCalls(open: StoredCall[], catalogue: Catalogue): Promise<void> {
    const all: Promise<void>[] = [];
    let lastInOrder: Promise<unknown> = Promise.resolve();
    let previousAtGate: Promise<unknown> = Promise.resolve();
    for (const call of open) {
      const inOrder = !mayRunBeside(call.call);
      const before: Promise<unknown> = inOrder ? Promise.allSettled([...all]) : lastInOrder;
      const gate = Promise.withResolvers<void>();
      const ended = deps.calls.run(call, {
        conversationId,
        catalogue,
        signal,
        before,
        previousAtGate,
        atGate: gate.resolve,
        load: (wireNames) => {
          for (const wireName of wireNames) loaded.add(wireName);
        },
      });
      if (inOrder) lastInOrder = Promise.allSettled([ended]);
      previousAtGate = Promise.race([gate.promise, Promise.allSettled([ended])]);
      all.push(ended);
    }
    const outcomes = await Promise.allSettled(all);
    const broken = outcomes.find((outcome) => outcome.status === 'rejected');
    if (broken) throw broken.reason;
  }

  async function endOf(): Promise<TurnEnd> {
    try {
      await Promise.resolve(); // The command that started it answers first.
      return await loop();
    } catch (error) {
      if (signal.aborted || error instanceof StoppedBeforeSending) return { state: 'stopped' };
      if (error instanceof Refusal) {
        const { code, message, detail } = error.failure;
        return { state: 'failed', error: { code, message, ...(detail === undefined ? {} : { detail }) } };
      }
      if (error instanceof ModelFailure)
        return {
          state: 'failed',
          error: { code: error.code, message: error.message, ...(error.detail === undefined ? {} : { detail: error.detail }) },
        };
      throw error;
    }
  }

  return { save: () => writer.save(), ended: endOf() };
}

const mentionsCutResult = (messages: StepRequest['messages']): boolean =>
  messages.some((message) =>
    (message.role === 'tool' ? message.results.flatMap(({ parts }) => parts) : message.role === 'user' ? message.parts : []).some(
      (part) => part.type === 'text' && part.text.includes('Read on with read_result'),
    ),
  );

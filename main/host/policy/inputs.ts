import type { CallId, ConversationId, InputId, ServerId } from '../../../preload/contract/ids.ts';
import type { AnsweredInput, InputAnswer, InputRequest, ModelGuard } from '../../../preload/contract/policy.ts';
import type { ServerRequest, ServerRequestAnswer } from '../mcp/callTool.ts';
import type { Clock, Ids, Notification } from '../ports.ts';
import type { Events } from '../events.ts';
import { Refusal, refuse } from '../refusal.ts';
import { inOneLine } from '../tools/plainText.ts';
import type { AnsweredHow } from './auditEntries.ts';
import { maxPerMinute } from './questionLimits.ts';
import { type Card, createQuestions, type Question, type QuestionsDeps } from './questions.ts';

/** Bytes of a whole question: a card must fit a message of the bridge. */
const maxQuestion = 700_000;
const maxSummary = 200;
const keptAnswers = 1000;

export interface InputsDeps extends QuestionsDeps {
  events: Events;
  clock: Clock;
  ids: Ids;
  /** Servers whose questions are not shown. */
  questions: { blocked(serverId: ServerId): boolean; block(serverId: ServerId): void };
  notify(notification: Notification): void;
  /** Keeps that a question was answered. Throws where it cannot be kept. */
  onAnswered(input: AnsweredFacts, action: AnsweredInput['action'], how?: AnsweredHow): void;
  /** The call waits for the person from now on, and goes on. */
  onWait(callId: CallId, inputId: InputId): void;
  onGoOn(callId: CallId): void;
}

/** What is kept of a question. */
export type AnsweredFacts = Pick<InputRequest, 'kind' | 'serverId' | 'serverName' | 'conversationId' | 'callId' | 'sampling' | 'stage'>;

/** What servers ask of the user: shown as cards, never answered by itself, each answered exactly once, with a window or without. */
export interface Inputs {
  ask(request: ServerRequest): Promise<ServerRequestAnswer>;
  /** The host's own question before a request to a cloud model. A request that is stopped meanwhile is answered with `stop`. */
  askAboutModel(question: {
    conversationId: ConversationId | undefined;
    modelGuard: ModelGuard;
    signal: AbortSignal;
  }): Promise<'send' | 'leaveOut' | 'stop'>;
  /**
   * Refuses with `notFound`, `alreadyAnswered`, or `invalidInput` when the form does not fit (`fields` says where; the card stays).
   * The first answer to a stage wins.
   */
  answer(id: InputId, answer: InputAnswer): Promise<void>;
  list(): InputRequest[];
  /** Answers whatever waits: elicitations are cancelled, the rest is declined. The host is closing. */
  close(): void;
}

interface Waiting {
  input: InputRequest;
  /** Absent for the host's own question. */
  request: ServerRequest | undefined;
  question: Question;
  /** An answer is being carried out; another one comes too late. */
  busy: boolean;
  settle(answer: ServerRequestAnswer, action: AnsweredInput['action']): void;
}

const kindOf = ({ kind }: ServerRequest): AnsweredInput['kind'] => (kind === 'page' ? 'elicitation' : kind);
const isElicitation = (request: ServerRequest): boolean => kindOf(request) === 'elicitation';

type Accept = Extract<InputAnswer, { action: 'accept' }>;

/** Whether words of the person go out with this answer: of a request to a model that failed before, they stand in it already. */
function isEdited({ editedSystemPrompt, editedMessages = [], editedResult = [] }: Accept, { sampling, stage }: InputRequest): boolean {
  if (stage === 'result') return editedResult.length > 0;
  const isOld =
    sampling?.systemPromptEdited === true ||
    sampling?.messages.some(({ blocks }) => blocks.some((block) => block.type === 'text' && block.edited === true)) === true;
  return isOld || editedSystemPrompt !== undefined || editedMessages.length > 0;
}

/** What a server hears when the question was not accepted. */
const refusalOf = (request: ServerRequest | undefined, action: 'decline' | 'cancel'): ServerRequestAnswer =>
  request && isElicitation(request) ? { kind: 'result', result: { action } } : { kind: 'declined' };

export function createInputs(deps: InputsDeps): Inputs {
  const waiting = new Map<InputId, Waiting>();
  /** The newest that were answered: a late answer to one is told so. */
  const answered = new Set<InputId>();
  const answersByItself = new Map<string, string>();
  const questionOf = createQuestions(deps);
  let closing = false;

  /** Ends a question; false when another answer was first. */
  function close(entry: Waiting, action: AnsweredInput['action'], answer: ServerRequestAnswer): boolean {
    const { input, request } = entry;
    if (!waiting.delete(input.id)) return false;
    answered.add(input.id);
    for (const oldest of answered) {
      if (answered.size <= keptAnswers) break;
      answered.delete(oldest);
    }
    request?.earlier?.push({ kind: kindOf(request), round: request.round ?? 1, message: input.message.text.slice(0, maxSummary), action });
    deps.events.approvals({ type: 'input.closed', inputId: input.id });
    const more = [...waiting.values()].find((other) => other.input.callId === input.callId);
    if (request?.callId && !more) deps.onGoOn(request.callId);
    entry.question.ended?.();
    entry.settle(answer, action);
    return true;
  }

  function change(entry: Waiting, next: InputRequest): void {
    if (!waiting.has(entry.input.id)) return;
    entry.input = next;
    deps.events.approvals({ type: 'input.changed', input: entry.input });
  }

  const cardOf = (entry: Waiting): Card => ({
    change: (next) => change(entry, next(entry.input)),
    answer(answer) {
      deps.onAnswered(entry.input, 'accept', 'before');
      close(entry, 'accept', answer);
    },
  });

  /** Servers may ask a thousand times: what is answered by itself is kept once as long as the answer is the same. */
  function keepAnswerByItself(request: ServerRequest, action: AnsweredInput['action'], answer: string): void {
    const key = `${request.serverId} ${request.kind}`;
    if (answersByItself.get(key) === answer) return;
    deps.onAnswered({ ...request, kind: kindOf(request) }, action, 'before');
    answersByItself.set(key, answer);
  }

  /** The answer without a card, where there is one. */
  function answerWithoutAsking(request: ServerRequest): ServerRequestAnswer | undefined {
    if (closing || request.signal.aborted) return refusalOf(request, 'cancel');
    // The host's own question: a server can neither press for it nor be kept from it.
    if (request.kind === 'signIn') return undefined;
    if (deps.questions.blocked(request.serverId)) {
      keepAnswerByItself(request, 'decline', '');
      return { ...refusalOf(request, 'decline'), note: 'A question of the server was declined: you have blocked its questions.' };
    }
    if (request.kind === 'roots') {
      const told = deps.folders.told(request.serverId);
      if (told !== undefined) {
        keepAnswerByItself(request, 'accept', JSON.stringify(told));
        return { kind: 'result', result: deps.folders.rootsOf(told) };
      }
    }
    return undefined;
  }

  /** Shows a card. */
  function show(entry: Waiting, signal: AbortSignal): void {
    const { input } = entry;
    waiting.set(input.id, entry);
    signal.addEventListener('abort', () => close(entry, 'cancel', refusalOf(entry.request, 'cancel')), { once: true });
    if (input.callId) deps.onWait(input.callId, input.id);
    deps.events.approvals({ type: 'input.added', input });
  }

  return {
    askAboutModel({ conversationId, modelGuard, signal }) {
      return new Promise((settle) => {
        if (closing || signal.aborted) return settle('stop');
        const input: InputRequest = {
          id: deps.ids() as InputId,
          kind: 'modelGuard',
          serverName: modelGuard.model.provider,
          ...(conversationId === undefined ? {} : { conversationId }),
          message: { text: '', length: 0 },
          modelGuard,
          createdAt: deps.clock.now(),
        };
        const answers = { accept: 'send', decline: 'leaveOut', cancel: 'stop' } as const;
        const question: Question = { shown: { message: input.message }, accept: async () => ({ kind: 'result', result: {} }) };
        show({ input, request: undefined, question, busy: false, settle: (_answer, action) => settle(answers[action]) }, signal);
        deps.notify({ title: 'Maitre asks', body: `Something secret would be sent to ${inOneLine(modelGuard.model.provider)}.` });
      });
    },

    async ask(request) {
      const atOnce = answerWithoutAsking(request);
      if (atOnce) return atOnce;
      let question: Question;
      try {
        question = questionOf(request);
        if (Buffer.byteLength(JSON.stringify(question.shown)) > maxQuestion)
          refuse('invalidInput', 'The request is too large to be shown to a person as a whole.');
      } catch (error) {
        if (!(error instanceof Refusal)) throw error;
        const note = `A question of the server was not shown. ${error.message}`;
        return error.failure.code === 'invalidInput'
          ? { kind: 'refused', message: error.message, note }
          : { ...refusalOf(request, 'decline'), note };
      }
      if (request.kind !== 'signIn' && !deps.limits.mayAsk(request.serverId)) {
        const note = `A question of the server was declined: it asked more than ${maxPerMinute} in a minute.`;
        return { ...refusalOf(request, 'decline'), note };
      }
      const input: InputRequest = {
        id: deps.ids() as InputId,
        kind: kindOf(request),
        serverId: request.serverId,
        serverName: request.serverName,
        ...(request.conversationId === undefined ? {} : { conversationId: request.conversationId }),
        ...(request.callId === undefined ? {} : { callId: request.callId }),
        ...question.shown,
        ...(request.round === undefined ? {} : { round: request.round }),
        ...(request.earlier === undefined || request.earlier.length === 0 ? {} : { earlier: [...request.earlier] }),
        createdAt: deps.clock.now(),
      };
      return new Promise((settle) => {
        const entry: Waiting = { input, request, question, busy: false, settle };
        show(entry, request.signal);
        if (request.kind === 'page')
          void request.completed?.then(() => close(entry, 'accept', { kind: 'result', result: { action: 'accept' } }));
        deps.notify({ title: 'Maitre asks', body: `${inOneLine(request.serverName)} needs an answer from you.` });
      });
    },

    async answer(id, answer) {
      const entry = waiting.get(id);
      if (!entry)
        return refuse(
          answered.has(id) ? 'alreadyAnswered' : 'notFound',
          'This question was answered before, or its server has given it up.',
        );
      if (answer.action !== 'accept') {
        deps.onAnswered(entry.input, answer.action);
        if (answer.action === 'decline') {
          if (answer.block === true && entry.request) deps.questions.block(entry.request.serverId);
          // No is a choice of folders too: nobody is asked again at every start.
          if (entry.request?.kind === 'roots') deps.folders.choose(entry.request.serverId, []);
        }
        close(entry, answer.action, refusalOf(entry.request, answer.action));
        if (answer.action === 'decline' && answer.block === true && entry.request)
          for (const other of [...waiting.values()])
            if (other.request?.serverId === entry.request.serverId) {
              deps.onAnswered(other.input, 'decline', 'before');
              close(other, 'decline', refusalOf(other.request, 'decline'));
            }
        return undefined;
      }
      if (answer.stage !== entry.input.stage || entry.busy || entry.input.stage === 'working')
        refuse('alreadyAnswered', 'This question was answered before. Look at it again.');
      entry.busy = true;
      const asked = entry.input;
      const how = isEdited(answer, asked) ? 'edited' : undefined;
      try {
        const next = await entry.question.accept(answer, cardOf(entry));
        // Behind it: what does not fit the form is no answer.
        deps.onAnswered(asked, 'accept', how);
        if ('stage' in next) {
          change(entry, { ...entry.input, stage: next.stage });
        } else if (!close(entry, 'accept', next))
          refuse('alreadyAnswered', 'This question was answered before, or its server has given it up.');
      } finally {
        entry.busy = false;
      }
      return undefined;
    },

    list: () => [...waiting.values()].map((entry) => entry.input),

    close() {
      closing = true;
      for (const entry of [...waiting.values()]) close(entry, 'cancel', refusalOf(entry.request, 'cancel'));
    },
  };
}

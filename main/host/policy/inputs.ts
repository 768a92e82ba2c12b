import type { CallId, ConversationId, FolderId, InputId, ServerId } from '../../../preload/contract/ids.ts';
import type { AnsweredInput, InputAnswer, InputRequest, InputStage } from '../../../preload/contract/policy.ts';
import type { ServerRequest, ServerRequestAnswer } from '../mcp/callTool.ts';
import type { Clock, Ids, Notification } from '../ports.ts';
import type { Events } from '../events.ts';
import { messageOf, Refusal, refuse } from '../refusal.ts';
import { inOneLine } from '../tools/plainText.ts';
import type { PreparedSampling } from '../turn/sample.ts';
import type { Jobs } from '../workers/jobs.ts';
import { JobOverran, type WorkerPool } from '../workers/pool.ts';
import { maxPerMinute, type QuestionLimits } from './questionLimits.ts';
import { type Field, fieldProblems, patternsOf, readForm, secretFields } from './requestedForm.ts';
import { shownUrl } from './shownUrl.ts';

/** Bytes of a whole question: a card must fit a message of the bridge. */
const maxQuestion = 700_000;
/** Longest text of a server that is shown on a card, in characters; what is longer is cut and says so. */
const maxShown = 20_000;
const maxSummary = 200;
const patternMs = 250;
const keptAnswers = 1000;

export interface InputsDeps {
  events: Events;
  clock: Clock;
  ids: Ids;
  pool: WorkerPool;
  limits: QuestionLimits;
  /** Reads a sampling request. Refuses with a sentence what cannot be answered. */
  prepareSampling(params: Record<string, unknown>, conversationId: ConversationId | undefined): PreparedSampling;
  /** Which turn a call belongs to, as a key for budgets. */
  turnOf(callId: CallId | undefined): string;
  folders: {
    /** What the server is told without a question: the folders chosen for it. Undefined while nobody has chosen. */
    told(serverId: ServerId): string[] | undefined;
    /** Keeps the choice. */
    choose(serverId: ServerId, folderIds: readonly FolderId[]): string[];
    suggested(serverId: ServerId): { id: FolderId; path: string }[];
    rootsOf(paths: readonly string[]): Record<string, unknown>;
  };
  questions: { blocked(serverId: ServerId): boolean; block(serverId: ServerId): void };
  /** Hosts that the person has reason to trust: that of the server's own address. */
  knownHosts(serverId: ServerId): string[];
  openUrl(url: string): Promise<void>;
  notify(notification: Notification): void;
  /** The call waits for the person from now on, and goes on. */
  onWait(callId: CallId, inputId: InputId): void;
  onGoOn(callId: CallId): void;
}

/** What servers ask of the user: shown as cards, never answered by itself, each answered exactly once, with a window or without. */
export interface Inputs {
  ask(request: ServerRequest): Promise<ServerRequestAnswer>;
  /**
   * Refuses with `notFound`, `alreadyAnswered`, or `invalidInput` when the form does not fit (`fields` says where; the card stays).
   * The first answer to a stage wins.
   */
  answer(id: InputId, answer: InputAnswer): Promise<void>;
  list(): InputRequest[];
  /** Answers whatever waits: elicitations are cancelled, the rest is declined. The host is closing. */
  close(): void;
}

type Accept = Extract<InputAnswer, { action: 'accept' }>;

/** What is asked, read and checked; with what accepting it does. */
interface Question {
  shown: Pick<InputRequest, 'message' | 'schema' | 'secretFields' | 'url' | 'shownUrl' | 'sampling' | 'suggestedFolders' | 'signIn'>;
  /** Refuses what cannot be accepted as it is. Returns the stage that follows, or the answer for the server. */
  accept(answer: Accept, entry: Waiting): Promise<{ stage: InputStage } | ServerRequestAnswer>;
  /** The question is over: what was begun for it stops. */
  ended?(): void;
}

interface Waiting {
  input: InputRequest;
  request: ServerRequest;
  question: Question;
  /** An answer is being carried out; another one comes too late. */
  busy: boolean;
  settle(answer: ServerRequestAnswer): void;
}

const shortened = (text: string) => {
  const cut = text.length > maxShown ? `${text.slice(0, maxShown).toWellFormed()}\n[cut: ${text.length - maxShown} more characters]` : text;
  return { text: cut, length: cut.length };
};

const kindOf = ({ kind }: ServerRequest): InputRequest['kind'] => (kind === 'page' ? 'elicitation' : kind);
const isElicitation = (request: ServerRequest): boolean => kindOf(request) === 'elicitation';

/** What a server hears when the question was not accepted. */
const refusalOf = (request: ServerRequest, action: 'decline' | 'cancel'): ServerRequestAnswer =>
  isElicitation(request) ? { kind: 'result', result: { action } } : { kind: 'declined' };

export function createInputs(deps: InputsDeps): Inputs {
  const waiting = new Map<InputId, Waiting>();
  /** The newest that were answered: a late answer to one is told so. */
  const answered = new Set<InputId>();
  /** Servers whose results of sampling go out without a second look, by chat. In memory: a new start asks anew. */
  const waived = new Set<string>();
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
    request.earlier?.push({ kind: kindOf(request), round: request.round ?? 1, message: input.message.text.slice(0, maxSummary), action });
    deps.events.approvals({ type: 'input.closed', inputId: input.id });
    const more = [...waiting.values()].find((other) => other.input.callId === input.callId);
    if (request.callId && !more) deps.onGoOn(request.callId);
    entry.question.ended?.();
    entry.settle(answer);
    return true;
  }

  function change(entry: Waiting, change: Partial<InputRequest>): void {
    entry.input = { ...entry.input, ...change };
    deps.events.approvals({ type: 'input.changed', input: entry.input });
  }

  /** Refuses what breaks a rule of the protocol: it is answered with an error, and nobody sees it. */
  function questionOf(request: ServerRequest): Question {
    switch (request.kind) {
      case 'elicitation':
        return formQuestion(request.message, request.schema);
      case 'page':
        return pageQuestion(request);
      case 'sampling':
        return samplingQuestion(request);
      case 'signIn':
        return { shown: { message: shortened(''), signIn: request.signIn }, accept: async () => ({ kind: 'result', result: {} }) };
      case 'roots':
        return {
          shown: { message: shortened(''), suggestedFolders: deps.folders.suggested(request.serverId) },
          accept: async ({ content }) => {
            const paths = deps.folders.choose(request.serverId, folderIdsOf(content ?? {}));
            return { kind: 'result', result: deps.folders.rootsOf(paths) };
          },
        };
    }
  }

  function formQuestion(message: string, schema: Record<string, unknown>): Question {
    const form = readForm(schema);
    if (!form.ok) return refuse('invalidInput', form.reason);
    const secrets = secretFields(form.fields);
    return {
      shown: { message: shortened(message), schema: JSON.stringify(schema), ...(secrets.length === 0 ? {} : { secretFields: secrets }) },
      accept: async ({ content = {} }) => {
        await checkForm(form.fields, content);
        return { kind: 'result', result: { action: 'accept', content } };
      },
    };
  }

  /** The patterns are the server's: one that runs away must not keep the person from an answer in words. */
  async function checkPatterns(schema: Record<string, unknown>, value: unknown): Promise<Jobs['validate']['output']> {
    try {
      return await deps.pool.run('validate', { schema, value }, { timeoutMs: patternMs });
    } catch (error) {
      if (error instanceof JobOverran) return { valid: 'unusableSchema', reason: 'A pattern of the server takes too long to check.' };
      throw error;
    }
  }

  async function checkForm(fields: readonly Field[], content: Readonly<Record<string, unknown>>): Promise<void> {
    const problems = fieldProblems(fields, content);
    const patterns = problems.length === 0 ? patternsOf(fields, content) : undefined;
    if (patterns) {
      const result = await checkPatterns(patterns, content);
      if (result.valid === 'unusableSchema')
        refuse('invalidInput', 'The server sent a form that cannot be checked. You can only decline it.', { detail: result.reason });
      if (result.valid === false) {
        const names = fields
          .map(({ name }) => name)
          .filter((name) => result.errors.some((error) => error.startsWith(`/${escaped(name)}:`)));
        problems.push(...names.map((name) => ({ name, message: 'This is not written as the server wants it.' })));
        if (names.length === 0)
          refuse('invalidInput', 'The form is not filled in as the server asks.', { detail: result.errors.join('\n') });
      }
    }
    if (problems.length > 0)
      refuse('invalidInput', 'The form is not filled in as the server asks. Nothing was sent.', {
        detail: problems.map(({ name, message }) => `${name}: ${message}`).join('\n'),
        fields: problems,
      });
  }

  async function openPage(url: string): Promise<void> {
    try {
      await deps.openUrl(url);
    } catch (error) {
      refuse('unsupported', 'The browser could not be opened. Try again.', { detail: messageOf(error) });
    }
  }

  function pageQuestion(request: Extract<ServerRequest, { kind: 'page' }>): Question {
    const page = shownUrl(request.url, deps.knownHosts(request.serverId));
    if (!page.ok) return refuse('invalidInput', page.reason);
    const done: ServerRequestAnswer = { kind: 'result', result: { action: 'accept' } };
    return {
      shown: { message: shortened(request.message), url: page.url, shownUrl: page.shown },
      accept: async ({ stage }) => {
        if (stage === 'opened') return done;
        await openPage(page.url);
        return request.until === 'opened' ? done : { stage: 'opened' };
      },
    };
  }

  function samplingQuestion(request: Extract<ServerRequest, { kind: 'sampling' }>): Question {
    const turn = deps.turnOf(request.callId);
    const left = deps.limits.samplingLeft(request.serverId, turn);
    const prepared = deps.prepareSampling(request.params, request.conversationId);
    const needed = prepared.view.inputTokens + prepared.view.maxTokens;
    if (left.requests === 0 || needed > left.tokens)
      return refuse(
        'notAllowed',
        `"${request.serverName}" has used up what one server may ask of your model in one answer, so its request was declined.`,
      );
    const shown = { ...prepared.view, budgetLeft: left.tokens };
    const waiver = `${request.serverId} ${request.conversationId ?? ''}`;
    let result: Record<string, unknown> | undefined;
    const over = new AbortController();

    /** Runs on its own: the command that accepted is answered at once. */
    async function work(entry: Waiting): Promise<void> {
      try {
        const sampled = await prepared.run(AbortSignal.any([request.signal, over.signal]));
        deps.limits.countSampling(request.serverId, turn, sampled.tokens);
        result = sampled.result;
        if (waived.has(waiver)) close(entry, 'accept', { kind: 'result', result });
        else if (waiting.has(entry.input.id)) change(entry, { stage: 'result', sampling: { ...shown, result: sampled.shown } });
      } catch (error) {
        if (!waiting.has(entry.input.id)) return;
        const { stage: _stage, ...first } = entry.input;
        entry.input = { ...first, sampling: { ...shown, problem: messageOf(error) } };
        deps.events.approvals({ type: 'input.changed', input: entry.input });
      }
    }
    return {
      shown: { message: shortened(''), sampling: shown },
      ended: () => over.abort(new Error('The question is over.')),
      accept: async ({ stage, waiveResult }, entry) => {
        if (waiveResult === true) waived.add(waiver);
        if (stage === 'result' && result !== undefined) return { kind: 'result', result };
        // After the stage was told, so that the result never comes before it.
        queueMicrotask(() => void work(entry));
        return { stage: 'working' };
      },
    };
  }

  /** The answer without a card, where there is one. */
  function answerWithoutAsking(request: ServerRequest): ServerRequestAnswer | undefined {
    if (closing || request.signal.aborted) return refusalOf(request, 'cancel');
    // The host's own question: a server can neither press for it nor be kept from it.
    if (request.kind === 'signIn') return undefined;
    if (deps.questions.blocked(request.serverId))
      return { ...refusalOf(request, 'decline'), note: 'A question of the server was declined: you have blocked its questions.' };
    if (request.kind === 'roots') {
      const told = deps.folders.told(request.serverId);
      if (told !== undefined) return { kind: 'result', result: deps.folders.rootsOf(told) };
    }
    return undefined;
  }

  return {
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
        waiting.set(input.id, entry);
        request.signal.addEventListener('abort', () => close(entry, 'cancel', refusalOf(request, 'cancel')), { once: true });
        if (request.kind === 'page')
          void request.completed?.then(() => close(entry, 'accept', { kind: 'result', result: { action: 'accept' } }));
        if (request.callId) deps.onWait(request.callId, input.id);
        deps.events.approvals({ type: 'input.added', input });
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
        if (answer.action === 'decline') {
          if (answer.block === true) deps.questions.block(entry.request.serverId);
          // No is a choice of folders too: nobody is asked again at every start.
          if (entry.request.kind === 'roots') deps.folders.choose(entry.request.serverId, []);
        }
        close(entry, answer.action, refusalOf(entry.request, answer.action));
        if (answer.action === 'decline' && answer.block === true)
          for (const other of [...waiting.values()])
            if (other.request.serverId === entry.request.serverId) close(other, 'decline', refusalOf(other.request, 'decline'));
        return undefined;
      }
      if (answer.stage !== entry.input.stage || entry.busy || entry.input.stage === 'working')
        refuse('alreadyAnswered', 'This question was answered before. Look at it again.');
      entry.busy = true;
      try {
        const next = await entry.question.accept(answer, entry);
        if ('stage' in next) {
          if (waiting.has(id)) change(entry, { stage: next.stage });
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

/** A name as it stands in a JSON Pointer. */
const escaped = (name: string): string => name.replaceAll('~', '~0').replaceAll('/', '~1');

function folderIdsOf(content: Record<string, unknown>): FolderId[] {
  const ids = content['folderIds'];
  if (!Array.isArray(ids) || !ids.every((id) => typeof id === 'string'))
    return refuse('invalidInput', 'Pick the folders that the server may know of.');
  return ids as FolderId[];
}

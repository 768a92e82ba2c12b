import type { CallId, ConversationId, FolderId, ServerId } from '../../../preload/contract/ids.ts';
import type { InputAnswer, InputRequest, InputStage, SamplingView } from '../../../preload/contract/policy.ts';
import type { ServerRequest, ServerRequestAnswer } from '../mcp/callTool.ts';
import { messageOf, refuse } from '../refusal.ts';
import type { PreparedSampling } from '../turn/sample.ts';
import type { Jobs } from '../workers/jobs.ts';
import { JobOverran, type WorkerPool } from '../workers/pool.ts';
import type { QuestionLimits } from './questionLimits.ts';
import { type Field, fieldProblems, patternsOf, readForm, secretFields } from './requestedForm.ts';
import type { SamplingWaivers } from './samplingWaivers.ts';
import { shownUrl } from './shownUrl.ts';

/** Longest text of a server that is shown on a card, in characters; what is longer is cut and says so. */
const maxShown = 20_000;
const patternMs = 250;

export interface QuestionsDeps {
  pool: WorkerPool;
  limits: QuestionLimits;
  /** Reads a sampling request. Refuses with a sentence what cannot be answered. */
  prepareSampling(params: Record<string, unknown>, conversationId: ConversationId | undefined): PreparedSampling;
  waivers: Pick<SamplingWaivers, 'has' | 'add'>;
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
  /** Hosts that the person has reason to trust: that of the server's own address. */
  knownHosts(serverId: ServerId): string[];
  openUrl(url: string): Promise<void>;
}

type Accept = Extract<InputAnswer, { action: 'accept' }>;

/** What is asked, read and checked; with what accepting it does. */
export interface Question {
  shown: Pick<InputRequest, 'message' | 'schema' | 'secretFields' | 'url' | 'shownUrl' | 'sampling' | 'suggestedFolders' | 'signIn'>;
  /** Refuses what cannot be accepted as it is. Returns the stage that follows, or the answer for the server. */
  accept(answer: Accept, card: Card): Promise<{ stage: InputStage } | ServerRequestAnswer>;
  /** The question is over: what was begun for it stops. */
  ended?(): void;
}

/** The card of a question, as what its answer sets off sees it. Nothing happens on one that was answered otherwise meanwhile. */
export interface Card {
  change(next: (input: InputRequest) => InputRequest): void;
  /** The answer for the server. */
  answer(answer: ServerRequestAnswer): void;
}

const shortened = (text: string) => {
  const cut = text.length > maxShown ? `${text.slice(0, maxShown).toWellFormed()}\n[cut: ${text.length - maxShown} more characters]` : text;
  return { text: cut, length: cut.length };
};

/**
 * Reads what a server asks: what is shown of it, and what accepting it does. Refuses with `invalidInput` what breaks a rule of the
 * protocol: the server gets an error, and nobody sees it. Other refusals are a no to the server.
 */
export function createQuestions(deps: QuestionsDeps): (request: ServerRequest) => Question {
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
    const { serverId, conversationId } = request;
    const turn = deps.turnOf(request.callId);
    /** As the server asked, or as the person has changed it. */
    let prepared = deps.prepareSampling(request.params, conversationId);
    const most = ({ view }: PreparedSampling): number => view.inputTokens + view.maxTokens;
    const affordable = (asked: PreparedSampling): boolean => {
      const { requests, tokens } = deps.limits.samplingLeft(serverId, turn);
      return requests > 0 && most(asked) <= tokens;
    };
    const usedUp = `"${request.serverName}" has used up what one server may ask of your model in one answer.`;
    if (!affordable(prepared)) return refuse('notAllowed', usedUp);
    const budgetLeft = deps.limits.samplingLeft(serverId, turn).tokens;
    const shown = (more: Pick<SamplingView, 'result' | 'problem'> = {}): SamplingView => ({ ...prepared.view, budgetLeft, ...more });
    let result: Record<string, unknown> | undefined;
    const over = new AbortController();

    /** Runs on its own: the command that accepted is answered at once. */
    async function work(card: Card): Promise<void> {
      const count = deps.limits.countSampling(serverId, turn, most(prepared));
      try {
        const sampled = await prepared.run(AbortSignal.any([request.signal, over.signal]));
        count(sampled.tokens);
        const { result: answer, shown: blocks } = sampled;
        result = answer;
        if (deps.waivers.has(serverId, conversationId)) card.answer({ kind: 'result', result: answer });
        else card.change((input) => ({ ...input, stage: 'result', sampling: shown({ result: blocks }) }));
      } catch (error) {
        // What went out is paid for, whatever came of it.
        count(prepared.view.inputTokens);
        card.change(({ stage: _stage, ...input }) => ({ ...input, sampling: shown({ problem: messageOf(error) }) }));
      }
    }
    return {
      shown: { message: shortened(''), sampling: shown() },
      ended: () => over.abort(new Error('The question is over.')),
      accept: async (answer, card) => {
        if (answer.stage === 'result' && result !== undefined) {
          const edited = prepared.editResult(result, answer.editedResult ?? []);
          if (answer.waiveResult === true) deps.waivers.add(serverId, conversationId);
          return { kind: 'result', result: edited };
        }
        const asked = prepared.edit(answer.editedSystemPrompt, answer.editedMessages ?? []);
        // Several may have been asked beside each other, and what the person wrote may be longer.
        if (!affordable(asked)) return refuse('notAllowed', usedUp);
        if (answer.waiveResult === true) deps.waivers.add(serverId, conversationId);
        prepared = asked;
        card.change((input) => ({ ...input, sampling: shown() }));
        // After the stage was told, so that the result never comes before it.
        setImmediate(() => void work(card));
        return { stage: 'working' };
      },
    };
  }

  return function questionOf(request) {
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

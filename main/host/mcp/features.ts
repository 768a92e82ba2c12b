import { isRecord } from './rawResults.ts';
import { type RequestContext, type RequestOutcome, runRequest } from './runRequest.ts';
import type { TaskCall } from './tasks.ts';
import type { ReadCache } from './readCache.ts';

/** What came of a request for a resource, a prompt or a completion. `message` is a sentence for the person. */
export type FeatureAnswer<Value> =
  | { kind: 'ok'; value: Value }
  /** The server has no such resource or prompt (any more). */
  | { kind: 'notFound'; message: string }
  | { kind: 'failed'; message: string; detail?: string | undefined }
  | { kind: 'cancelled' };

/** Contents of one read (MCP `ReadResourceResult`), as they came: there may be several, under other addresses than the one asked for. */
export interface ResourceContents {
  contents: unknown[];
}

/** A prompt as the server expands it (MCP `GetPromptResult`), not yet shaped. */
export interface ExpandedPrompt {
  description?: string | undefined;
  messages: { role: 'user' | 'assistant'; content: unknown }[];
}

export interface Completion {
  /** At most 100. */
  values: string[];
  total?: number | undefined;
  hasMore: boolean;
}

export type CompletionRef = { type: 'ref/prompt'; name: string } | { type: 'ref/resource'; uri: string };

/** Who waits for the answer. `call`: the model's call that it serves. */
export interface Asker {
  signal: AbortSignal;
  call?: TaskCall | undefined;
}

/** Resources, prompts and completion of one connected server. Never throws. */
export interface Features {
  readResource(uri: string, asker: Asker): Promise<FeatureAnswer<ResourceContents>>;
  getPrompt(name: string, values: Record<string, string>, asker: Asker): Promise<FeatureAnswer<ExpandedPrompt>>;
  complete(
    ref: CompletionRef,
    argument: { name: string; value: string },
    context: Record<string, string>,
    asker: Asker,
  ): Promise<FeatureAnswer<Completion>>;
}

const maxCompletions = 100;
const maxPromptMessages = 200;
/** A keystroke waits for it, in milliseconds. */
const completeMs = 5000;
const methodNotFound = -32601;
/** Invalid params, which is also "not found" since 2026-07-28, and the code of before. */
const notFoundCodes = [-32602, -32002];

export function createFeatures(context: () => RequestContext & { version: string }, timeoutMs: () => number, cache: ReadCache): Features {
  const request = (method: string, params: Record<string, unknown>, { signal, call }: Asker, ms = timeoutMs()) =>
    runRequest(context(), { method, params, signal, call, mayHaveEffect: false }, ms);

  const failure = (outcome: Exclude<RequestOutcome, { kind: 'answer' }>, thing: string, asked: string): FeatureAnswer<never> => {
    const { name } = context();
    if (outcome.kind === 'cancelled') return outcome;
    if (outcome.kind === 'protocolError' && notFoundCodes.includes(outcome.code))
      return {
        kind: 'notFound',
        message: `"${name}" has no ${thing} ${asked}, or refuses it as asked for. It says: ${outcome.rpcMessage}`,
      };
    if (outcome.kind === 'protocolError' && outcome.code === methodNotFound)
      return { kind: 'failed', message: `"${name}" offers no ${thing}s.` };
    if (outcome.kind === 'protocolError') return { kind: 'failed', message: outcome.message, detail: outcome.rpcMessage };
    return { kind: 'failed', message: outcome.message, ...('detail' in outcome ? { detail: outcome.detail } : {}) };
  };
  const unreadable = (why: string): FeatureAnswer<never> => ({
    kind: 'failed',
    message: `"${context().name}" answered with a result that cannot be read: ${why}.`,
  });

  return {
    async readResource(uri, asker) {
      const known = cache.read('resources/read', uri);
      const asOf = cache.asOf();
      const outcome: RequestOutcome = known
        ? { kind: 'answer', result: known, afterInput: false }
        : await request('resources/read', { uri }, asker);
      if (outcome.kind !== 'answer') return failure(outcome, 'resource', uri);
      const { contents } = outcome.result;
      if (!Array.isArray(contents)) return unreadable('its "contents" are no list');
      if (!known && !outcome.afterInput) cache.keep('resources/read', uri, outcome.result, asOf);
      return { kind: 'ok', value: { contents } };
    },

    async getPrompt(name, values, asker) {
      const outcome = await request('prompts/get', { name, arguments: values }, asker);
      if (outcome.kind !== 'answer') return failure(outcome, 'prompt', name);
      const { description, messages } = outcome.result;
      if (!Array.isArray(messages)) return unreadable('its "messages" are no list');
      return {
        kind: 'ok',
        value: {
          ...(typeof description === 'string' ? { description } : {}),
          messages: messages.slice(0, maxPromptMessages).map((message: unknown) => ({
            // Whatever is no message of the assistant counts as the person's: that is where a prompt goes.
            role: isRecord(message) && message['role'] === 'assistant' ? ('assistant' as const) : ('user' as const),
            content: isRecord(message) ? message['content'] : message,
          })),
        },
      };
    },

    async complete(ref, argument, given, asker) {
      const { client, version } = context();
      const none: FeatureAnswer<Completion> = { kind: 'ok', value: { values: [], hasMore: false } };
      // The capability exists since 2025-03-26; before, a server is asked and may refuse.
      if (version >= '2025-03-26' && client.getServerCapabilities()?.completions === undefined) return none;
      const params = {
        ref,
        argument,
        ...(Object.keys(given).length > 0 && version >= '2025-06-18' ? { context: { arguments: given } } : {}),
      };
      const outcome = await request('completion/complete', params, asker, completeMs);
      if (outcome.kind === 'protocolError' && outcome.code === methodNotFound) return none;
      if (outcome.kind !== 'answer') return failure(outcome, 'completion', 'for this');
      const { completion } = outcome.result;
      if (!isRecord(completion) || !Array.isArray(completion['values']))
        return unreadable('it has no "completion" with a list of "values"');
      const all = completion['values'].filter((value): value is string => typeof value === 'string');
      const total = completion['total'];
      return {
        kind: 'ok',
        value: {
          values: all.slice(0, maxCompletions),
          ...(typeof total === 'number' && Number.isSafeInteger(total) && total >= 0 ? { total } : {}),
          hasMore: completion['hasMore'] === true || all.length > maxCompletions,
        },
      };
    },
  };
}

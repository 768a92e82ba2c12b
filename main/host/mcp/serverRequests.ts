import { type Client, ProtocolError, ProtocolErrorCode, SdkError, SdkErrorCode } from '@modelcontextprotocol/client';
import { z } from 'zod';
import type { CallId, ConversationId, ServerId } from '../../../preload/contract/ids.ts';
import type { Log } from '../ports.ts';
import { messageOf } from '../refusal.ts';
import type { AnswerServerRequest, AnsweredQuestions, DeclaredFeatures, ServerRequest, ServerRequestAnswer } from './callTool.ts';
import type { CallClock } from './callClock.ts';
import { isDeclared } from './declaredFeatures.ts';
import { callMetaKey, isRecord, methodsMetaKey } from './rawResults.ts';
import type { ServerLog } from './serverLog.ts';
import { answerPages } from './urlElicitation.ts';

/** A call that is under way, as the requests of its server need it. */
export interface RunningCall {
  callId: CallId;
  conversationId: ConversationId;
  /** Set while the result of a task is waited for (2025-11-25). */
  taskId?: string | undefined;
  clock: CallClock;
  /** Aborted when the call is stopped or timed out: nobody waits for what its server asked. */
  signal: AbortSignal;
}

/** Code of the refusal of a person, as the specification writes it for sampling (2025-11-25). */
const declinedCode = -1;
/** `data` of that refusal: in 2026-07-28 it comes back to our own call. A symbol, so that it is never sent and no server can send it. */
export const declined = Symbol('declined by the user');
/** `data` of the refusal of a request that breaks a rule. */
export const refused = Symbol('refused');

/** Names in `_meta` of a request the task that it serves (2025-11-25 "Tasks"). */
const relatedTaskKey = 'io.modelcontextprotocol/related-task';

const anyParams = z.record(z.string(), z.unknown());
const elicitParams = z.looseObject({
  message: z.string(),
  mode: z.string().optional(),
  url: z.string().optional(),
  requestedSchema: z.record(z.string(), z.unknown()).optional(),
});

export type Asked =
  | { kind: 'elicitation'; message: string; schema: Record<string, unknown> }
  | { kind: 'page'; message: string; url: string; until: 'opened' | 'done'; completed?: Promise<void> | undefined }
  | { kind: 'sampling'; params: Record<string, unknown> }
  | { kind: 'roots' };

/** What one call has been asked so far. */
interface Questions {
  open: number;
  round: number;
  earlier: AnsweredQuestions;
}

export interface ServerRequestsOptions {
  serverId: ServerId;
  serverName(): string;
  declared: DeclaredFeatures;
  answer: AnswerServerRequest;
  running: ReadonlyMap<string, RunningCall>;
  log: Log;
  serverLog: ServerLog;
}

const methodOf = { 'elicitation/create': 'elicitation', 'sampling/createMessage': 'sampling', 'roots/list': 'roots' } as const;

/**
 * Has every request of the server answered exactly once: requests of their own in 2025-11-25 and before, input requests inside
 * a result in 2026-07-28. Malformed ones and modes that were not declared are refused by the client with -32602.
 */
export function answerServerRequests(client: Client, options: ServerRequestsOptions): void {
  const { running, declared } = options;
  const questionsOf = new WeakMap<RunningCall, Questions>();
  const isModern = (): boolean => client.getProtocolEra() === 'modern';

  const callOf = (meta: unknown): RunningCall | undefined => {
    if (isModern()) {
      const id = isRecord(meta) ? meta[callMetaKey] : undefined;
      return typeof id === 'string' ? running.get(id) : undefined;
    }
    const calls = [...running.values()];
    const related = isRecord(meta) ? meta[relatedTaskKey] : undefined;
    if (isRecord(related)) return calls.find(({ taskId }) => taskId !== undefined && taskId === related['taskId']);
    // Before 2026-07-28 a request names the task that it serves, but no call.
    const plain = calls.filter(({ taskId }) => taskId === undefined);
    const [only, ...others] = plain.length > 0 ? plain : calls;
    return others.length === 0 ? only : undefined;
  };

  /** A round is asked whole or not at all. */
  const refuseUndeclared = (meta: unknown): void => {
    const methods: unknown = isModern() && isRecord(meta) ? meta[methodsMetaKey] : undefined;
    if (!Array.isArray(methods)) return;
    for (const method of methods) {
      const kind = typeof method === 'string' && Object.hasOwn(methodOf, method) ? methodOf[method as keyof typeof methodOf] : undefined;
      if (kind === undefined || !isDeclared(declared, kind, 'modern'))
        throw new SdkError(SdkErrorCode.CapabilityNotSupported, `The server asked for ${String(method)}, which was not offered to it.`);
    }
  };

  const ask = async (asked: Asked, call: RunningCall | undefined, signal: AbortSignal): Promise<ServerRequestAnswer> => {
    const waiting = call ? [call] : [...running.values()];
    const questions = call && (questionsOf.get(call) ?? { open: 0, round: 0, earlier: [] });
    if (call && questions) {
      questionsOf.set(call, questions);
      if (questions.open === 0) questions.round += 1;
      questions.open += 1;
    }
    const request: ServerRequest = {
      ...asked,
      serverId: options.serverId,
      serverName: options.serverName(),
      ...(call ? { callId: call.callId, conversationId: call.conversationId } : {}),
      ...(questions ? { round: questions.round, earlier: questions.earlier } : {}),
      signal: call ? AbortSignal.any([signal, call.signal]) : signal,
    };
    for (const each of waiting) each.clock.pause();
    try {
      const answer = await options.answer(request);
      if (answer.note !== undefined) options.serverLog.add('host', answer.note);
      return answer;
    } catch (error) {
      options.log.error('A request of a server could not be answered.', {
        serverId: options.serverId,
        kind: asked.kind,
        error: messageOf(error),
      });
      throw new ProtocolError(ProtocolErrorCode.InternalError, 'The request could not be answered.');
    } finally {
      if (questions) questions.open -= 1;
      for (const each of waiting) each.clock.resume();
    }
  };

  const answered = async (
    asked: Asked,
    context: { signal: AbortSignal; _meta?: unknown },
    /** What the era has for a no: a result, or the text of an error. */
    refusal: Record<string, unknown> | string,
  ): Promise<Record<string, unknown>> => {
    refuseUndeclared(context._meta);
    const answer = await ask(asked, callOf(context._meta), context.signal);
    if (answer.kind === 'result') return answer.result;
    if (answer.kind === 'refused') throw new ProtocolError(ProtocolErrorCode.InvalidParams, answer.message, refused);
    if (typeof refusal !== 'string') return refusal;
    throw new ProtocolError(declinedCode, refusal, declined);
  };

  if (declared.elicitation) {
    // The client lets only declared modes pass, and takes a missing mode for a form.
    client.setRequestHandler('elicitation/create', { params: elicitParams }, async (params, { mcpReq }) => ({
      action: 'cancel',
      ...(await answered(elicitationOf(params, isModern() ? 'done' : 'opened'), mcpReq, { action: 'decline' })),
    }));
  }
  if (declared.sampling) {
    client.setRequestHandler('sampling/createMessage', { params: anyParams }, (params, { mcpReq }) =>
      answered({ kind: 'sampling', params }, mcpReq, 'The user rejected the sampling request.'),
    );
  }
  if (declared.roots) {
    client.setRequestHandler('roots/list', { params: anyParams }, (_params, { mcpReq }) =>
      answered({ kind: 'roots' }, mcpReq, 'The user does not share folders.'),
    );
  }

  answerPages(client, {
    askPage: (page, callId, signal) =>
      ask({ kind: 'page', ...page, until: 'done' }, callId === undefined ? undefined : running.get(callId), signal),
    declined: () => new ProtocolError(declinedCode, 'The user did not open the page.', declined),
    refused: (message) => new ProtocolError(ProtocolErrorCode.InvalidParams, message, refused),
  });
}

function elicitationOf(params: z.infer<typeof elicitParams>, until: 'opened' | 'done'): Asked {
  const { message, mode, url, requestedSchema } = params;
  if (mode === 'url' && url !== undefined) return { kind: 'page', message, url, until };
  if (mode !== 'url' && requestedSchema !== undefined) return { kind: 'elicitation', message, schema: requestedSchema };
  throw new ProtocolError(ProtocolErrorCode.InvalidParams, 'The request holds neither a form nor the address of a page.', refused);
}

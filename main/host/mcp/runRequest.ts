import { randomUUID } from 'node:crypto';
import { type Client, MissingRequiredClientCapabilityError, ProtocolError, SdkError, SdkErrorCode } from '@modelcontextprotocol/client';
import type { CallProgress } from '../../../preload/contract/tasks.ts';
import type { CallId, ConversationId } from '../../../preload/contract/ids.ts';
import type { ServerFailure } from '../../../preload/contract/servers.ts';
import type { Clock } from '../ports.ts';
import { maxNesting } from '../nesting.ts';
import { AuthFailure } from '../auth/authFailure.ts';
import { messageOf } from '../refusal.ts';
import { callClock } from './callClock.ts';
import type { ToolCallOutcome } from './callTool.ts';
import { detailOf, httpStatusOf, networkErrorOf, seconds } from './failures.ts';
import { neverMs } from './callClock.ts';
import { afterInput, callOfRequest, lostAnswer, rawResultOf, rawResultSchema, tooDeep } from './rawResults.ts';
import { noMessage, noMessageInStream, problemOfAnswer } from './messageProblem.ts';
import { TooBusy } from './retryAfter.ts';
import { declined, refused, type RunningCall } from './serverRequests.ts';
import { SessionLost } from './watchedFetch.ts';
import { operationOfRequest } from './traceContext.ts';
import { afterPages } from './urlElicitation.ts';

/** What requests need of their connection. */
export interface RequestContext {
  client: Client;
  name: string;
  clock: Clock;
  running: Map<string, RunningCall>;
  /** How the connection ended, if it has; undefined inside when we closed it. */
  endNow(): { failure: ServerFailure | undefined } | undefined;
  ended: Promise<unknown>;
  isProgram: boolean;
  /** How often the server has sent something that is no message, or answers no request that waits. */
  strange(): number;
}

/** One request to a server whose answer is kept as it came. */
export interface ServerCall {
  method: string;
  params: Record<PropertyKey, unknown>;
  signal: AbortSignal;
  /** The call it serves: what the server asks meanwhile belongs to it. */
  call?: { callId: CallId; conversationId: ConversationId; taskId?: string | undefined } | undefined;
  /** The call that it is about without being it, such as a question about its task. */
  partOf?: CallId | undefined;
  headers?: Record<string, string> | undefined;
  onProgress?: ((progress: CallProgress) => void) | undefined;
  /** Whether an answer that never came leaves open what was done. */
  mayHaveEffect: boolean;
}

export type RequestOutcome =
  /** `afterInput`: what the person said has gone into it. */
  | { kind: 'answer'; result: Record<string, unknown>; afterInput: boolean }
  /** `isNoMessage`: the answer could not even be taken for one. */
  | (Extract<ToolCallOutcome, { kind: 'invalidResult' }> & { isNoMessage?: true })
  | Exclude<ToolCallOutcome, { kind: 'result' | 'detached' | 'invalidResult' }>;

/** What may come of a call whose answer never came. */
const unknownEffect = 'Whether it took effect is not known: look before you repeat it.';
const maxRpcMessage = 2000;
/** The hard limit of a request, in multiples of its time-out. */
const hardTimes = 10;
/** A broken pipe is noticed a little before the end of the program that broke it, in milliseconds. */
const brokenPipeMs = 500;
/** What the client itself reports as progress while it answers a server; it is none. */
const clientsOwnProgress = /^Fulfilling input required by '[a-z/]+' \(round \d+\)$/;

/**
 * Makes one request. The time-out starts again with every progress notice and stands still while the request waits for the person.
 * Stopping and timing out tell the server too: the client sends `notifications/cancelled`, or closes the stream in modern HTTP.
 * Never throws. What comes after the end is ignored.
 */
export async function runRequest(context: RequestContext, request: ServerCall, timeoutMs: number): Promise<RequestOutcome> {
  const { client, name, clock, running } = context;
  if (request.signal.aborted) return { kind: 'cancelled' };
  const { what, effect } = wordsOf(request);
  const strangeBefore = context.strange();
  const meanwhile = () =>
    context.strange() === strangeBefore
      ? ''
      : ' Meanwhile it sent something that answers no request, or is no message at all: look at its messages.';

  const abort = new AbortController();
  let timedOut: 'idle' | 'hard' | undefined;
  const time = callClock(clock, timeoutMs, timeoutMs * hardTimes, (which) => {
    timedOut = which;
    abort.abort(`The ${what} took too long.`);
  });
  const stop = () => abort.abort(`The user stopped the ${what}.`);
  request.signal.addEventListener('abort', stop, { once: true });
  const { call } = request;
  if (call) running.set(call.callId, { ...call, clock: time, signal: abort.signal });

  const aborted = new Promise<never>((_resolve, reject) =>
    abort.signal.addEventListener('abort', () => reject(abort.signal.reason), { once: true }),
  );
  const { onProgress } = request;
  try {
    const operation = call?.callId ?? request.partOf ?? randomUUID();
    const params = { ...request.params, [operationOfRequest]: operation, ...(call && { [callOfRequest]: call.callId }) };
    const send = () =>
      client.request({ method: request.method, params }, rawResultSchema, {
        signal: abort.signal,
        timeout: neverMs,
        ...(request.headers && { headers: request.headers }),
        ...(onProgress && {
          onprogress: ({ progress, total, message }) => {
            if (message !== undefined && clientsOwnProgress.test(message)) return;
            time.progress();
            onProgress({
              progress,
              ...(total === undefined ? {} : { total }),
              ...(message === undefined ? {} : { message: message.slice(0, 2000) }),
            });
          },
        }),
      });
    const answer = afterPages(client, call?.callId, abort.signal, send);
    // While a question of the server waits for the person, the client's own promise does not end with the signal.
    const result = await Promise.race([answer, aborted]);
    return { kind: 'answer', result: rawResultOf(result), afterInput: result[afterInput] === true };
  } catch (error) {
    // The client gives one and the same error for both.
    if (request.signal.aborted) return { kind: 'cancelled' };
    if (timedOut === 'idle') {
      return {
        kind: 'timedOut',
        message: `"${name}" gave no sign of progress for ${seconds(timeoutMs)}, so the ${what} was stopped.${meanwhile()}${effect}`,
      };
    }
    if (timedOut === 'hard') {
      return {
        kind: 'timedOut',
        message: `"${name}" had not finished after ${seconds(timeoutMs * hardTimes)}, so the ${what} was stopped.${meanwhile()}${effect}`,
      };
    }
    return await failureOf(context, request, error);
  } finally {
    time.stop();
    request.signal.removeEventListener('abort', stop);
    if (call) running.delete(call.callId);
  }
}

const wordsOf = ({ mayHaveEffect }: ServerCall): { what: string; effect: string } =>
  mayHaveEffect ? { what: 'call', effect: ` ${unknownEffect}` } : { what: 'request', effect: '' };

function notTaken({ name }: RequestContext, request: ServerCall, problem: string): RequestOutcome {
  const { what, effect } = wordsOf(request);
  return {
    kind: 'invalidResult',
    isNoMessage: true,
    message: `"${name}" answered the ${what} with what is no message of the protocol: ${problem}.${effect}`,
  };
}

async function failureOf(context: RequestContext, request: ServerCall, error: unknown): Promise<RequestOutcome> {
  const { name, clock } = context;
  const { what, effect } = wordsOf(request);
  if (error instanceof ProtocolError) {
    if (error.data === lostAnswer) {
      return { kind: 'unavailable', message: `"${name}" closed the connection before it answered.${effect}` };
    }
    if (error.data === tooDeep) {
      return {
        kind: 'invalidResult',
        message: `"${name}" answered with a result that cannot be read: it is nested deeper than ${maxNesting} levels.`,
      };
    }
    if (error.data === noMessage) return notTaken(context, request, error.message);
    if (error.data === noMessageInStream) {
      return {
        kind: 'invalidResult',
        isNoMessage: true,
        message: `"${name}" closed the connection before it answered, and an event that it sent is no message of the protocol: ${error.message}.${effect}`,
      };
    }
    if (error.data === declined) {
      return { kind: 'declined', message: `"${name}" asked for something that was declined, so the ${what} was given up.` };
    }
    if (error.data === refused) {
      return {
        kind: 'invalidResult',
        message: `"${name}" asked for something that the protocol forbids, so the ${what} was given up.`,
        ...detailOf(error.message),
      };
    }
    if (error instanceof MissingRequiredClientCapabilityError) {
      const wanted = Object.keys(error.requiredCapabilities).join(', ').slice(0, 200);
      return {
        kind: 'invalidResult',
        message: `"${name}" needs something for the ${what} that is not offered to it (${wanted}). The use of your model and your folders can be offered on its page.`,
      };
    }
    return {
      kind: 'protocolError',
      code: error.code,
      rpcMessage: error.message.slice(0, maxRpcMessage).toWellFormed(),
      message: `"${name}" did not carry out the ${what}: it answered with an error of the protocol (code ${error.code}).`,
    };
  }
  if (error instanceof SdkError && (error.code === SdkErrorCode.InvalidResult || error.code === SdkErrorCode.UnsupportedResultType)) {
    const why = problemOfAnswer(error) ?? error.message;
    return { kind: 'invalidResult', message: `"${name}" answered with a result that cannot be read: ${why}.`, ...detailOf(error.message) };
  }
  if (error instanceof SdkError && error.code === SdkErrorCode.InputRequiredRoundsExceeded) {
    return {
      kind: 'invalidResult',
      message: `"${name}" kept on asking for more input without finishing, so the ${what} was given up.`,
      ...detailOf(error.message),
    };
  }
  if (error instanceof SdkError && error.code === SdkErrorCode.CapabilityNotSupported) {
    return {
      kind: 'invalidResult',
      message: `"${name}" asked for something that was not offered to it, so the ${what} was given up.`,
      ...detailOf(error.message),
    };
  }
  const problem = problemOfAnswer(error);
  if (problem !== undefined) return notTaken(context, request, problem);

  if (context.isProgram) {
    if (!context.endNow()) await Promise.race([context.ended, new Promise<void>((resolve) => void clock.after(brokenPipeMs, resolve))]);
    const end = context.endNow();
    if (end?.failure) {
      const running = request.mayHaveEffect
        ? ` The call was running: ${unknownEffect.charAt(0).toLowerCase()}${unknownEffect.slice(1)}`
        : '';
      return { kind: 'exited', message: `${end.failure.message}${running}`, detail: end.failure.detail ?? '' };
    }
  }
  if (error instanceof SessionLost) {
    return {
      kind: 'unavailable',
      notRun: true,
      message: `"${name}" no longer knew this connection, so the ${what} was not carried out.`,
    };
  }
  if (error instanceof AuthFailure) {
    const message = `The ${what} was not carried out. ${error.message}`;
    return error.declined ? { kind: 'declined', message } : { kind: 'unavailable', message, ...detailOf(error.detail) };
  }
  if (error instanceof TooBusy) {
    const when = error.retryAfterMs === undefined ? 'later' : `in ${seconds(error.retryAfterMs)}`;
    return {
      kind: 'unavailable',
      message: `"${name}" takes no more requests at present (HTTP status ${error.status}), so the ${what} was not carried out. Try again ${when}.`,
    };
  }
  const end = context.endNow();
  if (end && !end.failure) return { kind: 'unavailable', message: `"${name}" was stopped while the ${what} was running.${effect}` };
  if (end?.failure) return { kind: 'unavailable', message: `${end.failure.message}${effect}`, ...detailOf(end.failure.detail) };
  const status = httpStatusOf(error);
  if (status === 401)
    return { kind: 'unavailable', message: `"${name}" wants a sign-in before it carries out the ${what} (HTTP status 401).` };
  if (status !== undefined) {
    const refusal = status === 403 ? ' It does not let you do this: ask who runs it, or check the headers in its settings.' : '';
    return {
      kind: 'unavailable',
      // What broke on the way may have been done before.
      message: `"${name}" answered the ${what} with HTTP status ${status}.${status >= 500 ? effect : refusal}`,
      ...detailOf(messageOf(error).slice(0, 2000)),
    };
  }
  return {
    kind: 'unavailable',
    message: `"${name}" could not be reached, or the connection broke during the ${what}.${effect}`,
    ...detailOf(messageOf(networkErrorOf(error) ?? error)),
  };
}

import { type Client, ProtocolError, SdkError, SdkErrorCode } from '@modelcontextprotocol/client';
import type { ServerFailure } from '../../../preload/contract/servers.ts';
import type { Clock } from '../ports.ts';
import { messageOf } from '../refusal.ts';
import type { ToolCallOutcome, ToolCallRequest } from './callTool.ts';
import { callClock } from './callClock.ts';
import { detailOf, httpStatusOf, networkErrorOf, seconds } from './failures.ts';
import { neverMs } from './programHandshake.ts';
import { callOfRequest, lostAnswer, rawResultOf, rawResultSchema } from './rawResults.ts';
import { declined, type RunningCall } from './serverRequests.ts';

/** What may come of a call whose answer never came. */
const unknownEffect = 'Whether it took effect is not known: look before you repeat it.';
const maxRpcMessage = 2000;
/** The hard limit of a call, in multiples of its time-out. */
const hardTimes = 10;
/** A broken pipe is noticed a little before the end of the program that broke it, in milliseconds. */
const brokenPipeMs = 500;
/** What the client itself reports as progress while it answers a server; it is none. */
const clientsOwnProgress = /^Fulfilling input required by 'tools\/call' \(round \d+\)$/;

/**
 * Runs one call. The time-out starts again with every progress notice and stands still while the call waits for the person.
 * Stopping and timing out tell the server too: the client sends `notifications/cancelled`, or closes the stream in modern HTTP.
 * Never throws. What comes after the end is ignored.
 */
export async function runToolCall(
  context: {
    client: Client;
    name: string;
    clock: Clock;
    running: Map<string, RunningCall>;
    headers: Record<string, string>;
    /** How the connection ended, if it has; undefined inside when we closed it. */
    endNow(): { failure: ServerFailure | undefined } | undefined;
    ended: Promise<unknown>;
    isProgram: boolean;
  },
  request: Omit<ToolCallRequest, 'serverId'>,
  timeoutMs: number,
): Promise<ToolCallOutcome> {
  const { client, name, clock, running } = context;
  if (request.signal.aborted) return { kind: 'cancelled' };

  const abort = new AbortController();
  let timedOut: 'idle' | 'hard' | undefined;
  const time = callClock(clock, timeoutMs, timeoutMs * hardTimes, (which) => {
    timedOut = which;
    abort.abort('The call took too long.');
  });
  const stop = () => abort.abort('The user stopped the call.');
  request.signal.addEventListener('abort', stop, { once: true });
  running.set(request.callId, { callId: request.callId, conversationId: request.conversationId, clock: time });

  const params = { name: request.tool, arguments: request.arguments, [callOfRequest]: request.callId };
  const aborted = new Promise<never>((_resolve, reject) =>
    abort.signal.addEventListener('abort', () => reject(abort.signal.reason), { once: true }),
  );
  try {
    const answer = client.request({ method: 'tools/call', params }, rawResultSchema, {
      signal: abort.signal,
      timeout: neverMs,
      headers: context.headers,
      onprogress: ({ progress, total, message }) => {
        if (message !== undefined && clientsOwnProgress.test(message)) return;
        time.progress();
        request.onProgress({
          progress,
          ...(total === undefined ? {} : { total }),
          ...(message === undefined ? {} : { message: message.slice(0, 2000) }),
        });
      },
    });
    // While a question of the server waits for the person, the client's own promise does not end with the signal.
    return outcomeOf(name, rawResultOf(await Promise.race([answer, aborted])));
  } catch (error) {
    // The client gives one and the same error for both.
    if (request.signal.aborted) return { kind: 'cancelled' };
    if (timedOut === 'idle') {
      return {
        kind: 'timedOut',
        message: `"${name}" gave no sign of progress for ${seconds(timeoutMs)}, so the call was stopped. ${unknownEffect}`,
      };
    }
    if (timedOut === 'hard') {
      return {
        kind: 'timedOut',
        message: `"${name}" had not finished after ${seconds(timeoutMs * hardTimes)}, so the call was stopped. ${unknownEffect}`,
      };
    }
    return await failureOf(context, error);
  } finally {
    time.stop();
    request.signal.removeEventListener('abort', stop);
    running.delete(request.callId);
  }
}

function outcomeOf(name: string, result: Record<string, unknown>): ToolCallOutcome {
  const { content, structuredContent, isError } = result;
  if (content !== undefined && !Array.isArray(content)) {
    return { kind: 'invalidResult', message: `"${name}" answered with a result that cannot be read: its content is no list.` };
  }
  const hasStructuredContent = Object.hasOwn(result, 'structuredContent');
  if (content === undefined && !hasStructuredContent) {
    return {
      kind: 'invalidResult',
      message: `"${name}" answered with a result that holds nothing.`,
      ...detailOf(JSON.stringify(result).slice(0, 1000)),
    };
  }
  return {
    kind: 'result',
    content: content ?? [],
    ...(hasStructuredContent ? { structuredContent } : {}),
    hasStructuredContent,
    isError: isError === true,
  };
}

async function failureOf(context: Parameters<typeof runToolCall>[0], error: unknown): Promise<ToolCallOutcome> {
  const { name, clock } = context;
  if (error instanceof ProtocolError) {
    if (error.data === lostAnswer) {
      return { kind: 'unavailable', message: `"${name}" closed the connection before it answered. ${unknownEffect}` };
    }
    if (error.data === declined) {
      return {
        kind: 'protocolError',
        code: error.code,
        rpcMessage: error.message.slice(0, maxRpcMessage),
        message: `"${name}" asked for something that you declined, so it gave the call up.`,
      };
    }
    return {
      kind: 'protocolError',
      code: error.code,
      rpcMessage: error.message.slice(0, maxRpcMessage),
      message: `"${name}" did not carry out the call: it answered with an error of the protocol (code ${error.code}).`,
    };
  }
  if (error instanceof SdkError && (error.code === SdkErrorCode.InvalidResult || error.code === SdkErrorCode.UnsupportedResultType)) {
    return { kind: 'invalidResult', message: `"${name}" answered with a result that cannot be read.`, ...detailOf(error.message) };
  }
  if (error instanceof SdkError && error.code === SdkErrorCode.InputRequiredRoundsExceeded) {
    return {
      kind: 'invalidResult',
      message: `"${name}" kept on asking for more input without finishing, so the call was given up.`,
      ...detailOf(error.message),
    };
  }
  if (error instanceof SdkError && error.code === SdkErrorCode.CapabilityNotSupported) {
    return {
      kind: 'invalidResult',
      message: `"${name}" asked for something that was not offered to it, so the call was given up.`,
      ...detailOf(error.message),
    };
  }

  if (context.isProgram) {
    if (!context.endNow()) await Promise.race([context.ended, new Promise<void>((resolve) => void clock.after(brokenPipeMs, resolve))]);
    const end = context.endNow();
    if (end?.failure) {
      return {
        kind: 'exited',
        message: `${end.failure.message} The call was running: ${unknownEffect.charAt(0).toLowerCase()}${unknownEffect.slice(1)}`,
        detail: end.failure.detail ?? '',
      };
    }
  }
  if (context.endNow()) return { kind: 'unavailable', message: `"${name}" was stopped while the call was running. ${unknownEffect}` };
  const status = httpStatusOf(error);
  if (status === 401 || status === 403)
    return { kind: 'unavailable', message: `"${name}" wants a sign-in before it carries out the call (HTTP status ${status}).` };
  if (status !== undefined) {
    return {
      kind: 'unavailable',
      message: `"${name}" answered the call with HTTP status ${status}.`,
      ...detailOf(messageOf(error).slice(0, 2000)),
    };
  }
  return {
    kind: 'unavailable',
    message: `"${name}" could not be reached, or the connection broke during the call. ${unknownEffect}`,
    ...detailOf(messageOf(networkErrorOf(error) ?? error)),
  };
}

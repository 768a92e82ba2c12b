import { type Client, ProtocolError, ProtocolErrorCode } from '@modelcontextprotocol/client';
import { z } from 'zod';
import type { CallId, ConversationId, ServerId } from '../../../preload/contract/ids.ts';
import type { Log } from '../ports.ts';
import { messageOf } from '../refusal.ts';
import type { AnswerServerRequest, DeclaredFeatures, ServerRequest, ServerRequestAnswer } from './callTool.ts';
import type { CallClock } from './callClock.ts';
import { callMetaKey, isRecord } from './rawResults.ts';

/** A call that is under way, as the requests of its server need it. */
export interface RunningCall {
  callId: CallId;
  conversationId: ConversationId;
  clock: CallClock;
}

/** Code of the refusal of a person, as the specification writes it for sampling (2025-11-25). */
const declinedCode = -1;
/** `data` of that refusal: in 2026-07-28 it comes back to our own call. A symbol, so that it is never sent and no server can send it. */
export const declined = Symbol('declined by the user');

const anyParams = z.record(z.string(), z.unknown());
const formParams = z.looseObject({ message: z.string(), requestedSchema: z.record(z.string(), z.unknown()) });

type Asked =
  | { kind: 'elicitation'; message: string; schema: Record<string, unknown> }
  | { kind: 'sampling'; params: Record<string, unknown> }
  | { kind: 'roots' };

/** Client capabilities for exactly the features declared. No modes and no sub-capabilities that nobody answers. */
export function capabilitiesOf(declared: DeclaredFeatures) {
  return {
    ...(declared.elicitation ? { elicitation: { form: {} } } : {}),
    ...(declared.sampling ? { sampling: {} } : {}),
    ...(declared.roots ? { roots: {} } : {}),
  };
}

/**
 * Has every request of the server answered exactly once: requests of their own in 2025-11-25 and before, input requests inside
 * a result in 2026-07-28. Malformed ones and modes that were not declared are refused by the client with -32602.
 */
export function answerServerRequests(
  client: Client,
  options: {
    serverId: ServerId;
    serverName(): string;
    declared: DeclaredFeatures;
    answer: AnswerServerRequest;
    running: ReadonlyMap<string, RunningCall>;
    log: Log;
  },
): void {
  const { running, declared } = options;

  const callOf = (meta: unknown): RunningCall | undefined => {
    if (client.getProtocolEra() === 'modern') {
      const id = isRecord(meta) ? meta[callMetaKey] : undefined;
      return typeof id === 'string' ? running.get(id) : undefined;
    }
    // Before 2026-07-28 a request does not name the call it serves.
    return running.size === 1 ? [...running.values()][0] : undefined;
  };

  const ask = async (asked: Asked, context: { signal: AbortSignal; _meta?: unknown }): Promise<ServerRequestAnswer> => {
    const call = callOf(context._meta);
    const waiting = call ? [call] : [...running.values()];
    const request: ServerRequest = {
      ...asked,
      serverId: options.serverId,
      serverName: options.serverName(),
      ...(call ? { callId: call.callId, conversationId: call.conversationId } : {}),
      signal: context.signal,
    };
    for (const each of waiting) each.clock.pause();
    try {
      return await options.answer(request);
    } catch (error) {
      options.log.error('A request of a server could not be answered.', {
        serverId: options.serverId,
        kind: asked.kind,
        error: messageOf(error),
      });
      throw new ProtocolError(ProtocolErrorCode.InternalError, 'The request could not be answered.');
    } finally {
      for (const each of waiting) each.clock.resume();
    }
  };

  if (declared.elicitation) {
    // The client lets only the declared mode pass, and takes a missing mode for it.
    client.setRequestHandler('elicitation/create', { params: formParams }, async ({ message, requestedSchema }, { mcpReq }) => {
      const answer = await ask({ kind: 'elicitation', message, schema: requestedSchema }, mcpReq);
      return answer.kind === 'declined' ? { action: 'decline' } : answer.result;
    });
  }
  if (declared.sampling) {
    client.setRequestHandler('sampling/createMessage', { params: anyParams }, async (params, { mcpReq }) => {
      const answer = await ask({ kind: 'sampling', params }, mcpReq);
      if (answer.kind === 'declined') throw new ProtocolError(declinedCode, 'The user rejected the sampling request.', declined);
      return answer.result;
    });
  }
  if (declared.roots) {
    client.setRequestHandler('roots/list', { params: anyParams }, async (_params, { mcpReq }) => {
      const answer = await ask({ kind: 'roots' }, mcpReq);
      if (answer.kind === 'declined') throw new ProtocolError(declinedCode, 'The user does not share folders.', declined);
      return answer.result;
    });
  }
}

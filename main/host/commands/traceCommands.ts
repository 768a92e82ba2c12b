import type { CallId } from '../../../preload/contract/ids.ts';
import type { TraceEntry, TracePurpose } from '../../../preload/contract/trace.ts';
import { isRecord } from '../mcp/rawResults.ts';
import { refuse } from '../refusal.ts';
import { struckOut } from '../redact.ts';
import { parseJsonc, placeInWords, valueOf } from '../servers/jsonc.ts';
import { getCall } from '../store/calls.ts';
import { getConversation, isBench } from '../store/conversations.ts';
import { getTurn } from '../store/turns.ts';
import { chatOfView } from '../store/views.ts';
import { bundleOf } from '../trace/bundle.ts';
import { callMethod, mayBeSentAgain, onlyReads } from '../trace/byHand.ts';
import type { KeptEntry } from '../trace/ring.ts';
import type { CommandContext, Handlers } from './context.ts';

/** What a command answers that only does something. */
const done = {};

/** The trace of the wire, and trying things by hand. */
export function traceCommands(context: CommandContext): Handlers<'trace' | 'tool'> {
  const { db, trace, turns, servers, redactor, ports } = context;

  /** Servers that are gone have no page that could ask. */
  const requireServer = (id: Parameters<typeof servers.details>[0]): void => void servers.details(id);

  function purposeOf(servedId: string | undefined): TracePurpose | undefined {
    if (servedId === undefined) return undefined;
    const call = getCall(db, servedId as CallId)?.call;
    const madeIn = call && getTurn(db, call.turnId)?.turn.conversationId;
    // A view's call is found where the view stands.
    const conversationId = madeIn && (chatOfView(db, madeIn) ?? madeIn);
    if (!call || !conversationId) return { kind: 'byHand' };
    const title = getConversation(db, conversationId)?.title ?? '';
    return { kind: 'call', callId: call.id, conversationId, title, triedByHand: isBench(conversationId) };
  }

  function viewOf(kept: KeptEntry, purpose = purposeOf(kept.servedId)): TraceEntry {
    const status = kept.http?.status;
    return {
      ...kept.entry,
      ...(purpose && { purpose }),
      ...(status === undefined ? {} : { httpStatus: status }),
      ...(mayBeSentAgain(kept) ? { canResend: true } : {}),
    };
  }

  function jsonObject(text: string, what: string): Record<string, unknown> {
    const parsed = parseJsonc(text);
    if (!parsed.ok) {
      const { message, at } = parsed.problem;
      return refuse('invalidInput', `${what} cannot be read at ${placeInWords(at)}: ${message}. Nothing was sent.`, { at });
    }
    const value = valueOf(parsed.root);
    return isRecord(value) ? value : refuse('invalidInput', `${what} must be a JSON object. Nothing was sent.`);
  }

  async function tryCall(serverId: Parameters<typeof servers.details>[0], tool: string, values: Record<string, unknown>, size: number) {
    requireServer(serverId);
    return turns.tryCall({ serverId, tool, values, size });
  }

  return {
    'trace.list': ({ serverId, after, before, filter, limit }) => {
      if (serverId !== undefined) requireServer(serverId);
      const { entries, hasMore } = trace.list({ serverId, after, before, filter, limit });
      const purposes = new Map<string, TracePurpose | undefined>();
      const views = entries.map((kept) => {
        const { servedId } = kept;
        if (servedId !== undefined && !purposes.has(servedId)) purposes.set(servedId, purposeOf(servedId));
        return viewOf(kept, servedId === undefined ? undefined : purposes.get(servedId));
      });
      return { entries: views, hasMore, last: trace.last(), ...(serverId === undefined ? {} : { recording: trace.recording(serverId) }) };
    },

    'trace.read': ({ entryId, offset, length }) => {
      const kept = trace.find(entryId) ?? refuse('notFound', 'This message is not kept any more: newer ones have taken its place.');
      const end = wholeCharacter(kept.text, offset + length);
      return {
        entry: viewOf(kept),
        ...(kept.http && { http: kept.http }),
        text: kept.text.slice(offset, end),
        ...(end < kept.text.length ? { nextOffset: end } : {}),
        length: kept.text.length,
        isCut: kept.isCut,
      };
    },

    'trace.record': ({ serverId, on }) => {
      requireServer(serverId);
      return { recording: trace.record(serverId, on) };
    },

    'trace.clear': ({ serverId }) => {
      trace.clear(serverId);
      return done;
    },

    'trace.bundle': ({ serverId }) => {
      const details = servers.details(serverId);
      const { entries } = trace.list({ serverId, filter: {}, limit: Number.MAX_SAFE_INTEGER });
      const { electron, chrome } = process.versions;
      return {
        json: bundleOf({
          at: ports.clock.now(),
          versions: {
            maitre: context.version,
            shell: context.shell,
            system: `${process.platform} ${process.arch}`,
            node: process.versions.node,
            ...(electron === undefined ? {} : { electron }),
            ...(chrome === undefined ? {} : { chrome }),
          },
          details,
          entries: entries.reverse(),
          redactor,
          home: ports.paths.home,
        }),
      };
    },

    'trace.resend': async ({ serverId, json }) => {
      const { method, params = {}, jsonrpc = '2.0' } = jsonObject(json, 'The message');
      if (typeof method !== 'string' || jsonrpc !== '2.0' || !isRecord(params))
        return refuse(
          'invalidInput',
          'A request needs a "method", and its "params", where there are any, are an object. Nothing was sent.',
        );
      if (json.includes(`"${struckOut}"`))
        return refuse('invalidInput', `Where ${struckOut} stands, a secret was taken out. Write what belongs there. Nothing was sent.`);
      if (method === callMethod) {
        const { name, arguments: values = {} } = params;
        if (typeof name !== 'string' || !isRecord(values))
          return refuse('invalidInput', 'A call needs the "name" of the tool, and its "arguments" are an object. Nothing was sent.');
        return { kind: 'call', call: await tryCall(serverId, name, values, json.length) };
      }
      if (!onlyReads(method)) {
        return refuse(
          'notAllowed',
          `Messages of the method ${method.slice(0, 100)} are not sent by hand, since they change how the connection stands. Calls of tools and requests that read are.`,
        );
      }
      const tag = ports.ids();
      const problem = await servers.sendByHand(serverId, { method, params, tag });
      const { entries } = trace.list({ serverId, filter: { callId: tag as CallId }, limit: 10 });
      const request = entries.findLast(({ entry }) => entry.kind === 'request');
      if (!request) return refuse('serverFailed', `The message could not be sent. ${problem ?? ''}`.trim());
      const answer = entries.find(({ entry }) => entry.pairId === request.entry.id);
      if (!answer && problem !== undefined) return refuse('serverFailed', problem);
      return { kind: 'sent', requestId: request.entry.id, ...(answer && { answerId: answer.entry.id }) };
    },

    'tool.try': async ({ serverId, tool, argumentsJson }) => {
      const values = argumentsJson.trim() === '' ? {} : jsonObject(argumentsJson, 'The arguments');
      return { call: await tryCall(serverId, tool, values, argumentsJson.length) };
    },
  };
}

/** Where a piece may end without halving a character. */
function wholeCharacter(text: string, end: number): number {
  if (end >= text.length) return text.length;
  const last = text.charCodeAt(end - 1);
  return last >= 0xd800 && last <= 0xdbff ? end + 1 : end;
}

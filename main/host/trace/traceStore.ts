import type { ServerId } from '../../../preload/contract/ids.ts';
import type { HttpEnvelope, TraceEntryId, TraceFilter, TraceRecording } from '../../../preload/contract/trace.ts';
import type { Clock } from '../ports.ts';
import { type Redactor, struckOut, withoutLookalikes } from '../redact.ts';
import { describeMessage, type MessageFacts } from './describeMessage.ts';
import type { Recorder } from './recorder.ts';
import { redactHeaders, redactUrl, secretsOfExchange } from './redactEnvelope.ts';
import { redactMessage } from './redactMessage.ts';
import { createRing, type KeptEntry, type Ring } from './ring.ts';
import { createNotes, takingNotes } from './notes.ts';
import type { HttpExchange, WireTrace } from './wireTrace.ts';

/** The trace of every server: in memory, for this run. Secrets are struck out before anything is kept. */
export interface TraceStore {
  /** What the connections of a server tell their news to. The same one every time. */
  wire(serverId: ServerId): WireTrace;
  /** Newest first. `hasMore`: more than `limit` stand between the bounds, which are not included. */
  list(query: {
    serverId?: ServerId | undefined;
    after?: number | undefined;
    before?: number | undefined;
    filter: TraceFilter;
    limit: number;
  }): { entries: KeptEntry[]; hasMore: boolean };
  find(id: TraceEntryId): KeptEntry | undefined;
  /** The newest id that was given, of any server. */
  last(): number;
  clear(serverId: ServerId | undefined): void;
  /** The server is gone: so is its trace, and its recording ends. */
  forget(serverId: ServerId): void;
  record(serverId: ServerId, on: boolean): TraceRecording;
  recording(serverId: ServerId): TraceRecording;
  close(): void;
}

export interface TraceStoreDeps {
  clock: Clock;
  redactor: Redactor;
  recorder: Recorder;
  /** Called at most every {@link tellMs} for a server. */
  onGrew(serverId: ServerId, last: TraceEntryId): void;
}

/** Bounds of the memory of one server. */
export const traceLimits = { entries: 2000, characters: 4 * 1024 * 1024 } as const;
/** A longer message is kept up to here, in characters. */
export const maxKeptText = 262_144;
/** A secret that the first cut would halve lies behind the second. */
const longestHalved = 4096;
const tellMs = 250;
const maxSubject = 200;
/** Of a name or id that stands beside a message, in characters. */
const maxName = 300;
/** Requests without an answer that are remembered for it. */
const maxPending = 1000;
/** Secrets of the exchanges of one server that are struck out wherever they stand, the newest. */
const maxExchangeSecrets = 32;

/** What breaks a rule and is taken all the same. */
const textForNumber =
  'Its "id" is a text, and that of its request was a number: an answer bears the id as it was sent (JSON-RPC 2.0, "Response object"). It is taken all the same.';
const withoutType = 'Its result has no "resultType", which 2026-07-28 wants of every result: it is taken as "complete".';

/** An id as JSON text: the number that its text is made of. */
const numberIn = (rpcId: string): string | undefined => /^"(0|[1-9]\d{0,14})"$/.exec(rpcId)?.[1];

export function createTraceStore(deps: TraceStoreDeps): TraceStore {
  const { clock, redactor, recorder } = deps;
  const servers = new Map<ServerId, { ring: Ring; wire: WireTrace; stop(): void }>();
  const notes = createNotes(clock);
  let lastId = 0;

  const open = (serverId: ServerId): { ring: Ring; wire: WireTrace; stop(): void } => {
    const known = servers.get(serverId);
    if (known) return known;
    const ring = createRing(traceLimits);
    let cancelTell: (() => void) | undefined;
    const tell = (): void => {
      cancelTell ??= clock.after(tellMs, () => {
        cancelTell = undefined;
        notes.takeUp();
        deps.onGrew(serverId, lastId);
      });
    };
    const wire = createWire({
      serverId,
      clock: notes,
      redactor,
      ring,
      nextId: () => (lastId += 1),
      onKept: (kept) => recorder.write(serverId, kept),
    });
    const noting = takingNotes(wire, {
      ...notes,
      add(work, characters) {
        tell();
        notes.add(work, characters);
      },
    });
    const made = { ring, wire: noting, stop: () => cancelTell?.() };
    servers.set(serverId, made);
    return made;
  };

  return {
    wire: (serverId) => open(serverId).wire,
    list({ serverId, after = 0, before = Infinity, filter, limit }) {
      notes.takeUp();
      const rings = serverId === undefined ? [...servers.values()] : [open(serverId)];
      const all = rings.flatMap(({ ring }) => ring.all());
      if (rings.length > 1) all.sort((a, b) => a.entry.id - b.entry.id);
      const matches = matcherOf(filter);
      const entries: KeptEntry[] = [];
      for (let index = all.length - 1; index >= 0; index -= 1) {
        const each = all[index];
        if (!each || each.entry.id >= before) continue;
        if (each.entry.id <= after) break;
        if (!matches(each)) continue;
        if (entries.length === limit) return { entries, hasMore: true };
        entries.push(each);
      }
      return { entries, hasMore: false };
    },
    find(id) {
      notes.takeUp();
      for (const { ring } of servers.values()) {
        const found = ring.find(id);
        if (found) return found;
      }
      return undefined;
    },
    last() {
      notes.takeUp();
      return lastId;
    },
    clear(serverId) {
      notes.takeUp();
      for (const [id, { ring }] of servers) if (serverId === undefined || id === serverId) ring.clear();
    },
    forget(serverId) {
      notes.takeUp();
      recorder.set(serverId, false);
      servers.get(serverId)?.stop();
      servers.delete(serverId);
    },
    record(serverId, on) {
      notes.takeUp();
      return recorder.set(serverId, on);
    },
    recording(serverId) {
      notes.takeUp();
      return recorder.state(serverId);
    },
    close() {
      notes.takeUp();
      for (const { stop } of servers.values()) stop();
    },
  };
}

function matcherOf({ text, method, direction, callId, errorsOnly }: TraceFilter): (kept: KeptEntry) => boolean {
  const wanted = text?.trim().toLowerCase() ?? '';
  return ({ entry, servedId, text: message }) =>
    (method === undefined || entry.method === method) &&
    (direction === undefined || entry.direction === direction) &&
    (callId === undefined || servedId === callId) &&
    (errorsOnly !== true || entry.problem !== undefined) &&
    (wanted === '' ||
      `${entry.method ?? ''} ${entry.subject ?? ''}`.toLowerCase().includes(wanted) ||
      message.toLowerCase().includes(wanted));
}

/** A request that waits for its answer. */
interface Pending {
  kept: KeptEntry;
  method: string | undefined;
  startedAt: number;
}

function createWire({
  serverId,
  clock,
  redactor,
  ring,
  nextId,
  onKept,
}: {
  serverId: ServerId;
  clock: Pick<Clock, 'now'>;
  redactor: Redactor;
  ring: Ring;
  nextId(): TraceEntryId;
  onKept(kept: KeptEntry): void;
}): WireTrace {
  /** By the id as JSON text: 1 and "1" are two. */
  const toServer = new Map<string, Pending>();
  const fromServer = new Map<string, Pending>();
  const served = new Map<string, string>();
  const carried = new WeakMap<HttpExchange, KeptEntry[]>();
  const secrets = new Set<string>();
  let newest: TraceEntryId | undefined;

  const clean: Pick<Redactor, 'known'> = {
    known: (text) => [...secrets].reduce((output, secret) => output.replaceAll(secret, struckOut), redactor.known(text)),
  };

  const cut = (text: string): { text: string; isCut: boolean } => {
    const redacted = redactMessage(text.slice(0, maxKeptText + longestHalved), clean);
    const isCut = text.length > maxKeptText;
    return { text: isCut ? redacted.slice(0, Math.max(0, redacted.length - longestHalved)).toWellFormed() : redacted, isCut };
  };

  /** What a server calls its tools, its methods and its requests may hold a secret as well as the text of a message. */
  const cleanName = (name: string): string => withoutLookalikes(clean.known(name)).slice(0, maxName).toWellFormed();
  const named = ({ method, subject, rpcId }: Pick<KeptEntry['entry'], 'method' | 'subject' | 'rpcId'>) => ({
    ...(method === undefined ? {} : { method: cleanName(method) }),
    ...(subject === undefined ? {} : { subject: cleanName(subject) }),
    ...(rpcId === undefined ? {} : { rpcId: cleanName(rpcId) }),
  });

  const envelopeOf = (exchange: HttpExchange, eventId?: string): HttpEnvelope => ({
    method: exchange.method,
    url: redactUrl(exchange.url, clean),
    requestHeaders: redactHeaders(exchange.requestHeaders, clean),
    ...(exchange.status === undefined ? {} : { status: exchange.status }),
    ...(exchange.responseHeaders === undefined ? {} : { responseHeaders: redactHeaders(exchange.responseHeaders, clean) }),
    ...(eventId === undefined ? {} : { eventId: eventId.slice(0, 1000) }),
  });

  const noteSecrets = (exchange: HttpExchange): void => {
    for (const secret of secretsOfExchange(exchange)) {
      secrets.add(secret);
      for (const oldest of secrets) {
        if (secrets.size <= maxExchangeSecrets) break;
        secrets.delete(oldest);
      }
    }
  };

  const keep = (
    entry: Omit<KeptEntry['entry'], 'id' | 'serverId' | 'at' | 'bytes'>,
    text: string,
    more: { http?: HttpEnvelope | undefined; servedId?: string | undefined } = {},
  ): KeptEntry => {
    const body = cut(text);
    // What is no message says in the list itself what it is.
    const subject = entry.kind === 'connection' || entry.kind === 'noise' ? { subject: body.text.slice(0, maxSubject).toWellFormed() } : {};
    const kept: KeptEntry = {
      entry: { id: nextId(), serverId, at: clock.now(), bytes: Buffer.byteLength(text), ...entry, ...named(entry), ...subject },
      ...body,
      ...more,
    };
    if (entry.direction === 'fromServer') newest = kept.entry.id;
    ring.add(kept);
    onKept(kept);
    return kept;
  };

  const remember = (pending: Map<string, Pending>, id: string, request: Pending): void => {
    pending.set(id, request);
    for (const oldest of pending.keys()) {
      if (pending.size <= maxPending) break;
      pending.delete(oldest);
    }
  };

  /** What something of the server serves, where it does not say so: the only call that is under way, as its requests are understood. */
  const onlyCall = (): string | undefined => {
    const calls = new Set([...toServer.values()].flatMap(({ kept }) => (kept.servedId === undefined ? [] : [kept.servedId])));
    return calls.size === 1 ? [...calls][0] : undefined;
  };

  const servedBy = (facts: MessageFacts, direction: 'toServer' | 'fromServer', exchange: HttpExchange | undefined): string | undefined => {
    if (direction === 'toServer') {
      if (facts.kind === 'request' && facts.rpcId !== undefined) return served.get(facts.rpcId);
      return facts.aboutRequest === undefined ? undefined : served.get(facts.aboutRequest);
    }
    if (facts.aboutRequest !== undefined) return served.get(facts.aboutRequest);
    const ofExchange = exchange && carried.get(exchange)?.find((kept) => kept.servedId !== undefined)?.servedId;
    return ofExchange ?? (facts.kind === 'notification' ? undefined : onlyCall());
  };

  const keepMessage = (
    direction: 'toServer' | 'fromServer',
    facts: MessageFacts,
    text: string,
    exchange: HttpExchange | undefined,
    eventId: string | undefined,
  ): KeptEntry => {
    const http = exchange && envelopeOf(exchange, eventId);
    const { aboutRequest: _about, isUntyped, text: _text, ...shown } = facts;
    if ((facts.kind !== 'response' && facts.kind !== 'error') || facts.rpcId === undefined) {
      const kept = keep({ direction, ...shown }, text, { http, servedId: servedBy(facts, direction, exchange) });
      const request = { kept, method: facts.method, startedAt: kept.entry.at };
      if (facts.kind === 'request' && facts.rpcId !== undefined)
        remember(direction === 'toServer' ? toServer : fromServer, facts.rpcId, request);
      return kept;
    }
    const pending = direction === 'fromServer' ? toServer : fromServer;
    const asNumber = direction === 'fromServer' && !pending.has(facts.rpcId) ? numberIn(facts.rpcId) : undefined;
    const rpcId = asNumber !== undefined && pending.has(asNumber) ? asNumber : facts.rpcId;
    const request = pending.get(rpcId);
    pending.delete(rpcId);
    if (direction === 'fromServer') served.delete(rpcId);
    if (!request) {
      const lost = direction === 'fromServer' ? 'It answers no request that is waiting.' : undefined;
      const servedId = direction === 'fromServer' ? servedBy(facts, direction, exchange) : undefined;
      return keep({ direction, ...shown, ...(lost === undefined ? {} : { problem: facts.problem ?? lost }) }, text, { http, servedId });
    }
    const { entry, servedId } = request.kept;
    const tookMs = Math.max(0, clock.now() - request.startedAt);
    const { method, subject, era } = entry;
    const problem = [
      facts.problem,
      rpcId === facts.rpcId ? undefined : textForNumber,
      direction === 'fromServer' && era === 'modern' && isUntyped ? withoutType : undefined,
    ].filter((each) => each !== undefined);
    const kept = keep(
      {
        direction,
        ...shown,
        ...(problem.length === 0 ? {} : { problem: problem.join(' ') }),
        ...(method === undefined ? {} : { method }),
        ...(subject === undefined ? {} : { subject }),
        ...(era === undefined ? {} : { era }),
        tookMs,
        pairId: entry.id,
      },
      text,
      { http, servedId },
    );
    request.kept.entry = { ...entry, tookMs, pairId: kept.entry.id };
    return kept;
  };

  const wire: WireTrace = {
    sent(text, exchange) {
      if (exchange) noteSecrets(exchange);
      const messages = describeMessage(text);
      const kept = messages.map((facts) => keepMessage('toServer', facts, facts.text, exchange, undefined));
      if (exchange) carried.set(exchange, kept);
    },
    received(text, from) {
      const exchange = from && 'exchange' in from ? from.exchange : undefined;
      const eventId = from && 'exchange' in from ? from.eventId : undefined;
      if (exchange) noteSecrets(exchange);
      for (const facts of describeMessage(text, from && 'parsed' in from ? from.parsed : undefined))
        keepMessage('fromServer', facts, facts.text, exchange, eventId);
    },
    answered(exchange, problem) {
      noteSecrets(exchange);
      for (const kept of carried.get(exchange) ?? []) {
        kept.http = envelopeOf(exchange);
        if (problem !== undefined) kept.entry = { ...kept.entry, problem };
      }
    },
    exchanged(exchange, text, problem) {
      noteSecrets(exchange);
      const { status } = exchange;
      // A server may have no stream to listen to and no session to end (2025-11-25 "Transports").
      const isRefusal = status !== undefined && status >= 400 && !(status === 405 && exchange.method !== 'POST');
      const said = problem ?? (isRefusal ? `The server answered with HTTP status ${status}.` : undefined);
      const direction = status === undefined ? 'toServer' : 'fromServer';
      const servedId = carried.get(exchange)?.find((kept) => kept.servedId !== undefined)?.servedId;
      keep({ direction, kind: 'http', method: exchange.method, ...(said === undefined ? {} : { problem: said }) }, text, {
        http: envelopeOf(exchange),
        servedId,
      });
    },
    noise(text) {
      const broken = /^\s*[[{]/.test(text) && text.includes('jsonrpc');
      keep(
        {
          direction: 'fromServer',
          kind: 'noise',
          ...(broken ? { problem: 'It looks like a message, but it is no JSON-RPC that can be read.' } : {}),
        },
        text,
        { servedId: onlyCall() },
      );
    },
    connection(sentence) {
      keep({ direction: 'here', kind: 'connection', ...(newest === undefined ? {} : { aboutId: newest }) }, sentence);
    },
    belongs(requestId, to) {
      served.set(JSON.stringify(requestId), to);
      for (const oldest of served.keys()) {
        if (served.size <= maxPending) break;
        served.delete(oldest);
      }
    },
    newestFromServer: () => newest,
  };
  return wire;
}

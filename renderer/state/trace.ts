import { createStore, type StoreApi } from 'zustand/vanilla';
import type { ServerId } from '../../preload/contract/ids.ts';
import type { Failure, Result } from '../../preload/contract/result.ts';
import type { TraceEntry, TraceFilter, TraceRecording } from '../../preload/contract/trace.ts';
import type { CommandOutput } from '../../preload/contract/commands.ts';
import type { ConnectedBridge } from '../bridge/connectedBridge.ts';
import { newCommandId } from '../bridge/newCommandId.ts';
import type { Mirror } from './mirror.ts';

/** What a page shows of one server's trace, newest first. */
export interface TraceState {
  serverId: ServerId | null;
  filter: TraceFilter;
  status: 'none' | 'loading' | 'ready' | 'failed';
  error: Failure | null;
  entries: readonly TraceEntry[];
  /** How many came on top since the list was loaded, for a view that must keep its place. */
  prepended: number;
  /** Older ones stand before the last. */
  hasMore: boolean;
  /** The newest id that is known of, whether the filter shows it or not. */
  last: number;
  recording: TraceRecording | null;
}

export interface TraceStore extends Mirror {
  store: StoreApi<TraceState>;
  /** Shows the trace of a server, or with null of none; the filter begins anew. */
  open(serverId: ServerId | null, filter?: TraceFilter): Promise<void>;
  setFilter(filter: TraceFilter): Promise<void>;
  loadOlder(): Promise<void>;
  record(on: boolean): Promise<Result<unknown>>;
  clear(): Promise<Result<unknown>>;
}

type Page = CommandOutput<'trace.list'>;

const pageLimit = 200;
const newerLimit = 500;
/** More rows than this are not held in a page: whoever wants older ones filters, or loads them again. */
const maxHeld = 6000;

/** A request learns from its answer how long it took; the answer may come much later than its row. */
function withAnswers(entries: readonly TraceEntry[], answers: readonly TraceEntry[]): readonly TraceEntry[] {
  const took = new Map(
    answers.flatMap((each) => (each.pairId !== undefined && each.pairId < each.id ? [[each.pairId, each] as const] : [])),
  );
  if (took.size === 0) return entries;
  return entries.map((entry) => {
    const answer = took.get(entry.id);
    return answer?.tookMs === undefined ? entry : { ...entry, tookMs: answer.tookMs, pairId: answer.id };
  });
}

/** The list with what has come since. A page that could not hold all of it takes the place of the list. */
export function withNewer(state: TraceState, page: Page): TraceState {
  const known = state.entries[0]?.id ?? 0;
  const newer = page.entries.filter((entry) => entry.id > known);
  const recording = page.recording ?? state.recording;
  const last = Math.max(state.last, page.last);
  if (page.hasMore) return { ...state, entries: newer, prepended: 0, hasMore: true, last, recording };
  const entries = [...newer, ...withAnswers(state.entries, newer)];
  const held = entries.slice(0, maxHeld);
  return {
    ...state,
    entries: held,
    prepended: state.prepended + newer.length,
    hasMore: state.hasMore || held.length < entries.length,
    last,
    recording,
  };
}

export function withOlder(state: TraceState, page: Page): TraceState {
  const oldest = state.entries.at(-1)?.id ?? Number.MAX_SAFE_INTEGER;
  return { ...state, entries: [...state.entries, ...page.entries.filter((entry) => entry.id < oldest)], hasMore: page.hasMore };
}

const none: TraceState = {
  serverId: null,
  filter: {},
  status: 'none',
  error: null,
  entries: [],
  prepended: 0,
  hasMore: false,
  last: 0,
  recording: null,
};

/** The trace that the window shows. Nothing is read while no page shows one. */
export function createTraceStore(bridge: ConnectedBridge): TraceStore {
  const store = createStore<TraceState>(() => none);
  /** Rises with every load, so that an answer that comes too late is known as such. */
  let load = 0;
  let reading = false;
  let again = false;

  const reload = async (): Promise<void> => {
    const { serverId, filter } = store.getState();
    load += 1;
    const mine = load;
    if (serverId === null) return;
    const result = await bridge.invoke('trace.list', { serverId, filter, limit: pageLimit });
    if (mine !== load) return;
    if (!result.ok) {
      store.setState({ status: 'failed', error: result.error });
      return;
    }
    const { entries, hasMore, last, recording } = result.value;
    store.setState({ status: 'ready', error: null, entries, prepended: 0, hasMore, last, recording: recording ?? null });
  };

  const readNewer = async (): Promise<void> => {
    if (reading) {
      again = true;
      return;
    }
    reading = true;
    const mine = load;
    const { serverId, filter, last } = store.getState();
    const result = serverId === null ? undefined : await bridge.invoke('trace.list', { serverId, filter, after: last, limit: newerLimit });
    reading = false;
    if (mine === load && result?.ok === true) {
      const page = result.value;
      store.setState((state) => withNewer(state, page));
    }
    if (!again) return;
    again = false;
    await readNewer();
  };

  return {
    store,
    async open(serverId, filter = {}) {
      store.setState({ ...none, serverId, filter, status: serverId === null ? 'none' : 'loading' });
      await reload();
    },
    async setFilter(filter) {
      store.setState({ filter });
      await reload();
    },
    async loadOlder() {
      const { serverId, filter, entries, hasMore } = store.getState();
      const before = entries.at(-1)?.id;
      if (serverId === null || before === undefined || !hasMore || entries.length >= maxHeld) return;
      const mine = load;
      const result = await bridge.invoke('trace.list', { serverId, filter, before, limit: pageLimit });
      if (mine === load && result.ok) {
        const page = result.value;
        store.setState((state) => withOlder(state, page));
      }
    },
    async record(on) {
      const { serverId } = store.getState();
      if (serverId === null) return { ok: true, value: {} };
      const result = await bridge.invoke('trace.record', { commandId: newCommandId(), serverId, on });
      if (result.ok && store.getState().serverId === serverId) store.setState({ recording: result.value.recording });
      return result;
    },
    async clear() {
      const { serverId } = store.getState();
      if (serverId === null) return { ok: true, value: {} };
      const result = await bridge.invoke('trace.clear', { commandId: newCommandId(), serverId });
      if (result.ok) await reload();
      return result;
    },
    // Another host, or a gap: what is shown is read again.
    load: () => void reload(),
    apply(message) {
      const { serverId, status, last } = store.getState();
      if (message.topic !== 'trace' || message.event.serverId !== serverId || status !== 'ready') return;
      if (message.event.last > last) void readNewer();
    },
  };
}

import { createStore, type StoreApi } from 'zustand/vanilla';
import type { AuditFilter } from '../../preload/contract/audit.ts';
import type { Bridge } from '../../preload/contract/bridge.ts';
import type { CommandOutput } from '../../preload/contract/commands.ts';
import type { EventMessage } from '../../preload/contract/events.ts';
import { ok, type Failure, type Result } from '../../preload/contract/result.ts';

type Page = CommandOutput<'audit.list'>;
export type AuditEntry = Page['rows'][number];

export interface AuditState {
  filter: AuditFilter;
  /** Newest first; null until they were read. */
  rows: readonly AuditEntry[] | null;
  hasMore: boolean;
  failure: Failure | undefined;
}

export interface AuditStore {
  store: StoreApi<AuditState>;
  load(filter: AuditFilter): Promise<void>;
  loadOlder(): Promise<void>;
  /** The rows that the filter lets through, as JSON lines, oldest first; piece by piece, since a message of the bridge has its limit. */
  exported(): Promise<Result<{ pieces: string[]; rows: number }>>;
  /** Reads what has come since whenever something happened that may have made a row. Returns the function that ends it. */
  watch(): () => void;
}

const pageLimit = 100;
/** So long after something happened the newest rows are read, in milliseconds: one thing often makes several. */
const settlingMs = 300;

/** The list with a newer first page of the same filter. A page that does not reach down to it takes its place. */
export function withNewest(state: AuditState, page: Page): AuditState {
  const known = state.rows?.[0]?.seq ?? 0;
  const newer = page.rows.filter((row) => row.seq > known);
  if (newer.length === 0) return state;
  if (newer.length === page.rows.length && page.hasMore) return { ...state, rows: page.rows, hasMore: true };
  return { ...state, rows: [...newer, ...(state.rows ?? [])] };
}

/** Text and progress come by the thousand and make no row. */
const mayMakeRows = (message: EventMessage): boolean => {
  if (message.topic === 'conversation') return message.event.type === 'part.changed';
  return message.topic === 'approvals' || message.topic === 'servers' || message.topic === 'resync';
};

export function createAuditStore(bridge: Bridge): AuditStore {
  const store = createStore<AuditState>(() => ({ filter: {}, rows: null, hasMore: false, failure: undefined }));
  // Only the newest reading counts: an answer to another filter that comes late is not shown.
  let reading = 0;

  const first = (filter: AuditFilter) => bridge.invoke('audit.list', { filter, limit: pageLimit });

  return {
    store,

    async load(filter) {
      reading += 1;
      const mine = reading;
      store.setState({ filter });
      const result = await first(filter);
      if (mine !== reading) return;
      if (result.ok) store.setState({ ...result.value, failure: undefined });
      else store.setState({ failure: result.error });
    },

    async loadOlder() {
      const { rows, hasMore, filter } = store.getState();
      const before = rows?.at(-1)?.seq;
      if (!hasMore || before === undefined) return;
      const mine = reading;
      const result = await bridge.invoke('audit.list', { filter, before, limit: pageLimit });
      if (mine !== reading) return;
      if (!result.ok) {
        store.setState({ failure: result.error });
        return;
      }
      const page = result.value;
      store.setState((state) =>
        state.rows?.at(-1)?.seq === before ? { rows: [...state.rows, ...page.rows], hasMore: page.hasMore, failure: undefined } : state,
      );
    },

    async exported() {
      const { filter } = store.getState();
      const pieces: string[] = [];
      let rows = 0;
      for (let after: number | undefined = 0; after !== undefined;) {
        const piece: Result<CommandOutput<'audit.export'>> = await bridge.invoke('audit.export', { filter, after });
        if (!piece.ok) return piece;
        pieces.push(piece.value.jsonl);
        rows += piece.value.rows;
        after = piece.value.next;
      }
      return ok({ pieces, rows });
    },

    watch() {
      let timer: ReturnType<typeof setTimeout> | undefined;
      const readNewest = async () => {
        timer = undefined;
        const mine = reading;
        const result = await first(store.getState().filter);
        if (mine === reading && result.ok) {
          const page = result.value;
          store.setState((state) => withNewest(state, page));
        }
      };
      const end = bridge.on((message) => {
        if (mayMakeRows(message)) timer ??= setTimeout(() => void readNewest(), settlingMs);
      });
      return () => {
        clearTimeout(timer);
        end();
      };
    },
  };
}

import { createStore, type StoreApi } from 'zustand/vanilla';
import type { Failure, Result } from '../../preload/contract/result.ts';

export interface Notice {
  id: number;
  message: string;
  detail?: string | undefined;
}

export interface NoticesStore {
  store: StoreApi<{ notices: readonly Notice[] }>;
  /** For failures that have no place of their own on the screen. */
  add(error: Failure): void;
  /** Passes the value on, or shows the failure and gives null. What somebody stopped is no failure. */
  valueOf<Value>(result: Result<Value>): Value | null;
  dismiss(id: number): void;
}

export function createNoticesStore(): NoticesStore {
  const store = createStore<{ notices: readonly Notice[] }>(() => ({ notices: [] }));
  let lastId = 0;
  const add = (error: Failure) => {
    lastId += 1;
    const notice: Notice = { id: lastId, message: error.message, detail: error.detail };
    store.setState(({ notices }) => ({ notices: [...notices, notice].slice(-3) }));
  };
  return {
    store,
    add,
    valueOf(result) {
      if (result.ok) return result.value;
      if (result.error.code !== 'cancelled') add(result.error);
      return null;
    },
    dismiss: (id) => store.setState(({ notices }) => ({ notices: notices.filter((notice) => notice.id !== id) })),
  };
}

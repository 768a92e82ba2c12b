import { createStore, type StoreApi } from 'zustand/vanilla';

/** One name and value of an environment or a header. `secret` values go to the secret store, never into the file. */
export interface NamedValue {
  name: string;
  value: string;
  secret: boolean;
}

export interface LocalDraft {
  name: string;
  command: string;
  /** One argument a line. */
  args: string;
  env: NamedValue[];
  cwd: string;
}

export interface RemoteDraft {
  name: string;
  url: string;
  type: 'http' | 'sse';
  headers: NamedValue[];
}

export const emptyLocalDraft: LocalDraft = { name: '', command: '', args: '', env: [], cwd: '' };
export const emptyRemoteDraft: RemoteDraft = { name: '', url: '', type: 'http', headers: [] };

/** What stands in the forms for a new server, in each way to add one. It outlives a look at other pages, in memory only. */
export interface NewServer {
  way: 'local' | 'remote' | 'bundle' | 'json';
  local: LocalDraft;
  remote: RemoteDraft;
  json: string;
}

export interface NewServerStore {
  store: StoreApi<NewServer>;
  set(patch: Partial<NewServer>): void;
}

export function createNewServerStore(): NewServerStore {
  const store = createStore<NewServer>(() => ({ way: 'local', local: emptyLocalDraft, remote: emptyRemoteDraft, json: '' }));
  return { store, set: (patch) => store.setState(patch) };
}

import type { Effect } from '../../../preload/contract/policy.ts';

/** What somebody who read a server's code says of one of its tools. Pointers are JSON Pointers (RFC 6901); `*` takes every element. */
export interface ToolProfile {
  effects: readonly Effect[];
  /** Arguments that name files or folders of this computer. */
  paths?: readonly string[] | undefined;
  /** Arguments that pick where data goes: a URL, a host, a recipient, a free query to a service. */
  destinations?: readonly string[] | undefined;
  /** What a result holds; absent: whatever the server's own entry says. */
  results?: { untrusted: boolean; private: boolean } | undefined;
  /** The result holds what was stored by earlier calls: it carries the labels of that. */
  remembers?: 'stores' | 'returns' | undefined;
  /** Of a tool that remembers: where in its arguments stand the names that things are kept under. Absent: it concerns everything kept. */
  keptUnder?: readonly string[] | undefined;
}

/** A well-known server, by package and version or by address: never by what it calls itself. */
export interface ServerProfile {
  /** How to start or configure it so that it can only read. A sentence for the server's page. */
  readOnlyForm?: string | undefined;
  results: { untrusted: boolean; private: boolean };
  tools: Readonly<Record<string, ToolProfile>>;
}

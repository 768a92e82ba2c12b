import type { KeptEntry } from './ring.ts';

/** Methods that only read, so that a person may send them as written. Everything with an effect is a call, and goes through the gate. */
const readingMethods: ReadonlySet<string> = new Set([
  'ping',
  'server/discover',
  'tools/list',
  'resources/list',
  'resources/templates/list',
  'resources/read',
  'prompts/list',
  'prompts/get',
  'completion/complete',
]);
/** Sent by hand it is a call like any other. */
export const callMethod = 'tools/call';

export const onlyReads = (method: string): boolean => readingMethods.has(method);

/** Whether a message of the trace may be sent again by hand: a whole request of ours that reads, or is a call. */
export const mayBeSentAgain = ({ entry: { direction, kind, method }, isCut }: Pick<KeptEntry, 'entry' | 'isCut'>): boolean =>
  !isCut && direction === 'toServer' && kind === 'request' && method !== undefined && (method === callMethod || onlyReads(method));

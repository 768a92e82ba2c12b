import type { StartConsent } from '../../../preload/contract/servers.ts';

/** Which parts of a start differ from those that were on the page before: they are marked, so that a change cannot slip by. */
export type ConsentPart = 'command' | 'args' | 'envNames' | 'givenVariables' | 'cwd' | 'folders' | 'url' | 'sandbox' | 'bundle';

const parts: readonly ConsentPart[] = ['command', 'args', 'envNames', 'givenVariables', 'cwd', 'folders', 'url', 'sandbox', 'bundle'];

export const changedParts = (before: StartConsent, now: StartConsent): ConsentPart[] =>
  parts.filter((part) => JSON.stringify(before[part]) !== JSON.stringify(now[part]));

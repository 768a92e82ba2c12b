import type { Server } from '../../../preload/contract/servers.ts';

/** The colour role of a server's dot; the words beside it always say the same. */
export type Tone = 'ready' | 'waiting' | 'failed' | 'off';

/** An organisation keeps it from running: neither a failure nor anything the person could mend. */
export const isDenied = ({ status }: Server): boolean => status.state === 'failed' && status.failure.code === 'managedDenies';

export const toneOf = (server: Server): Tone => {
  switch (server.status.state) {
    case 'ready':
      return 'ready';
    case 'starting':
    case 'needsSignIn':
      return 'waiting';
    case 'failed':
      return isDenied(server) ? 'off' : 'failed';
    case 'off':
      return server.enabled && server.status.needsConsent ? 'waiting' : 'off';
  }
};

/** A key under `servers.state` with its values: what the server is doing, in words. */
export interface StateWords {
  key: 'ready' | 'starting' | 'startingAgain' | 'needsSignIn' | 'failed' | 'failedRetrying' | 'needsConsent' | 'managed' | 'off';
  values: { since?: number; attempt?: number; retryAt?: number };
}

export const stateWordsOf = (server: Server): StateWords => {
  const { status } = server;
  switch (status.state) {
    case 'ready':
      return { key: 'ready', values: { since: status.since } };
    case 'starting':
      return status.attempt > 1 ? { key: 'startingAgain', values: { attempt: status.attempt } } : { key: 'starting', values: {} };
    case 'needsSignIn':
      return { key: 'needsSignIn', values: {} };
    case 'failed':
      if (isDenied(server)) return { key: 'managed', values: {} };
      return status.retryAt === undefined ? { key: 'failed', values: {} } : { key: 'failedRetrying', values: { retryAt: status.retryAt } };
    case 'off':
      return { key: server.enabled && status.needsConsent ? 'needsConsent' : 'off', values: {} };
  }
};

/** The one thing a person would do next with this server; null when nothing waits. */
export type NextStep = 'review' | 'reviewTools' | 'restart' | 'chooseFolders' | 'editConfiguration';

export const nextStepOf = (server: Server): NextStep | null => {
  if (!server.enabled) return null;
  if (server.status.state === 'off') return server.status.needsConsent ? 'review' : null;
  // No model has anything of it, or has the former version, until that was looked at.
  if (server.status.state === 'ready' && server.toReview !== undefined) return 'reviewTools';
  if (server.bundled === 'files' && (server.folders?.length ?? 0) === 0) return 'chooseFolders';
  if (server.status.state !== 'failed') return null;
  if (isDenied(server)) return null;
  const { code } = server.status.failure;
  return code === 'configurationInvalid' || code === 'commandNotFound' ? 'editConfiguration' : 'restart';
};

/** The last lines of a longer text: what a failed row shows without being opened. */
export const lastLines = (text: string, count: number): string =>
  text
    .split(/\r?\n/)
    .filter((line, index, all) => line.trim() !== '' || (index > 0 && index < all.length - 1))
    .slice(-count)
    .join('\n');

import type { CommandOutput } from '../../preload/contract/commands.ts';
import type { EventMessage } from '../../preload/contract/events.ts';
import type { StartId } from '../../preload/contract/ids.ts';

/** What the host tells a window that opens. */
export type AppSnapshot = CommandOutput<'app.open'>;

/** A store that mirrors a part of the host. `apply` is called with messages in revision order, each once, of every topic but conversations. */
export interface Mirror {
  load(snapshot: AppSnapshot): void;
  apply(message: EventMessage): void;
}

/** Topics that a snapshot covers. A conversation counts for itself. */
export type SnapshotTopic = 'history' | 'servers' | 'approvals' | 'settings';

/** How far a window has followed a host. */
export interface Followed {
  startId: StartId;
  revisions: Record<SnapshotTopic, number>;
}

export function followedAfter(snapshot: AppSnapshot): Followed {
  return {
    startId: snapshot.startId,
    revisions: {
      history: snapshot.historyRevision,
      servers: snapshot.serversRevision,
      approvals: snapshot.approvalsRevision,
      settings: snapshot.settingsRevision,
    },
  };
}

/**
 * Where a message stands after what is known: `next` is to be applied, `old` is known already, `missed` means that
 * something before it never came (or another host answers) and everything must be loaded again.
 */
export function placeOf(followed: Followed, message: EventMessage): 'next' | 'old' | 'missed' {
  if (message.startId !== followed.startId || message.topic === 'resync') return 'missed';
  // Of the trace nothing is mirrored: its events only say that there is more, and one that was missed is made good by the next.
  if (message.topic === 'conversation' || message.topic === 'trace') return 'next';
  const known = followed.revisions[message.topic];
  if (message.revision <= known) return 'old';
  return message.revision === known + 1 ? 'next' : 'missed';
}

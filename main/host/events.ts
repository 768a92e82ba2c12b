import type { ConversationId, MessageId, PartId, StartId } from '../../preload/contract/ids.ts';
import type {
  ApprovalsEvent,
  ConversationEvent,
  EventMessage,
  HistoryEvent,
  ServersEvent,
  SettingsEvent,
  TraceEvent,
} from '../../preload/contract/events.ts';
import type { Clock, Log } from './ports.ts';
import { messageOf } from './refusal.ts';

/** Text deltas are merged over this time, in milliseconds. */
const mergeMs = 30;
/** A receiver that is this far behind, in bytes, loses its queue and is told to load everything again. */
const slowBytes = 4 * 1024 * 1024;
/** It hears again once its queue is shorter than this. */
const caughtUpBytes = 64 * 1024;

/** What goes down to the shells, in order. Callers save first, then emit. */
export interface Events {
  conversation(id: ConversationId, event: ConversationEvent): void;
  history(event: HistoryEvent): void;
  servers(event: ServersEvent): void;
  approvals(event: ApprovalsEvent): void;
  settings(event: SettingsEvent): void;
  trace(event: TraceEvent): void;
  /** `offset` is the length of the text before `text`. */
  textDelta(id: ConversationId, delta: { messageId: MessageId; partId: PartId; offset: number; text: string }): void;
  /** The newest revision of a topic that everything read now includes. */
  revision(topic: 'history' | 'servers' | 'approvals' | 'settings' | ConversationId): number;
  on(listener: (message: EventMessage) => void, queuedBytes?: () => number): () => void;
  close(): void;
}

interface Receiver {
  listener: (message: EventMessage) => void;
  queuedBytes: () => number;
  behind: boolean;
}

export function createEvents({ startId, clock, log }: { startId: StartId; clock: Clock; log: Log }): Events {
  const receivers = new Set<Receiver>();
  const revisions = new Map<string, number>();
  const pending = new Map<ConversationId, Extract<ConversationEvent, { type: 'text.delta' }>>();
  let cancelFlush: (() => void) | undefined;
  let cancelCheck: (() => void) | undefined;

  const nextRevision = (topic: string) => {
    const revision = (revisions.get(topic) ?? 0) + 1;
    revisions.set(topic, revision);
    return revision;
  };

  function hand(receiver: Receiver, message: EventMessage): void {
    try {
      receiver.listener(message);
    } catch (error) {
      log.error('A shell could not take an event.', { error: messageOf(error) });
    }
  }

  /** Lets a slow receiver in again when its queue has drained. */
  function checkSlow(): void {
    cancelCheck = undefined;
    let anyBehind = false;
    for (const receiver of receivers) {
      if (receiver.behind && receiver.queuedBytes() <= caughtUpBytes) {
        receiver.behind = false;
        hand(receiver, { startId, topic: 'resync' });
      }
      anyBehind ||= receiver.behind;
    }
    if (anyBehind) cancelCheck = clock.after(250, checkSlow);
  }

  function send(message: EventMessage): void {
    for (const receiver of receivers) {
      if (!receiver.behind && receiver.queuedBytes() > slowBytes) receiver.behind = true;
      if (receiver.behind) cancelCheck ??= clock.after(250, checkSlow);
      else hand(receiver, message);
    }
  }

  const sendConversation = (conversationId: ConversationId, event: ConversationEvent) =>
    send({ startId, topic: 'conversation', conversationId, revision: nextRevision(conversationId), event });

  function flush(conversationId: ConversationId): void {
    const delta = pending.get(conversationId);
    if (!delta) return;
    pending.delete(conversationId);
    sendConversation(conversationId, delta);
  }

  function flushAll(): void {
    cancelFlush = undefined;
    for (const conversationId of [...pending.keys()]) flush(conversationId);
  }

  return {
    conversation(id, event) {
      flush(id);
      sendConversation(id, event);
    },
    history: (event) => send({ startId, topic: 'history', revision: nextRevision('history'), event }),
    servers: (event) => send({ startId, topic: 'servers', revision: nextRevision('servers'), event }),
    approvals: (event) => send({ startId, topic: 'approvals', revision: nextRevision('approvals'), event }),
    settings: (event) => send({ startId, topic: 'settings', revision: nextRevision('settings'), event }),
    trace: (event) => send({ startId, topic: 'trace', revision: nextRevision('trace'), event }),
    textDelta(id, delta) {
      const waiting = pending.get(id);
      if (waiting && waiting.partId === delta.partId) {
        waiting.text += delta.text;
      } else {
        flush(id);
        pending.set(id, { type: 'text.delta', ...delta });
      }
      cancelFlush ??= clock.after(mergeMs, flushAll);
    },
    revision: (topic) => {
      // A snapshot taken now holds the pending text: the delta must not come after it a second time.
      flush(topic as ConversationId);
      return revisions.get(topic) ?? 0;
    },
    on(listener, queuedBytes = () => 0) {
      const receiver: Receiver = { listener, queuedBytes, behind: false };
      receivers.add(receiver);
      return () => receivers.delete(receiver);
    },
    close() {
      cancelFlush?.();
      cancelCheck?.();
      flushAll();
      receivers.clear();
    },
  };
}

import type { Client } from '@modelcontextprotocol/client';
import type { Clock } from '../ports.ts';
import { messageOf } from '../refusal.ts';
import { createListenStream } from './listenStream.ts';
import type { ListKind } from './lists.ts';
import type { ServerLog } from './serverLog.ts';

/** One resource is reported as changed at most this often, in milliseconds; the last change is never lost. */
const updateMs = 250;
const toldLists = ['tools', 'resources', 'prompts'] as const;

/** What a server tells of by itself: changes of its lists, and of the resources somebody watches. The same for both generations. */
export interface Subscriptions {
  /** Watches exactly these resources from now on. Never throws; what the server does not grant is missing in {@link watched}. */
  watch(uris: ReadonlySet<string>): Promise<void>;
  /** The resources of which the server has promised to tell. */
  watched(): ReadonlySet<string>;
  /** Whether it has promised to tell of changes of this list. */
  isTold(kind: ListKind): boolean;
  /** `notifications/resources/updated` came: `uri` is a watched resource or stands below one. */
  updated(uri: string): void;
  stop(): void;
}

/**
 * Modern servers are asked with one `subscriptions/listen` stream (2026-07-28): what it acknowledges counts, a change of the wishes
 * opens the new stream before the old one is closed, and one that ended is opened again after a while. Since changes may have been
 * missed then, everything counts as changed. Legacy servers tell of lists unasked and of resources by `resources/subscribe`.
 */
export function createSubscriptions(options: {
  client: Client;
  clock: Clock;
  notice(kind: ListKind): void;
  /** A watched resource has changed, or may have. */
  onUpdated(uri: string): void;
  log: ServerLog;
}): Subscriptions {
  const { client, clock, log } = options;
  const capabilities = client.getServerCapabilities();
  const kinds = toldLists.filter((kind) => capabilities?.[kind]?.listChanged === true);
  const updates = reportedRarely(clock, options.onUpdated);
  const watching = client.getProtocolEra() === 'modern' ? listening(kinds) : subscribing();

  function listening(lists: readonly (typeof toldLists)[number][]) {
    const maySubscribe = capabilities?.resources?.subscribe === true;
    let wanted: ReadonlySet<string> = new Set();
    let granted: ReadonlySet<string> = new Set();
    let told: ReadonlySet<ListKind> = new Set();
    const stream = createListenStream({
      client,
      clock,
      log,
      filter() {
        const uris = maySubscribe ? [...wanted] : [];
        if (lists.length === 0 && uris.length === 0) return undefined;
        return {
          ...(lists.includes('tools') ? { toolsListChanged: true } : {}),
          ...(lists.includes('resources') ? { resourcesListChanged: true } : {}),
          ...(lists.includes('prompts') ? { promptsListChanged: true } : {}),
          ...(uris.length > 0 ? { resourceSubscriptions: uris } : {}),
        };
      },
      onOpen(honoured, { resourceSubscriptions: uris = [] }, mayHaveMissed) {
        const subscribed = honoured.resourceSubscriptions ?? [];
        granted = new Set(uris.filter((uri) => subscribed.includes(uri)));
        told = new Set<ListKind>([
          ...(honoured.toolsListChanged === true ? (['tools'] as const) : []),
          ...(honoured.resourcesListChanged === true ? (['resources', 'templates'] as const) : []),
          ...(honoured.promptsListChanged === true ? (['prompts'] as const) : []),
        ]);
        const missing = [...lists.filter((kind) => !told.has(kind)), ...uris.filter((uri) => !granted.has(uri))];
        if (missing.length > 0) log.add('host', `It does not tell of changes of: ${missing.join(', ').slice(0, 500)}`);
        if (!mayHaveMissed) return;
        for (const kind of lists) options.notice(kind);
        for (const uri of wanted) updates.report(uri);
      },
      onEnd() {
        granted = new Set();
        told = new Set();
      },
    });
    let work = stream.reopen();
    return {
      watch(uris: ReadonlySet<string>) {
        if (same(wanted, uris)) return work;
        wanted = new Set(uris);
        work = stream.reopen();
        return work;
      },
      watched: () => granted,
      isTold: (kind: ListKind) => told.has(kind),
      stop: stream.stop,
    };
  }

  function subscribing() {
    const subscribed = new Set<string>();
    let work: Promise<void> = Promise.resolve();
    const each = async (uri: string, how: 'subscribe' | 'unsubscribe') => {
      try {
        if (how === 'subscribe') await client.subscribeResource({ uri });
        else await client.unsubscribeResource({ uri });
        if (how === 'subscribe') subscribed.add(uri);
        else subscribed.delete(uri);
      } catch (error) {
        if (client.transport !== undefined) log.add('host', `It refused to ${how} ${uri}: ${messageOf(error).slice(0, 300)}`);
      }
    };
    return {
      watch(uris: ReadonlySet<string>) {
        work = work.then(async () => {
          if (capabilities?.resources?.subscribe !== true) return;
          for (const uri of [...subscribed]) if (!uris.has(uri)) await each(uri, 'unsubscribe');
          for (const uri of uris) if (!subscribed.has(uri)) await each(uri, 'subscribe');
        });
        return work;
      },
      watched: () => subscribed,
      isTold: (kind: ListKind) => kinds.some((told) => told === kind || (told === 'resources' && kind === 'templates')),
      stop: () => undefined,
    };
  }

  return {
    watch: watching.watch,
    watched: watching.watched,
    isTold: watching.isTold,
    updated(uri) {
      for (const above of watching.watched()) if (isAtOrBelow(uri, above)) updates.report(above);
    },
    stop() {
      watching.stop();
      updates.stop();
    },
  };
}

const same = (one: ReadonlySet<string>, other: ReadonlySet<string>): boolean =>
  one.size === other.size && [...one].every((uri) => other.has(uri));

/** Whether `uri` is the resource itself or a descendant: a server may tell of either (2026-07-28 "Subscriptions"). */
export function isAtOrBelow(uri: string, above: string): boolean {
  if (uri === above) return true;
  if (!uri.startsWith(above)) return false;
  return /[/?#:]$/.test(above) || /^[/?#]/.test(uri.slice(above.length));
}

/** The first report goes out at once, those of the next moment as one at its end. */
function reportedRarely(clock: Clock, onUpdated: (uri: string) => void) {
  const resting = new Map<string, { again: boolean; cancel: () => void }>();
  const report = (uri: string): void => {
    const rest = resting.get(uri);
    if (rest) {
      rest.again = true;
      return;
    }
    onUpdated(uri);
    const entry = {
      again: false,
      cancel: clock.after(updateMs, () => {
        resting.delete(uri);
        if (entry.again) report(uri);
      }),
    };
    resting.set(uri, entry);
  };
  return {
    report,
    stop() {
      for (const { cancel } of resting.values()) cancel();
      resting.clear();
    },
  };
}

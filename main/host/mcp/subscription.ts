import type { Client } from '@modelcontextprotocol/client';
import type { Clock } from '../ports.ts';
import { messageOf } from '../refusal.ts';
import type { ListKind } from './lists.ts';
import type { ServerLog } from './serverLog.ts';

const firstRetryMs = 1000;
const maxRetryMs = 300_000;

/**
 * Keeps a `subscriptions/listen` stream open for the list changes a modern server offers (2026-07-28). After a stream that
 * broke, changes may have been missed, so that everything counts as changed. Legacy servers send their notices unasked.
 */
export function subscribeToChanges(options: { client: Client; clock: Clock; notice(kind: ListKind): void; log: ServerLog }): {
  stop(): void;
} {
  const { client, clock, log } = options;
  const capabilities = client.getServerCapabilities();
  const kinds = (['tools', 'resources', 'prompts'] as const).filter((kind) => capabilities?.[kind]?.listChanged === true);
  if (client.getProtocolEra() !== 'modern' || kinds.length === 0) return { stop: () => undefined };

  const stopped = new AbortController();
  let delay = firstRetryMs;
  let cancel: () => void = () => undefined;

  const listen = async (again: boolean) => {
    try {
      const subscription = await client.listen(
        {
          ...(kinds.includes('tools') ? { toolsListChanged: true } : {}),
          ...(kinds.includes('resources') ? { resourcesListChanged: true } : {}),
          ...(kinds.includes('prompts') ? { promptsListChanged: true } : {}),
        },
        { signal: stopped.signal },
      );
      if (again) for (const kind of kinds) options.notice(kind);
      const openedAt = clock.now();
      await subscription.closed;
      // A stream that held for a while may be opened again at once; one that breaks at once is left more and more time.
      if (clock.now() - openedAt > delay) delay = firstRetryMs;
    } catch (error) {
      if (stopped.signal.aborted) return;
      log.add('host', `It could not be asked to tell changes of its lists: ${messageOf(error).slice(0, 300)}`);
    }
    if (stopped.signal.aborted || client.transport === undefined) return;
    cancel = clock.after(delay, () => void listen(true));
    delay = Math.min(delay * 2, maxRetryMs);
  };
  void listen(false);

  return {
    stop() {
      stopped.abort();
      cancel();
    },
  };
}

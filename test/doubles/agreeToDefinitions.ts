import { randomUUID } from 'node:crypto';
import type { Host } from '../../main/host/createHost.ts';

/** A person who agrees to everything that servers define, at once: the answer is there before anybody hears of what waits. */
export function agreeToDefinitions(host: Pick<Host, 'on' | 'invoke'>): void {
  host.on((message) => {
    if (message.topic !== 'servers' || message.event.type !== 'server.changed') return;
    const { id, toReview } = message.event.server;
    if (toReview) void host.invoke('definition.accept', { commandId: randomUUID(), serverId: id, seen: toReview.seen });
  });
}

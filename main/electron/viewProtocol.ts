import { createHash } from 'node:crypto';
import type { CustomScheme, Protocol } from 'electron';
import type { ServerId } from '../../preload/contract/ids.ts';
import type { Host } from '../host/createHost.ts';
import type { Log } from '../host/ports.ts';
import { messageOf } from '../host/refusal.ts';

const scheme = 'maitre-view';

/** Standard and secure, so that each host of it is an origin of its own and the window may hold it; nothing else. */
export const viewScheme: CustomScheme = { scheme, privileges: { standard: true, secure: true } };

/** What the window's policy lets in. The addresses below cannot be guessed, and their host serves nothing else. */
export const viewSource = `${scheme}:`;

/** One origin a server. Hosts are lower-case, ids need not be. */
export const viewOriginOf = (serverId: ServerId): string =>
  `${scheme}://${createHash('sha256').update(serverId).digest('hex').slice(0, 32)}`;

/** Origin and path that a request asks for; null when the request is not to be answered. */
export function requestedView(method: string, url: string): { origin: string; path: string } | null {
  const parsed = method === 'GET' ? URL.parse(url) : null;
  if (parsed === null || !isViewPage(url) || parsed.search !== '') return null;
  return { origin: `${scheme}://${parsed.host}`, path: parsed.pathname };
}

/** Whether a frame inside the window may show this address: a view of a server, or the page around it. */
export function isViewPage(url: string): boolean {
  const parsed = URL.parse(url);
  if (parsed === null || parsed.protocol !== `${scheme}:` || parsed.username !== '' || parsed.password !== '') return false;
  return /^[0-9a-f]{32}$/.test(parsed.host) && /^\/(frame|view)\/[A-Za-z0-9_-]{43}$/.test(parsed.pathname);
}

/** Serves views of servers, each under the origin of its server, and says to the host where. `page`: origin of the window. */
export function serveViews(protocol: Protocol, host: Pick<Host, 'views'>, page: string, log: Log): void {
  protocol.handle(scheme, (request) => {
    const asked = requestedView(request.method, request.url);
    try {
      const { status, headers, body } = host.views.answer(asked?.origin ?? '', asked?.path ?? '');
      return new Response(body, { status, headers });
    } catch (error) {
      log.error('A view could not be served.', { error: messageOf(error) });
      return new Response('The view could not be served.\n', { status: 500 });
    }
  });
  host.views.showIn({ page, originOf: viewOriginOf });
}

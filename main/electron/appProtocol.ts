import { randomBytes } from 'node:crypto';
import type { CustomScheme, Protocol } from 'electron';
import type { Log } from '../host/ports.ts';
import { messageOf } from '../host/refusal.ts';
import { answerPage } from '../host/pageFiles.ts';
import { viewSource } from './viewProtocol.ts';

export const appHost = 'maitre';
export const appOrigin = `app://${appHost}`;
export const appUrl = `${appOrigin}/index.html`;

/** Standard and secure, so that the page has an origin of its own; nothing else, so that it can fetch nothing through it. */
export const appScheme: CustomScheme = { scheme: 'app', privileges: { standard: true, secure: true } };

/** Which path of the renderer a request asks for; null when the request is not to be answered. */
export function requestedPath(method: string, url: string): string | null {
  if (method !== 'GET') return null;
  const parsed = URL.parse(url);
  if (parsed === null || parsed.protocol !== 'app:' || parsed.host !== appHost) return null;
  if (parsed.username !== '' || parsed.password !== '') return null;
  return parsed.pathname;
}

/** Serves the built renderer under `app://maitre/`. Each answer carries the policy, with a nonce made for it. */
export function serveApp(protocol: Protocol, rendererDir: string, log: Log): void {
  protocol.handle('app', async (request) => {
    const pathname = requestedPath(request.method, request.url);
    const nonce = randomBytes(16).toString('base64');
    try {
      const answer = await answerPage(rendererDir, pathname ?? '', { nonce, connect: [], frames: [viewSource] });
      return new Response(answer.body, { status: answer.status, headers: answer.headers });
    } catch (error) {
      log.error('A page file could not be read.', { path: pathname, error: messageOf(error) });
      return new Response('The page could not be read.\n', { status: 500 });
    }
  });
}

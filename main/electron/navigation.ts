import type { WebContents } from 'electron';
import type { Log } from '../host/ports.ts';
import { appOrigin } from './appProtocol.ts';
import { isViewPage } from './viewProtocol.ts';

/**
 * Whether the address is one of our own pages. Compared by parts, since `startsWith` would take `app://maitre.evil/`
 * for ours.
 */
export function isOwnPage(url: string): boolean {
  const parsed = URL.parse(url);
  return parsed !== null && parsed.username === '' && parsed.password === '' && `${parsed.protocol}//${parsed.host}` === appOrigin;
}

/**
 * The page stays where it is: it navigates nowhere else, opens no window and embeds no web view. Links leave through
 * the command `link.open`, where the host checks them.
 */
export function stopNavigation(contents: WebContents, log: Log): void {
  const stop = (kind: string, url: string, event: { preventDefault(): void }): void => {
    if (isOwnPage(url)) return;
    event.preventDefault();
    log.warn('A navigation was stopped.', { kind, url: url.slice(0, 500) });
  };
  contents.on('will-navigate', (event) => stop('navigate', event.url, event));
  contents.on('will-frame-navigate', (event) => {
    // Which of them a frame may go to is said by the policy of the page around it.
    if (!event.isMainFrame && !isViewPage(event.url)) stop('frame', event.url, event);
  });
  contents.on('will-redirect', (event) => stop('redirect', event.url, event));
  contents.on('will-attach-webview', (event) => {
    event.preventDefault();
    log.warn('A web view was refused.');
  });
  contents.setWindowOpenHandler(({ url }) => {
    log.warn('A new window was refused.', { url: url.slice(0, 500) });
    return { action: 'deny' };
  });
}

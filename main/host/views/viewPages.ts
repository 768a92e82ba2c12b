import { randomBytes } from 'node:crypto';
import { withPrelude } from './viewPrelude.ts';

/** What a shell answers on the origin of views. */
export interface ViewAnswer {
  status: 200 | 404;
  headers: Record<string, string>;
  body: string;
}

/** Which paths there are: the page around a view, and the view. */
export const framePath = (id: string): string => `/frame/${id}`;
export const viewPath = (id: string): string => `/view/${id}`;

/** Nothing of the device, and nothing that tells others of what is looked at, whatever a browser allows by default. */
const permissionsPolicy = [
  ...['accelerometer', 'attribution-reporting', 'autoplay', 'browsing-topics', 'camera'],
  ...['clipboard-read', 'clipboard-write', 'display-capture', 'encrypted-media', 'fullscreen', 'gamepad', 'geolocation', 'gyroscope'],
  ...['hid', 'idle-detection', 'join-ad-interest-group', 'local-fonts', 'local-network-access', 'magnetometer', 'microphone', 'midi'],
  ...['payment', 'picture-in-picture', 'private-state-token-issuance', 'private-state-token-redemption', 'publickey-credentials-get'],
  ...['run-ad-auction', 'screen-wake-lock', 'serial', 'shared-storage', 'storage-access', 'usb', 'window-management'],
  'xr-spatial-tracking',
]
  .map((name) => `${name}=()`)
  .join(', ');

const headersOf = (csp: string): Record<string, string> => ({
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy': csp,
  'permissions-policy': permissionsPolicy,
  'x-content-type-options': 'nosniff',
  'x-dns-prefetch-control': 'off',
  'referrer-policy': 'no-referrer',
  'cross-origin-resource-policy': 'same-origin',
  'cache-control': 'no-store',
});

export const noView = (): ViewAnswer => ({
  status: 404,
  headers: { ...headersOf("default-src 'none'; sandbox"), 'content-type': 'text/plain; charset=utf-8' },
  body: 'There is no such view.\n',
});

/** The view itself, with its policy as a header, where nothing in the page comes before it. */
export const answerOfView = (html: string, csp: string): ViewAnswer => ({ status: 200, headers: headersOf(csp), body: withPrelude(html) });

/**
 * The page around a view: of another origin than the window, and it holds the view in a frame without any origin. It passes messages on
 * between the two, and lets nobody else speak. What begins with `ui/notifications/sandbox-` is between it and the window alone.
 *
 * @param page the window's origin, which alone may hold it and hear it
 */
export function frameAnswer(id: string, page: string, origin: string): ViewAnswer {
  const nonce = randomBytes(16).toString('base64');
  const csp = [
    "default-src 'none'",
    `script-src 'nonce-${nonce}'`,
    `style-src 'nonce-${nonce}'`,
    // The view can go nowhere else: this holds for every navigation of its frame, whoever begins it.
    `frame-src ${origin}${viewPath(id)}`,
    `frame-ancestors ${page}`,
    "base-uri 'none'",
    "form-action 'none'",
    "require-trusted-types-for 'script'",
    "trusted-types 'none'",
  ].join('; ');
  return {
    status: 200,
    headers: headersOf(csp),
    body: `<!doctype html>
<html>
<head>
<meta charset="utf-8">
<title>View</title>
<style nonce="${nonce}">
:root { color-scheme: light dark; }
html, body { margin: 0; height: 100%; overflow: hidden; background: transparent; }
iframe { display: block; width: 100%; height: 100%; border: 0; }
</style>
</head>
<body>
<script nonce="${nonce}">
'use strict';
const page = ${JSON.stringify(page)};
const own = 'ui/notifications/sandbox-';
let view = null;
const isOwn = (message) => typeof message === 'object' && message !== null && typeof message.method === 'string' && message.method.startsWith(own);
addEventListener('message', ({ source, origin, data }) => {
  if (source === parent && origin === page) {
    if (!isOwn(data)) view?.contentWindow.postMessage(data, '*');
    else if (data.method === own + 'resource-ready' && view === null) {
      view = document.createElement('iframe');
      view.setAttribute('sandbox', 'allow-scripts');
      view.setAttribute('allow', '');
      view.referrerPolicy = 'no-referrer';
      view.title = 'View';
      view.src = ${JSON.stringify(viewPath(id))};
      document.body.append(view);
    }
  } else if (view !== null && source === view.contentWindow && !isOwn(data)) parent.postMessage(data, page);
});
parent.postMessage({ jsonrpc: '2.0', method: own + 'proxy-ready', params: {} }, page);
</script>
</body>
</html>
`,
  };
}

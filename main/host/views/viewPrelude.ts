import { createHash } from 'node:crypto';

/**
 * The one script that a browser runs by itself in a view, and in any frame that a view makes. No policy of a page covers connections between
 * browsers (WebRTC), which carry anything anywhere; so they are taken away before anything else runs, and then the scripts of the page are run
 * from here: first the classic ones as one, then the modules. Nothing else may run a script: a frame within the view has to begin with this
 * very text, or stays without.
 *
 * What is different from a browser: scripts run when the page was read to its end, event handlers in attributes and scripts of other addresses
 * do not, and `DOMContentLoaded` is told again to those who could not hear it.
 */
const prelude = `(() => {
'use strict';
for (const name of Object.getOwnPropertyNames(globalThis)) if (/^(webkit)?RTC/.test(name)) delete globalThis[name];
if ('RTCPeerConnection' in globalThis || 'webkitRTCPeerConnection' in globalThis) return;
const own = document.currentScript;
const run = globalThis.eval;
const attempt = (text) => { try { run(text); } catch (error) { reportError(error); } };
document.addEventListener('DOMContentLoaded', () => {
  const scripts = [...document.querySelectorAll('script:not([src])')].filter((script) => script !== own);
  const ofType = (types) => scripts.filter(({ type }) => types.includes(type.trim().toLowerCase())).map(({ textContent }) => textContent);
  attempt(ofType(['', 'text/javascript', 'application/javascript']).join('\\n;\\n'));
  for (const text of ofType(['module'])) attempt('(async () => {"use strict";' + text + '\\n})().catch(reportError)');
  document.dispatchEvent(new Event('DOMContentLoaded'));
}, { once: true });
})();`;

/** As a source of `script-src`: the prelude, and what it runs. */
export const scriptSources = `'sha256-${createHash('sha256').update(prelude).digest('base64')}' 'unsafe-eval'`;

/** The page as it is served. What comes after belongs to the same head; a second doctype says nothing. */
export const withPrelude = (html: string): string => `<!doctype html><script>${prelude}</script>${html}`;

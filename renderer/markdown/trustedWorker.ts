/** What TypeScript's DOM library does not know yet of Trusted Types. */
interface TrustedTypes {
  createPolicy(name: string, rules: { createScriptURL(url: string): string }): { createScriptURL(url: string): URL };
}

const own = (url: string): string => {
  if (new URL(url, location.href).origin !== location.origin) throw new Error(`Not a script of this application: ${url}`);
  return url;
};

const trustedTypes = (globalThis as { trustedTypes?: TrustedTypes }).trustedTypes;

/** The only Trusted Types policy: it lets through addresses of our own worker files, nothing else ever becomes a script. */
const policy = trustedTypes?.createPolicy('maitre', { createScriptURL: own });

export const startWorker = (url: string): Worker =>
  new Worker(policy === undefined ? own(url) : policy.createScriptURL(url), { type: 'module' });

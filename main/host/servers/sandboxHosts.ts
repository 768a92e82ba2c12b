import { isValidAllowedDomainEntry } from '@anthropic-ai/sandbox-runtime/dist/sandbox/domain-pattern.js';

/** `example.com`, `*.example.com`, an address; each with `:port` where only one is meant. `*` and `*.com` are none. */
export const isHostPattern = (text: string): boolean => isValidAllowedDomainEntry(text);

export const noHost = (text: string): string =>
  `${JSON.stringify(text)} is no host that could be allowed. Write example.com or *.example.com, with :443 at the end if only one port is meant.`;

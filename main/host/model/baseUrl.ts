import { refuse } from '../refusal.ts';

/** Whether an address stays on this computer. */
export function isLoopback(baseUrl: string): boolean {
  const host = new URL(baseUrl).hostname;
  return host === 'localhost' || host === '[::1]' || /^127\.\d{1,3}\.\d{1,3}\.\d{1,3}$/.test(host);
}

/**
 * The base address of an API as a person typed it, without a slash at the end. Refuses with `invalidInput`: http is for this computer only,
 * since key and conversation would cross the network readable; credentials do not belong into an address.
 */
export function parseBaseUrl(typed: string): string {
  const text = typed.trim();
  if (!URL.canParse(text))
    return refuse('invalidInput', `“${text.slice(0, 200)}” is no address. It should look like https://host.example/v1.`);
  const url = new URL(text);
  if (url.protocol !== 'https:' && url.protocol !== 'http:') return refuse('invalidInput', 'The address must begin with https://.');
  if (url.protocol === 'http:' && !isLoopback(text)) {
    return refuse('invalidInput', 'Without encryption only addresses on this computer are allowed. Use https:// for others.');
  }
  if (url.username !== '' || url.password !== '')
    return refuse('invalidInput', 'The address holds a name or password. Leave it out and set the key instead.');
  if (url.search !== '' || url.hash !== '') return refuse('invalidInput', 'The address must end before “?” and “#”.');
  return url.href.replace(/\/+$/, '');
}

import { type Redactor, struckOut, withoutLookalikes } from '../redact.ts';
import type { HttpExchange } from './wireTrace.ts';

/** Headers whose values tell about the exchange and open nothing. Of every other one only the name is kept. */
const tellingHeaders = new Set([
  'accept',
  'allow',
  'cache-control',
  'connection',
  'content-encoding',
  'content-length',
  'content-type',
  'date',
  'last-event-id',
  'location',
  'mcp-method',
  'mcp-name',
  'mcp-protocol-version',
  'retry-after',
  'server',
  'traceparent',
  'transfer-encoding',
  'user-agent',
  'vary',
  'www-authenticate',
]);
const maxHeaders = 64;
const maxHeaderLength = 1000;

const tells = (name: string): boolean => tellingHeaders.has(name) || name.startsWith('mcp-param-');

/** Shorter ones would strike out ordinary words. */
const shortestSecret = 8;

/** What a server could repeat of an exchange that must not be read in its messages either: our headers, keys in the address, its session. */
export function secretsOfExchange({ url, requestHeaders, responseHeaders }: HttpExchange): string[] {
  const ours = [...requestHeaders].flatMap(([name, value]) => (tells(name) ? [] : [value, value.replace(/^\S+ /, '')]));
  const keys = URL.parse(url)?.searchParams.values() ?? [];
  const session = responseHeaders?.get('mcp-session-id') ?? '';
  return [...ours, ...keys, session].filter((value) => value.length >= shortestSecret);
}

/** Headers as they may be kept and shown, in order of their names. */
export function redactHeaders(headers: Headers, redactor: Pick<Redactor, 'known'>): [name: string, value: string][] {
  // Of a task, the name is its id, with which anybody could go on with it.
  const namesTask = headers.get('mcp-method')?.startsWith('tasks/') === true;
  return [...headers].slice(0, maxHeaders).map(([name, value]) => {
    if (!tells(name) || (name === 'mcp-name' && namesTask)) return [name, struckOut];
    const clean = withoutLookalikes(redactor.known(value));
    return [name, (name === 'location' ? redactUrl(clean, redactor) : clean).slice(0, maxHeaderLength)];
  });
}

/** An address without name and password, fragment and the values of its query: any of them may be a key. */
export function redactUrl(url: string, redactor: Pick<Redactor, 'known'>): string {
  const known = redactor.known(url);
  const parsed = URL.parse(known) ?? URL.parse(known, 'relative:/');
  if (parsed === null) return struckOut;
  const query = [...parsed.searchParams.keys()].map((name) => `${encodeURIComponent(name)}=${struckOut}`).join('&');
  const place = parsed.protocol === 'relative:' ? parsed.pathname : `${parsed.protocol}//${parsed.host}${parsed.pathname}`;
  return `${place}${query === '' ? '' : `?${query}`}`.slice(0, maxHeaderLength);
}

/**
 * Where an argument leads. `unclear`: programs read this address differently. `from` and `to` are where the host stands in the text, if it
 * stands there in the same letters.
 */
export type Destination = { kind: 'host'; host: string; from?: number; to?: number } | { kind: 'unclear' };

/** The host of a web address, or what stands behind the @ of an e-mail address; undefined for everything else. */
export function destinationOf(text: string): Destination | undefined {
  const value = text.trim();
  if (/^(https?|wss?|ftps?):\/\//i.test(value)) {
    const authority = /^[^:]+:\/\/([^/?#]*)/.exec(value)?.[1] ?? '';
    // User names, backslashes, controls and escapes before the path: what one program takes for the host, another takes for something else.
    // oxlint-disable-next-line no-control-regex
    if (authority === '' || /[\\\u0000-\u001f\u007f]/.test(value) || /[@%\s]/.test(authority)) return { kind: 'unclear' };
    const host = URL.parse(value)?.hostname ?? '';
    if (host === '') return { kind: 'unclear' };
    return authority.toLowerCase().startsWith(host.toLowerCase()) ? placed(host, text, text.indexOf(authority)) : { kind: 'host', host };
  }
  const host = /^[^\s@<>]+@([^\s@<>]+\.[^\s@<>]+)$/.exec(value)?.[1];
  return host === undefined ? undefined : placed(host, text, text.lastIndexOf(host));
}

const placed = (host: string, text: string, from: number): Destination =>
  from === -1 ? { kind: 'host', host } : { kind: 'host', host, from, to: Math.min(text.length, from + host.length) };

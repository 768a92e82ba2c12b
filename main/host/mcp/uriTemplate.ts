import { parseTemplate } from 'url-template';

const maxTemplate = 8192;
const expression = /\{([+#./;?&]?)([^{}]*)\}/g;
const variable = /^((?:[A-Za-z0-9_]|%[0-9A-Fa-f]{2})(?:\.?(?:[A-Za-z0-9_]|%[0-9A-Fa-f]{2}))*)(?::[1-9]\d{0,3}|\*)?$/;

/** The variables of a URI template (RFC 6570), in the order in which they stand, or why it cannot be used. */
export function templateVariables(template: string): { names: string[] } | { problem: string } {
  if (template.length > maxTemplate) return { problem: 'it is too long' };
  if (/[{}]/.test(template.replaceAll(expression, ''))) return { problem: 'its braces do not match' };
  const names = new Set<string>();
  for (const [, , list = ''] of template.matchAll(expression)) {
    for (const spec of list.split(',')) {
      const name = variable.exec(spec)?.[1];
      if (name === undefined) return { problem: `${JSON.stringify(spec.slice(0, 80))} is no name of a variable` };
      names.add(name);
    }
  }
  return { names: [...names] };
}

/**
 * Fills a URI template with what a person or a completion gave. Values are percent-encoded as RFC 6570 has it; none of them may change
 * where the address leads: its scheme, and with `//` its host, are those that the template itself writes down.
 */
export function fillTemplate(template: string, values: Readonly<Record<string, string>>): { uri: string } | { problem: string } {
  const read = templateVariables(template);
  if ('problem' in read) return { problem: `The template cannot be used: ${read.problem}.` };
  const known = Object.fromEntries(read.names.flatMap((name) => (Object.hasOwn(values, name) ? [[name, values[name] ?? '']] : [])));
  const uri = parseTemplate(template).expand(known);
  const fixed = template.slice(0, template.includes('{') ? template.indexOf('{') : undefined);
  const scheme = /^[A-Za-z][A-Za-z0-9+.-]*:/.exec(fixed)?.[0];
  if (scheme === undefined) return { problem: 'The template leaves open what kind of address it makes, so it is not filled.' };
  if (!URL.canParse(uri)) return { problem: 'With these values the template makes no address.' };
  const host = /^[A-Za-z][A-Za-z0-9+.-]*:\/\/[^/?#]*[/?#]/.exec(fixed)?.[0];
  // Only `{+x}` lets a value keep its slashes; whatever the template fixed must still stand at the beginning.
  if (!uri.startsWith(host ?? scheme) || !keepsHost(template, uri))
    return { problem: 'With these values the address would lead somewhere else than the template says.' };
  if (climbs(uri)) return { problem: 'With these values the address would lead out of the place that the template names.' };
  return { uri };
}

/** Percent signs may be decoded by a server, and again by what it calls. */
const mostDecodings = 4;

/**
 * Whether a server could be taken elsewhere than below what the template fixed: by a step `..`, and for files by a path that begins
 * anew (`//`), which is an absolute one or a share of another computer; plain or behind percent signs. Names with dots climb nowhere.
 */
function climbs(uri: string): boolean {
  const isFile = /^file:/i.test(uri);
  let path = uri.replace(/[?#].*$/s, '').replace(/^[^:]*:(?:\/\/[^/]*)?/, '');
  for (let round = 0; ; round++) {
    const slashed = path.replaceAll('\\', '/');
    if (slashed.split('/').includes('..') || (isFile && slashed.includes('//'))) return true;
    if (round === mostDecodings || !path.includes('%')) return false;
    path = path.replaceAll(/%([0-9a-f]{2})/gi, (_escape, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
  }
}

const authorityOfTemplate = /^[A-Za-z][A-Za-z0-9+.-]*:\/\/((?:\{(?![/?#])[^{}]*\}|[^/?#{}])*)/;
const authorityOfUri = /^[A-Za-z][A-Za-z0-9+.-]*:\/\/([^/?#]*)/;

/**
 * Whether what the template writes down of a host still stands there. An expression that follows a host at once could otherwise go
 * on with it (`https://good.example{+rest}` with `.evil.example`), or make it the name before an `@`.
 */
function keepsHost(template: string, uri: string): boolean {
  const written = authorityOfTemplate.exec(template)?.[1];
  if (written === undefined) return true;
  const made = authorityOfUri.exec(uri)?.[1] ?? '';
  if (made.includes('@') && !written.includes('@')) return false;
  const first = written.indexOf('{');
  if (first === -1) return made === written;
  const head = written.slice(0, first);
  const tail = written.slice(written.lastIndexOf('}') + 1);
  if (head === '' && tail === '') return true;
  return tail === '' ? made === head : made.length >= head.length + tail.length && made.startsWith(head) && made.endsWith(tail);
}

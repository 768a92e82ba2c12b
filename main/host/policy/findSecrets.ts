import { createHash } from 'node:crypto';
import { lintSource } from '@secretlint/core';
import { secretLintProfiler } from '@secretlint/profiler';
import { rules } from '@secretlint/secretlint-rule-preset-recommend';
import { keyBodies } from './keyBodies.ts';
import { keysInBase64 } from './keyStructure.ts';
import { argumentForms } from './originMarks.ts';

/** A private key, token or password in a text. */
export interface FoundSecret {
  /** `private key`, `GitHub Token`: for the middle of a sentence. */
  kind: string;
  /** UTF-16 offsets in the text; of a secret that is encoded, those of its encoded form. */
  from: number;
  to: number;
  lines: number;
  /** Masked. */
  preview: string;
  /** SHA-256 of the secret without its white space and encoding, in hex. */
  hash: string;
}

// It marks every run of every rule in a list that it never empties.
secretLintProfiler.setEnabled(false);

/** A comment in a text must not be able to switch the rules off. */
const filters = new Set(['@secretlint/secretlint-rule-filter-comments']);
const config = {
  rules: rules
    .filter(({ meta }) => !filters.has(meta.id) && meta.type === 'scanner')
    .map((rule) => ({ id: rule.meta.id, rule, options: {} })),
};

/** In UTF-16 units. */
const longestKey = 20_000;
/** Around an escape so much is decoded, in bytes: a key has one at the end of each line, or seldom. */
const reachOfSecret = 4096;
/** More than these in one text are not told apart: from the last of them on, all that follow are one. */
const mostFound = 100;

type Bare = Pick<FoundSecret, 'kind' | 'from' | 'to'>;

/** What the rule set lacks: keys cut off or encrypted, pieces of them, any password in any address, tokens that carry their own end, keys of Google. */
function extraFindings(text: string, now: number): Bare[] {
  const found: Bare[] = [];
  for (const { index: from, 0: head } of text.matchAll(/-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----/g)) {
    const begin = from + head.length;
    const next = text.indexOf('-----BEGIN', begin);
    const rest = text.slice(begin, Math.min(begin + longestKey, next < 0 ? Infinity : next));
    const end = /-----END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----/.exec(rest);
    // Up to its end, whatever stands between the lines: numbers, quotation marks. Where it is cut off, as far as it looks like one.
    const key = end ? rest.slice(0, end.index + end[0].length) : (/^[A-Za-z0-9+/=\s\\:,.-]*/.exec(rest)?.[0] ?? '');
    if (/[A-Za-z0-9+/=]{40}/.test(key)) found.push({ kind: 'private key', from, to: begin + key.trimEnd().length });
  }
  // The last piece of one that was read in pieces.
  for (const { index: end, 0: tail } of text.matchAll(/-----END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----/g)) {
    // Step by step: an expression that looks backwards begins anew at every character.
    let from = end;
    while (from > 0 && end - from < longestKey && /[A-Za-z0-9+/=\s\\]/.test(text.charAt(from - 1))) from -= 1;
    const body = text.slice(from, end);
    if (/[A-Za-z0-9+/=]{40}/.test(body)) found.push({ kind: 'private key', from: end - body.trimStart().length, to: end + tail.length });
  }
  for (const key of keysInBase64(text, longestKey)) found.push({ kind: 'private key', ...key });
  // The private number of a key as JSON (RFC 7518 §6), beside what kind of key it is.
  for (const { index: from, 0: member } of text.matchAll(/"d"\s{0,4}:\s{0,4}"[A-Za-z0-9_-]{42,1400}"/g))
    if (text.slice(Math.max(0, from - reachOfSecret), from + reachOfSecret).includes('"kty"'))
      found.push({ kind: 'private key', from, to: from + member.length });
  for (const body of keyBodies(text, longestKey)) found.push({ kind: 'what looks like a piece of a private key', ...body });
  for (const { index: from, 0: match, 1: password = '' } of text.matchAll(
    /\b[a-z][a-z0-9+.-]{1,20}:\/\/[^\s:@/?#'"<>]{0,128}:([^\s@/?#'"<>]{3,128})@[^\s@/'"<>]{1,255}/gi,
  ))
    if (!/^(passw(or)?d|pass|pwd?|secret|changeme|x+|\*+|[$%{[].*)$/i.test(password))
      found.push({ kind: 'password in a URL', from, to: from + match.length });
  for (const { index: from, 0: token, 1: payload = '' } of text.matchAll(
    /\beyJ[A-Za-z0-9_-]{10,2000}\.(eyJ[A-Za-z0-9_-]{10,4000})\.[A-Za-z0-9_-]{16,1000}/g,
  ))
    if (!isOver(payload, now)) found.push({ kind: 'signed token (JWT)', from, to: from + token.length });
  for (const { index: from, 0: key } of text.matchAll(/\bAIza[0-9A-Za-z_-]{35}\b/g))
    found.push({ kind: 'Google API key', from, to: from + key.length });
  for (const { index: from, 0: header } of text.matchAll(
    /\bauthorization["']?\s{0,4}:\s{0,4}["']?(?:bearer|basic)\s{1,4}[A-Za-z0-9._~+/-]{16,4096}=*/gi,
  ))
    found.push({ kind: 'authorization header', from, to: from + header.length });
  return found;
}

/** Whether a token says of itself that it is not valid any more. */
function isOver(payload: string, now: number): boolean {
  const text = Buffer.from(payload, 'base64url').toString('utf8');
  const expires = /"exp"\s*:\s*(\d{9,11})(?:\.\d+)?\s*[,}]/.exec(text)?.[1];
  return expires !== undefined && Number(expires) * 1000 < now;
}

async function bareFindings(text: string, now: number): Promise<Bare[]> {
  const { messages } = await lintSource({
    source: { filePath: 'text.txt', content: text, contentType: 'text', ext: '.txt' },
    options: { config, noPhysicFilePath: true },
  });
  return [
    ...messages.map(({ messageId, message, range: [from, to] }) => ({ kind: kindOf(messageId, message), from, to })),
    ...extraFindings(text, now),
  ];
}

/** The rules' own words, without what they found. */
function kindOf(messageId: string, message: string): string {
  if (messageId === 'PrivateKey') return 'private key';
  if (messageId === 'BasicAuth') return 'password in a URL';
  const words = /^found ([^:(]{1,80})[:(]/.exec(message)?.[1]?.trim();
  return words ?? 'secret';
}

/**
 * Finds private keys, tokens that look live, and passwords in addresses, by the recommended rules of secretlint, in the text and in what it
 * says decoded. In order, without overlap. Not bounded in time for hostile texts: runs where it can be stopped.
 */
export async function findSecrets(text: string, now: number): Promise<FoundSecret[]> {
  const found = await bareFindings(text, now);
  const forms = argumentForms([{ at: '', text }], reachOfSecret);
  const decodedFrom = forms.list[1]?.from;
  const hidden: (Bare & { decoded: string })[] = [];
  if (decodedFrom !== undefined) {
    // A character for each byte, so that offsets are those of the bytes. What is looked for is plain ASCII.
    const decoded = Buffer.from(forms.bytes.buffer, decodedFrom, forms.length - decodedFrom).toString('latin1');
    for (const { kind, from, to } of await bareFindings(decoded, now))
      hidden.push({
        kind,
        from: forms.starts?.[decodedFrom + from] ?? 0,
        to: forms.ends?.[decodedFrom + to - 1] ?? 0,
        decoded: decoded.slice(from, to),
      });
  }
  const all = [...found.map((each) => ({ ...each, decoded: text.slice(each.from, each.to) })), ...hidden];
  const apart: typeof all = [];
  for (const each of all.sort((a, b) => a.from - b.from || b.to - a.to)) {
    const previous = apart.at(-1);
    if (!previous || (each.from >= previous.to && apart.length < mostFound)) apart.push({ ...each });
    else if (each.to > previous.to) {
      previous.to = each.to;
      // What was said of the first alone is not said of both.
      previous.decoded += each.decoded;
    }
  }
  return apart.map(({ kind, from, to, decoded }) => ({
    kind,
    from,
    to,
    lines: decoded.trimEnd().split(/\r?\n|\\n/).length,
    preview: masked(kind, decoded),
    hash: createHash('sha256')
      .update(decoded.replaceAll(/\\[rn]|\s/g, ''))
      .digest('hex'),
  }));
}

const bullets = '••••';

/** Enough to recognise a secret by, too little to use it. */
function masked(kind: string, secret: string): string {
  if (kind.endsWith('private key')) return `${/^-----[A-Z0-9 ]{0,60}-----/.exec(secret)?.[0] ?? ''}${bullets}`;
  const address = /^([a-z][a-z0-9+.-]*:\/\/)([^\s:@/]*):.*@([^@]{1,255})$/is.exec(secret);
  if (address) return `${address[1]}${address[2]}:${bullets}@${address[3]}`.slice(0, 200);
  if (secret.length >= 24) return `${secret.slice(0, 4)}${bullets}${secret.slice(-4)}`;
  return `${secret.length >= 12 ? secret.slice(0, 3) : ''}${bullets}`;
}

/** The text with its secrets masked. `found` is in order, as {@link findSecrets} gives it. */
export function withSecretsMasked(text: string, found: readonly FoundSecret[]): string {
  let shown = '';
  let at = 0;
  for (const { from, to, preview } of found) {
    shown += text.slice(at, from) + preview;
    at = to;
  }
  return shown + text.slice(at);
}

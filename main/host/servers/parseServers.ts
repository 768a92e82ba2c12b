import type { ProposedServer, ServerConfig } from '../../../preload/contract/servers.ts';
import type { Node } from 'jsonc-parser';
import { type Place, memberOf, membersOf, parseJsonc, placeInWords, valueOf, withoutBom } from './jsonc.ts';
import { readEntry } from './entry.ts';

export type ParsedServers = { ok: true; proposed: ProposedServer[] } | { ok: false; message: string; at?: Place | undefined };

/**
 * Reads what people paste: a whole file (`mcpServers`, or `servers` as VS Code writes it), only the inner map, the inside of
 * the map without its braces, or one single entry. Comments, trailing commas and a byte order mark are fine. Adds nothing.
 */
export function parseServers(pasted: string): ParsedServers {
  const text = withoutBom(pasted);
  if (text.trim() === '') return { ok: false, message: 'There is nothing to read. Paste the JSON of one or more servers.' };

  let parsed = parseJsonc(text);
  if (!parsed.ok && /^\s*"/.test(text)) {
    // `"name": { … }`, copied out of a larger file. The brace stands on the first line, so only its columns move.
    const wrapped = parseJsonc(`{${text}}`);
    if (wrapped.ok) parsed = wrapped;
  }
  if (!parsed.ok) {
    const { message, at } = parsed.problem;
    return { ok: false, message: `This cannot be read at ${placeInWords(at)}: ${message}.`, at };
  }

  const { root } = parsed;
  if (root.type !== 'object') return { ok: false, message: 'This is no JSON object. Paste the part with "mcpServers": { … }.' };
  if (looksLikeEntry(root)) return { ok: true, proposed: [propose(suggestedName(root), root)] };

  const map = memberOf(root, 'mcpServers') ?? memberOf(root, 'servers') ?? memberOf(memberOf(root, 'mcp'), 'servers') ?? root;
  const entries = membersOf(map);
  if (map.type !== 'object' || (map === root && !entries.every((entry) => entry.value.type === 'object'))) {
    return { ok: false, message: 'No server was found in this JSON. It needs "mcpServers": { "name": { "command": … } } or "url".' };
  }
  if (entries.length === 0) return { ok: false, message: 'The list of servers in this JSON is empty.' };
  return { ok: true, proposed: entries.map((entry) => propose(entry.name.trim().slice(0, 128) || 'server', entry.value)) };
}

const isText = (node: Node | undefined): boolean => node?.type === 'string';

const looksLikeEntry = (node: Node): boolean =>
  ['command', 'url', 'serverUrl', 'httpUrl', 'bundled'].some((name) => isText(memberOf(node, name)));

function propose(name: string, node: Node): ProposedServer {
  const read = readEntry(valueOf(node));
  return read.config ? { name, config: withSecretReferences(withoutOff(read.config)) } : { name, problem: read.problem };
}

/** That a server runs without protection is for the person to say, not for who wrote what he pastes; and no text brings the files of a bundle along. */
function withoutOff(config: ServerConfig): ServerConfig {
  if ('url' in config) return config;
  const { sandbox, ...held } = config;
  const whole = sandbox === undefined || sandbox === 'off' ? held : { ...held, sandbox };
  if (!('bundle' in whole)) return whole as ServerConfig;
  const { bundle: _files, ...program } = whole;
  return program;
}

/** A name for an entry that came without one: its host, the package it runs, or its program. */
function suggestedName(entry: Node): string {
  const url = memberOf(entry, 'url') ?? memberOf(entry, 'serverUrl') ?? memberOf(entry, 'httpUrl');
  if (isText(url)) return URL.parse(String(url?.value))?.hostname || 'server';
  const args = (memberOf(entry, 'args')?.children ?? []).map((node) => String(node.value));
  const words = [args.find((word) => !word.startsWith('-')), memberOf(entry, 'command')?.value];
  const word = words.find((candidate) => typeof candidate === 'string' && candidate !== '');
  const base = typeof word === 'string' ? word.split(/[\\/]/).at(-1) : undefined;
  return base?.replace(/(?<=.)@[^@]*$/, '').slice(0, 128) || 'server';
}

/** VS Code asks for `${input:ID}` at each start; here the same value is a secret that is asked for once. */
function withSecretReferences(config: ServerConfig): ServerConfig {
  const text = (value: string): string =>
    value.replace(/\$\{input:([A-Za-z0-9_. -]{1,128})\}/g, (_whole, id: string) => `\${secret:${secretNameFrom(id)}}`);
  const record = (values: Record<string, string>) => Object.fromEntries(Object.entries(values).map(([name, value]) => [name, text(value)]));
  if ('bundled' in config) return config;
  if ('url' in config) return { ...config, url: text(config.url), ...(config.headers && { headers: record(config.headers) }) };
  return {
    ...config,
    ...(config.args && { args: config.args.map(text) }),
    ...(config.env && { env: record(config.env) }),
  };
}

const secretNameFrom = (id: string): string => id.replace(/[^A-Za-z0-9_]/g, '_').replace(/^(?=[0-9])/, '_');

import type { ServerDetails } from '../../../preload/contract/servers.ts';
import { type Redactor, struckOut, withoutLookalikes } from '../redact.ts';
import { redactUrl } from './redactEnvelope.ts';
import type { KeptEntry } from './ring.ts';

/** What a bug report needs to know of one server. */
export interface BundleParts {
  at: number;
  versions: Record<string, string>;
  details: ServerDetails;
  /** Oldest first. */
  entries: readonly KeptEntry[];
  redactor: Pick<Redactor, 'known'>;
  home: string;
}

/** A bundle stays below this, in characters of its JSON as a JSON string, so that it fits one message of the bridge. */
const maxBundle = 700_000;
/** Of one message this much is given. */
const maxMessage = 16_384;
const maxLogLines = 100;

/**
 * One JSON text to be put into a bug report: versions, how the server stands, its configuration, its log, and as many of the newest
 * messages as fit. Values of environment and headers are left out whatever they are, the person's home folder is written `~`.
 */
export function bundleOf({ at, versions, details, entries, redactor, home }: BundleParts): string {
  const clean = (text: string): string => withoutLookalikes(redactor.known(text)).replaceAll(home, '~');
  const { server, tools, resources, prompts, warnings, log, configJson } = details;
  const facts = {
    report: 'What Maitre knows of one MCP server. Secrets are left out; read it before you pass it on.',
    at: new Date(at).toISOString(),
    versions,
    server: {
      kind: server.kind,
      ...(server.bundled && { bundled: server.bundled }),
      name: clean(server.name),
      enabled: server.enabled,
      status: cleanDeep(server.status, clean),
      ...(server.protocol && { protocol: server.protocol }),
      ...(server.reported && { reported: cleanDeep(server.reported, clean) }),
      configuration: configuration(configJson, clean, redactor),
    },
    offers: { tools: tools.length, resources: resources.length, prompts: prompts.length },
    problems: tools.flatMap((tool) => (tool.problem === undefined ? [] : [{ tool: clean(tool.name), problem: clean(tool.problem) }])),
    warnings: warnings.map(clean),
    log: log.slice(-maxLogLines).map((line) => `${new Date(line.at).toISOString()} ${line.stream}: ${clean(line.text)}`),
  };
  let left = maxBundle - sizeOf(facts);
  const messages: unknown[] = [];
  for (let index = entries.length - 1; index >= 0 && left > 0; index -= 1) {
    const kept = entries[index];
    if (!kept) continue;
    const { serverId: _server, at: when, ...entry } = kept.entry;
    const message = {
      ...entry,
      at: new Date(when).toISOString(),
      ...(kept.http && { http: kept.http }),
      text: clean(kept.text.length > maxMessage ? `${kept.text.slice(0, maxMessage).toWellFormed()}…` : kept.text),
    };
    left -= sizeOf(message);
    if (left > 0) messages.unshift(message);
  }
  return JSON.stringify({ ...facts, leftOut: entries.length - messages.length, messages }, null, 1);
}

/** As the value counts inside a string inside JSON, with its line breaks, in bytes. */
const sizeOf = (value: unknown): number => Buffer.byteLength(JSON.stringify(JSON.stringify(value, null, 1))) * 1.05 + 64;

function cleanDeep(value: unknown, clean: (text: string) => string): unknown {
  if (typeof value === 'string') return clean(value);
  if (Array.isArray(value)) return value.map((each) => cleanDeep(each, clean));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, cleanDeep(member, clean)]));
}

function configuration(json: string, clean: (text: string) => string, redactor: Pick<Redactor, 'known'>): unknown {
  let entry: unknown;
  try {
    entry = JSON.parse(json);
  } catch (error) {
    // A file with comments in it; what cannot be taken apart is not given.
    if (error instanceof SyntaxError) return 'It cannot be read as JSON.';
    throw error;
  }
  if (typeof entry !== 'object' || entry === null) return 'It is no object.';
  return Object.fromEntries(
    Object.entries(entry).map(([name, member]: [string, unknown]) => {
      if ((name === 'env' || name === 'headers') && typeof member === 'object' && member !== null)
        return [name, Object.fromEntries(Object.keys(member).map((key) => [key, struckOut]))];
      if (name === 'url' && typeof member === 'string') return [name, redactUrl(member, redactor)];
      return [name, cleanDeep(member, clean)];
    }),
  );
}

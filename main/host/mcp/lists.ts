import type { Client } from '@modelcontextprotocol/client';
import { ProtocolError, ProtocolErrorCode } from '@modelcontextprotocol/client';
import { isNestedTooDeep } from '../nesting.ts';
import { messageOf } from '../refusal.ts';
import { readResourceMethod } from './callTool.ts';
import type { ListedTool, ServerLists } from './serverLists.ts';
import { problemOfAnswer } from './messageProblem.ts';
import { paramHeadersOf } from './paramHeaders.ts';
import { uiOf } from '../views/viewOfTool.ts';
import { isRecord, rawResultOf, rawResultSchema } from './rawResults.ts';
import { type ReadCache, ttlOf } from './readCache.ts';
import { templateVariables } from './uriTemplate.ts';

export type ListKind = 'tools' | 'resources' | 'templates' | 'prompts';
export const listKinds: readonly ListKind[] = ['tools', 'resources', 'templates', 'prompts'];

/** How each list is asked for, under which name it comes, and what a server must declare to have it. */
export const listMethods = {
  tools: { method: 'tools/list', member: 'tools', capability: 'tools' },
  resources: { method: 'resources/list', member: 'resources', capability: 'resources' },
  templates: { method: 'resources/templates/list', member: 'resourceTemplates', capability: 'resources' },
  prompts: { method: 'prompts/list', member: 'prompts', capability: 'prompts' },
} as const;

/** In warnings. */
const wordsOf: Record<ListKind, string> = { tools: 'tools', resources: 'resources', templates: 'resource templates', prompts: 'prompts' };

/** One list as far as it could be read. `warnings` are sentences for the person. */
interface ReadList<Item> {
  items: Item[];
  warnings: string[];
}

/** `pages`: the cursors that were followed, the first one empty. `hasTtl`: the server says how long the list is good. */
export interface ReadPages extends ReadList<unknown> {
  pages: string[];
  hasTtl: boolean;
}

export const maxPages = 64;
const maxListCharacters = 16 * 1024 * 1024;
const maxNameLength = 1024;

/**
 * All pages of a list (MCP "Pagination"). Cursors are opaque: an empty one is followed like any other, but none twice, which
 * would go round for ever. What was read before something went wrong is kept, and the warning says what is missing.
 * Rejects when not even the first page could be read.
 */
export async function readPages(
  kind: ListKind,
  fetchPage: (cursor: string | undefined) => Promise<Record<string, unknown>>,
): Promise<ReadList<unknown>> {
  const items: unknown[] = [];
  const followed = new Set<string>();
  const incomplete = (why: string): ReadList<unknown> => ({
    items,
    warnings: [`The list of ${wordsOf[kind]} is incomplete: ${why}.`],
  });
  let cursor: string | undefined;
  let characters = 0;

  for (let page = 1; ; page += 1) {
    let result: Record<string, unknown>;
    try {
      result = await fetchPage(cursor);
    } catch (error) {
      if (page === 1 || error instanceof OutOfDate) throw error;
      return incomplete(`page ${page} could not be read (${messageOf(error).slice(0, 300)})`);
    }
    const listed = result[listMethods[kind].member];
    if (!Array.isArray(listed)) return incomplete(`page ${page} of the server holds no list`);
    // What cannot be walked through is as good as nothing; the other entries stay.
    const pageItems = listed.map((item: unknown) => (isNestedTooDeep(item) ? null : item));
    characters += JSON.stringify(pageItems).length;
    if (characters > maxListCharacters) return incomplete(`it is longer than ${maxListCharacters / 1_048_576} MiB`);
    for (const item of pageItems) items.push(item);

    const next = result['nextCursor'];
    if (next === undefined || next === null) return { items, warnings: [] };
    if (typeof next !== 'string') return incomplete('the server names the next page in a form that is not allowed');
    if (followed.has(next)) return incomplete('the server names a page again that was read before');
    if (page === maxPages) return incomplete(`it has more than ${maxPages} pages`);
    followed.add(next);
    cursor = next;
  }
}

/** A cursor of a page that was kept is not known any more: everything kept of this list is out of date. */
const badCursor = -32602;

/**
 * Reads one list of a connected server, page by page, each from `cache` while it is fresh. A server without the capability has an
 * empty list. A cursor that is refused after a kept page means that the kept pages belong together no more: the list is read afresh.
 */
export async function readList(
  client: Client,
  kind: ListKind,
  options: { timeoutMs: number; signal: AbortSignal; cache: ReadCache },
): Promise<ReadPages> {
  const { method, capability } = listMethods[kind];
  const { cache } = options;
  const nothing = (warnings: string[]): ReadPages => ({ items: [], warnings, pages: [], hasTtl: false });
  if (!client.getServerCapabilities()?.[capability]) return nothing([]);
  let usedKept = false;
  let hasTtl = false;
  let pages: string[] = [];
  const fetchPage = async (cursor: string | undefined) => {
    pages.push(cursor ?? '');
    const kept = cache.read(method, cursor ?? '');
    if (kept) {
      usedKept = true;
      hasTtl = true;
      return kept;
    }
    const asOf = cache.asOf();
    const page = rawResultOf(
      await client.request({ method, params: cursor === undefined ? {} : { cursor } }, rawResultSchema, {
        timeout: options.timeoutMs,
        signal: options.signal,
      }),
    );
    cache.keep(method, cursor ?? '', page, asOf);
    hasTtl ||= ttlOf(page) > 0;
    return page;
  };
  const fetchOrStartAgain = async (cursor: string | undefined) => {
    try {
      return await fetchPage(cursor);
    } catch (error) {
      if (usedKept && error instanceof ProtocolError && error.code === badCursor) throw new OutOfDate();
      throw error;
    }
  };
  try {
    try {
      return { ...(await readPages(kind, fetchOrStartAgain)), pages, hasTtl };
    } catch (error) {
      if (!(error instanceof OutOfDate)) throw error;
      cache.forget(method);
      usedKept = false;
      pages = [];
      return { ...(await readPages(kind, fetchOrStartAgain)), pages, hasTtl };
    }
  } catch (error) {
    // Some servers declare what they do not have. Others answer the list with an error: the rest of them works all the same.
    if (error instanceof ProtocolError && error.code === ProtocolErrorCode.MethodNotFound) return nothing([]);
    const why = error instanceof ProtocolError ? error.message : problemOfAnswer(error);
    if (why === undefined) throw error;
    return nothing([`The list of ${wordsOf[kind]} could not be read: ${why.slice(0, 300)}`]);
  }
}

class OutOfDate extends Error {}

/**
 * Makes what a server lists into tools. A tool that cannot be used stays, with the reason in `problem`; the others work on.
 * Of two tools of one name the first counts. `overHttp`: the tool's arguments must also fit into headers (2026-07-28 only).
 */
export function toolsOf(items: readonly unknown[], overHttp: boolean): ReadList<ListedTool> {
  const warnings: string[] = [];
  const tools = new Map<string, ListedTool>();
  items.forEach((item, index) => {
    const tool = toolOf(item, index, overHttp);
    if (tools.has(tool.name)) return;
    tools.set(tool.name, tool);
    if (tool.problem !== undefined) warnings.push(`The tool ${tool.name} cannot be used: ${tool.problem}.`);
  });
  return { items: [...tools.values()], warnings };
}

/** What names an entry of each list. */
const nameIn: Record<ListKind, string> = { tools: 'name', resources: 'uri', templates: 'uriTemplate', prompts: 'name' };
/** Names of one sentence, and characters of each. */
const maxNamed = 10;
const maxNamedLength = 100;

/** What of a list is not there for the person, in sentences: entries without a name (of tools they stay, with that problem), and names that come again. */
export function leftOutOf(kind: ListKind, items: readonly unknown[]): string[] {
  const names = new Set<string>();
  const again = new Set<string>();
  let nameless = 0;
  for (const item of items) {
    const name = isRecord(item) ? text(item[nameIn[kind]]) : undefined;
    if (name === undefined) nameless += 1;
    else if (names.has(name)) again.add(name);
    else names.add(name);
  }
  const warnings: string[] = [];
  if (nameless > 0 && kind !== 'tools')
    warnings.push(`The list of ${wordsOf[kind]} has entries without a "${nameIn[kind]}" (${nameless}), which are left out.`);
  if (again.size > 0) {
    const shown = [...again].slice(0, maxNamed).map((name) => JSON.stringify(name.slice(0, maxNamedLength)));
    const more = again.size > maxNamed ? ` and ${again.size - maxNamed} more` : '';
    warnings.push(`The list of ${wordsOf[kind]} names these more than once, and the first of each counts: ${shown.join(', ')}${more}.`);
  }
  return warnings;
}

function toolOf(item: unknown, index: number, overHttp: boolean): ListedTool {
  const raw = isRecord(item) ? item : {};
  const name = raw['name'];
  const named = typeof name === 'string' && name !== '' && name.length <= maxNameLength;
  const isTooLong = typeof name === 'string' && name.length > maxNameLength;
  const schema = raw['inputSchema'];
  const annotations = isRecord(raw['annotations']) ? raw['annotations'] : undefined;
  const execution = isRecord(raw['execution']) ? raw['execution'] : {};
  const tool: ListedTool = {
    name: named ? name : `(tool ${index + 1})`,
    title: text(raw['title']) ?? text(annotations?.['title']),
    description: text(raw['description']),
    inputSchema: isRecord(schema) ? schema : {},
    outputSchema: isRecord(raw['outputSchema']) ? raw['outputSchema'] : undefined,
    annotations,
    ...appearance(raw),
    ...(execution['taskSupport'] === 'required' || execution['taskSupport'] === 'optional' ? { runsAsTask: true } : {}),
  };
  const problem = !isRecord(item)
    ? 'the server lists something here that is no tool'
    : !named
      ? isTooLong
        ? `its name is longer than ${maxNameLength} characters`
        : 'it has no "name"'
      : name === readResourceMethod
        ? 'it has the name of a request of the protocol'
        : schemaProblem(schema, overHttp);
  return problem === undefined ? tool : { ...tool, problem };
}

function schemaProblem(schema: unknown, overHttp: boolean): string | undefined {
  if (!isRecord(schema)) return 'the schema of its arguments is missing or no object';
  const { type } = schema;
  if (type !== undefined && type !== 'object')
    return `its arguments are described as ${JSON.stringify(type).slice(0, 80)} and must be an object`;
  if (!overHttp) return undefined;
  const headers = paramHeadersOf(schema);
  return 'problem' in headers ? headers.problem : undefined;
}

export function resourcesOf(items: readonly unknown[]): ServerLists['resources'] {
  const resources = new Map<string, ServerLists['resources'][number]>();
  for (const item of items) {
    const uri = isRecord(item) ? text(item['uri']) : undefined;
    if (!isRecord(item) || uri === undefined || resources.has(uri)) continue;
    const { size } = item;
    resources.set(uri, {
      uri,
      ...described(item, uri),
      mimeType: text(item['mimeType']),
      ...(typeof size === 'number' && Number.isSafeInteger(size) && size >= 0 ? { size } : {}),
    });
  }
  return [...resources.values()];
}

export function templatesOf(items: readonly unknown[]): ServerLists['templates'] {
  const templates = new Map<string, ServerLists['templates'][number]>();
  for (const item of items) {
    const uriTemplate = isRecord(item) ? text(item['uriTemplate']) : undefined;
    if (!isRecord(item) || uriTemplate === undefined || templates.has(uriTemplate)) continue;
    const variables = templateVariables(uriTemplate);
    templates.set(uriTemplate, {
      uriTemplate,
      ...described(item, uriTemplate),
      mimeType: text(item['mimeType']),
      variables: 'names' in variables ? variables.names : [],
      ...('problem' in variables ? { problem: variables.problem } : {}),
    });
  }
  return [...templates.values()];
}

export function promptsOf(items: readonly unknown[]): ServerLists['prompts'] {
  const prompts = new Map<string, ServerLists['prompts'][number]>();
  for (const item of items) {
    const name = isRecord(item) ? text(item['name']) : undefined;
    if (!isRecord(item) || name === undefined || prompts.has(name)) continue;
    const asked: unknown[] = Array.isArray(item['arguments']) ? item['arguments'] : [];
    prompts.set(name, {
      ...described(item, name),
      arguments: asked.filter(isRecord).flatMap((argument) => {
        const argumentName = text(argument['name']);
        if (argumentName === undefined) return [];
        return [{ ...described(argument, argumentName), ...(argument['required'] === true ? { required: true } : {}) }];
      }),
    });
  }
  return [...prompts.values()];
}

const described = (item: Record<string, unknown>, otherwise: string) => ({
  name: text(item['name']) ?? otherwise,
  title: text(item['title']),
  description: text(item['description']),
  ...appearance(item),
});

/** How it is shown: part of what a person agrees to, since it can make one thing look like another. */
function appearance(item: Record<string, unknown>): { icons?: unknown[]; ui?: unknown } {
  const { icons, _meta: meta } = item;
  const ui = uiOf(meta);
  return { ...(Array.isArray(icons) ? { icons } : {}), ...(ui === undefined ? {} : { ui }) };
}

function text(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

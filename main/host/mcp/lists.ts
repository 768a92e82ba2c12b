import type { Client } from '@modelcontextprotocol/client';
import { ProtocolError, ProtocolErrorCode } from '@modelcontextprotocol/client';
import { messageOf } from '../refusal.ts';
import type { ListedTool, ServerLists } from './connection.ts';
import { paramHeadersOf } from './paramHeaders.ts';
import { isRecord, rawResultOf, rawResultSchema } from './rawResults.ts';

export type ListKind = 'tools' | 'resources' | 'prompts';

/** One list as far as it could be read. `warnings` are sentences for the person. */
interface ReadList<Item> {
  items: Item[];
  warnings: string[];
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
  const incomplete = (why: string): ReadList<unknown> => ({ items, warnings: [`The list of ${kind} is incomplete: ${why}.`] });
  let cursor: string | undefined;
  let characters = 0;

  for (let page = 1; ; page += 1) {
    let result: Record<string, unknown>;
    try {
      result = await fetchPage(cursor);
    } catch (error) {
      if (page === 1) throw error;
      return incomplete(`page ${page} could not be read (${messageOf(error).slice(0, 300)})`);
    }
    const pageItems = result[kind];
    if (!Array.isArray(pageItems)) return incomplete(`page ${page} of the server holds no list`);
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

/** Reads one list of a connected server. A server without the capability has an empty one. */
export async function readList(
  client: Client,
  kind: ListKind,
  options: { timeoutMs: number; signal: AbortSignal },
): Promise<ReadList<unknown>> {
  if (!client.getServerCapabilities()?.[kind]) return { items: [], warnings: [] };
  try {
    return await readPages(kind, async (cursor) =>
      rawResultOf(
        await client.request({ method: `${kind}/list`, params: cursor === undefined ? {} : { cursor } }, rawResultSchema, {
          timeout: options.timeoutMs,
          signal: options.signal,
        }),
      ),
    );
  } catch (error) {
    // Some servers declare what they do not have. Others answer the list with an error: the rest of them works all the same.
    if (!(error instanceof ProtocolError)) throw error;
    if (error.code === ProtocolErrorCode.MethodNotFound) return { items: [], warnings: [] };
    return { items: [], warnings: [`The list of ${kind} could not be read: ${error.message.slice(0, 300)}`] };
  }
}

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

function toolOf(item: unknown, index: number, overHttp: boolean): ListedTool {
  const raw = isRecord(item) ? item : {};
  const name = raw['name'];
  const named = typeof name === 'string' && name !== '' && name.length <= maxNameLength;
  const schema = raw['inputSchema'];
  const annotations = isRecord(raw['annotations']) ? raw['annotations'] : undefined;
  const tool: ListedTool = {
    name: named ? name : `(tool ${index + 1})`,
    title: text(raw['title']) ?? text(annotations?.['title']),
    description: text(raw['description']),
    inputSchema: isRecord(schema) ? schema : {},
    outputSchema: isRecord(raw['outputSchema']) ? raw['outputSchema'] : undefined,
    annotations,
  };
  const problem = !isRecord(item)
    ? 'the server lists something here that is no tool'
    : !named
      ? 'it has no usable name'
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
    resources.set(uri, { uri, name: text(item['name']) ?? uri, description: text(item['description']), mimeType: text(item['mimeType']) });
  }
  return [...resources.values()];
}

export function promptsOf(items: readonly unknown[]): ServerLists['prompts'] {
  const prompts = new Map<string, ServerLists['prompts'][number]>();
  for (const item of items) {
    const name = isRecord(item) ? text(item['name']) : undefined;
    if (!isRecord(item) || name === undefined || prompts.has(name)) continue;
    prompts.set(name, { name, description: text(item['description']) });
  }
  return [...prompts.values()];
}

function text(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

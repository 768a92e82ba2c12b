import type { Client } from '@modelcontextprotocol/client';
import type { Clock } from '../ports.ts';
import { messageOf } from '../refusal.ts';
import type { ServerLists } from './connection.ts';
import { listChanges } from './listChanges.ts';
import { type ListKind, promptsOf, readList, resourcesOf, toolsOf } from './lists.ts';
import type { ServerLog } from './serverLog.ts';

/** Milliseconds for one page of a list once the server is connected. */
const listTimeoutMs = 30_000;
/** Resources and prompts are no reason to keep the tools waiting, in milliseconds. */
const sideListTimeoutMs = 10_000;

/** The lists of a connected server: read once at the start, then again when it says that they changed. */
export function keptLists(options: {
  client: Client;
  /** Modern Streamable HTTP, where arguments may have to fit into headers. */
  overHttp: boolean;
  clock: Clock;
  log: ServerLog;
  startSignal: AbortSignal;
  startTimeoutMs: number;
  hasEnded(): boolean;
  onChange(lists: ServerLists): void;
}) {
  const { client, overHttp, clock, startSignal } = options;
  const stopped = new AbortController();
  const reported = client.getServerVersion();
  const instructions = client.getInstructions();
  const warnings: Record<ListKind | 'noisy', string[]> = { tools: [], resources: [], prompts: [], noisy: [] };
  let lists: ServerLists = {
    tools: [],
    resources: [],
    prompts: [],
    instructions,
    reported: reported && { name: reported.name, version: reported.version },
    warnings: [],
  };

  /** Replaces one list as a whole, so that nobody ever sees half of a change. Says whether anything differs. */
  const put = (kind: ListKind, read: { items: unknown[]; warnings: string[] }): boolean => {
    const before = JSON.stringify(lists);
    const tools = kind === 'tools' ? toolsOf(read.items, overHttp) : undefined;
    warnings[kind] = [...read.warnings, ...(tools?.warnings ?? [])];
    lists = {
      ...lists,
      ...(tools ? { tools: tools.items } : {}),
      ...(kind === 'resources' ? { resources: resourcesOf(read.items) } : {}),
      ...(kind === 'prompts' ? { prompts: promptsOf(read.items) } : {}),
      warnings: Object.values(warnings).flat(),
    };
    return JSON.stringify(lists) !== before;
  };

  /** A side list that does not come is a warning: the tools work without it. */
  const readSide = async (kind: ListKind) => {
    try {
      put(kind, await readList(client, kind, { timeoutMs: sideListTimeoutMs, signal: startSignal }));
    } catch (error) {
      if (startSignal.aborted || options.hasEnded()) throw error;
      put(kind, { items: [], warnings: [`The list of ${kind} could not be read: ${messageOf(error)}`] });
    }
  };

  const changes = (kind: ListKind) =>
    listChanges({
      clock,
      async read() {
        try {
          const changed = put(kind, await readList(client, kind, { timeoutMs: listTimeoutMs, signal: stopped.signal }));
          if (changed) options.onChange(lists);
          return changed;
        } catch (error) {
          if (!stopped.signal.aborted && !options.hasEnded())
            options.log.add('host', `The list of ${kind} could not be read again: ${messageOf(error)}`);
          return false;
        }
      },
      onNoisy() {
        const warning = `It says again and again that its ${kind} have changed, though they have not. They are read more rarely now.`;
        if (warnings.noisy.includes(warning)) return;
        warnings.noisy.push(warning);
        lists = { ...lists, warnings: Object.values(warnings).flat() };
        options.onChange(lists);
      },
    });
  const changing = { tools: changes('tools'), resources: changes('resources'), prompts: changes('prompts') };

  return {
    current: () => lists,
    notice: (kind: ListKind) => changing[kind].notice(),
    async readAll() {
      const tools = readList(client, 'tools', { timeoutMs: options.startTimeoutMs, signal: startSignal }).then((read) =>
        put('tools', read),
      );
      await Promise.all([tools, readSide('resources'), readSide('prompts')]);
    },
    stop() {
      stopped.abort();
      for (const each of Object.values(changing)) each.stop();
    },
  };
}

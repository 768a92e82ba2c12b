import type { Client } from '@modelcontextprotocol/client';
import type { Clock } from '../ports.ts';
import { messageOf } from '../refusal.ts';
import type { ServerLists } from './serverLists.ts';
import { listChanges } from './listChanges.ts';
import {
  leftOutOf,
  type ListKind,
  listKinds,
  listMethods,
  promptsOf,
  readList,
  type ReadPages,
  resourcesOf,
  templatesOf,
  toolsOf,
} from './lists.ts';
import type { ReadCache } from './readCache.ts';
import type { ServerLog } from './serverLog.ts';
import type { Introduction } from './takeIntroduction.ts';

/** Milliseconds for one page of a list once the server is connected. */
const listTimeoutMs = 30_000;
/** Resources and prompts are no reason to keep the tools waiting, in milliseconds. */
const sideListTimeoutMs = 10_000;
/** A list that its server calls stale at once is not read more often than this, in milliseconds. */
const minAgainMs = 10_000;

/**
 * The lists of a connected server: read once at the start, again when it says that they changed, and, where it gives them a time to
 * live, when they are needed after that.
 */
export function keptLists(options: {
  client: Client;
  introduction: Introduction;
  era: 'legacy' | 'modern';
  /** Modern Streamable HTTP, where arguments may have to fit into headers. */
  overHttp: boolean;
  clock: Clock;
  log: ServerLog;
  cache: ReadCache;
  startSignal: AbortSignal;
  startTimeoutMs: number;
  hasEnded(): boolean;
  /** Whether the server has promised to tell of changes of this list. */
  isTold(kind: ListKind): boolean;
  onChange(lists: ServerLists): void;
}) {
  const { client, overHttp, clock, startSignal, cache } = options;
  const stopped = new AbortController();
  const reported = client.getServerVersion();
  const instructions = client.getInstructions();
  const { icons, problems } = options.introduction;
  const introduced = problems.length === 0 ? [] : [`Of what it says of itself some is left out: ${problems.join(', ').slice(0, 500)}.`];
  const warnings: Record<ListKind | 'introduced' | 'noisy', string[]> = {
    introduced,
    tools: [],
    resources: [],
    templates: [],
    prompts: [],
    noisy: [],
  };
  const known: Record<ListKind, { pages: string[]; hasTtl: boolean; readAt: number }> = {
    tools: { pages: [], hasTtl: false, readAt: 0 },
    resources: { pages: [], hasTtl: false, readAt: 0 },
    templates: { pages: [], hasTtl: false, readAt: 0 },
    prompts: { pages: [], hasTtl: false, readAt: 0 },
  };
  let lists: ServerLists = {
    tools: [],
    resources: [],
    templates: [],
    prompts: [],
    instructions,
    ...(Array.isArray(icons) ? { icons } : {}),
    ...(reported && reported.name !== '' ? { reported: { name: reported.name, version: reported.version } } : {}),
    warnings: introduced,
  };

  /** Replaces one list as a whole, so that nobody ever sees half of a change. Says whether anything differs. */
  const put = (kind: ListKind, read: ReadPages): boolean => {
    const before = JSON.stringify(lists);
    const tools = kind === 'tools' ? toolsOf(read.items, overHttp) : undefined;
    const templates = kind === 'templates' ? templatesOf(read.items) : undefined;
    const unusable = (templates ?? []).flatMap(({ uriTemplate, problem }) =>
      problem === undefined ? [] : [`The resource template ${uriTemplate} cannot be used: ${problem}.`],
    );
    known[kind] = { pages: read.pages, hasTtl: read.hasTtl, readAt: clock.elapsed() };
    // A page that came twice has been told of already.
    const leftOut = read.warnings.length === 0 ? leftOutOf(kind, read.items) : [];
    warnings[kind] = [...read.warnings, ...leftOut, ...(tools?.warnings ?? []), ...unusable];
    lists = {
      ...lists,
      ...(tools ? { tools: tools.items } : {}),
      ...(templates ? { templates } : {}),
      ...(kind === 'resources' ? { resources: resourcesOf(read.items) } : {}),
      ...(kind === 'prompts' ? { prompts: promptsOf(read.items) } : {}),
      warnings: Object.values(warnings).flat(),
    };
    return JSON.stringify(lists) !== before;
  };

  /** A side list that does not come is a warning: the tools work without it. */
  const readSide = async (kind: ListKind) => {
    try {
      put(kind, await readList(client, kind, { timeoutMs: sideListTimeoutMs, signal: startSignal, cache }));
    } catch (error) {
      if (startSignal.aborted || options.hasEnded()) throw error;
      put(kind, { items: [], warnings: [`The list of ${kind} could not be read: ${messageOf(error)}`], pages: [], hasTtl: false });
    }
  };

  /** Reads of one list follow each other: an older answer never replaces a newer one. */
  const tails: Record<ListKind, Promise<unknown>> = {
    tools: Promise.resolve(),
    resources: Promise.resolve(),
    templates: Promise.resolve(),
    prompts: Promise.resolve(),
  };
  const readAgain = (kind: ListKind): Promise<boolean> => {
    const done = tails[kind].then(async () => {
      try {
        const changed = put(kind, await readList(client, kind, { timeoutMs: listTimeoutMs, signal: stopped.signal, cache }));
        if (changed) options.onChange(lists);
        return changed;
      } catch (error) {
        if (!stopped.signal.aborted && !options.hasEnded())
          options.log.add('host', `The list of ${kind} could not be read again: ${messageOf(error)}`);
        return false;
      }
    });
    tails[kind] = done;
    return done;
  };

  const changes = (kind: ListKind) =>
    listChanges({
      clock,
      read: () => readAgain(kind),
      onNoisy() {
        const warning = `It says again and again that its ${kind} have changed, though they have not. They are read more rarely now.`;
        if (warnings.noisy.includes(warning)) return;
        warnings.noisy.push(warning);
        lists = { ...lists, warnings: Object.values(warnings).flat() };
        options.onChange(lists);
      },
    });
  const changing = {
    tools: changes('tools'),
    resources: changes('resources'),
    templates: changes('templates'),
    prompts: changes('prompts'),
  };

  const isStale = (kind: ListKind): boolean => {
    const { pages, hasTtl, readAt } = known[kind];
    if (pages.length === 0 || clock.elapsed() - readAt < minAgainMs) return false;
    // Without a time to live a list holds until its server tells of a change, if it has promised to.
    if (!hasTtl && options.isTold(kind)) return false;
    return pages.some((page) => !cache.isFresh(listMethods[kind].method, page));
  };

  return {
    current: () => lists,
    /** The server says that a list has changed. One notice stands for resources and templates. */
    notice(kind: ListKind) {
      cache.forget(listMethods[kind].method);
      changing[kind].notice();
      if (kind === 'resources') {
        cache.forget(listMethods.templates.method);
        changing.templates.notice();
      }
    },
    /** Reads one list whatever is known of it. */
    async readNow(kind: ListKind) {
      cache.forget(listMethods[kind].method);
      await readAgain(kind);
    },
    /** Somebody needs the lists: reads in the background what is too old (2026-07-28 only, before there was no time to live). */
    refresh() {
      if (options.era !== 'modern') return;
      for (const kind of listKinds) {
        if (!isStale(kind)) continue;
        known[kind] = { ...known[kind], readAt: clock.elapsed() };
        void readAgain(kind);
      }
    },
    async readAll() {
      const tools = readList(client, 'tools', { timeoutMs: options.startTimeoutMs, signal: startSignal, cache }).then((read) =>
        put('tools', read),
      );
      await Promise.all([tools, readSide('resources'), readSide('templates'), readSide('prompts')]);
    },
    stop() {
      stopped.abort();
      for (const each of Object.values(changing)) each.stop();
    },
  };
}

import type { ServerId } from '../../../preload/contract/ids.ts';
import type { ServerLists } from '../mcp/serverLists.ts';
import { typedHostOf } from '../net/addressPolicy.ts';
import { createGuardedFetch, type GuardedFetch, GuardRefusal } from '../net/guardedFetch.ts';
import { maxIconBytes } from '../net/iconPicture.ts';
import {
  byFitness,
  type DeclaredIcon,
  declaredIcons,
  iconKey,
  IconRefusal,
  type ReadIcon,
  readIcon,
  sourceProblem,
} from '../net/iconSource.ts';
import type { Clock } from '../ports.ts';
import { messageOf } from '../refusal.ts';
import type { Db } from '../store/database.ts';
import { getServerIcon, setServerIcon } from '../store/serverIcons.ts';

export type IconTheme = 'light' | 'dark';

/** Pictures of one server and of what it offers (2025-11-25 "Icons"). Nothing is read before somebody wants to see it. */
export interface ServerIcons {
  /** The key by which {@link read} finds these icons of a server; undefined where none of them could be shown. */
  keyOf(icons: readonly unknown[] | undefined): string | undefined;
  /**
   * The picture for a key of what the server offers now, as a data URL; undefined where there is none. From its place on the web it is read
   * only while the server is connected, and that is noted in the server's log.
   */
  read(key: string, theme: IconTheme): Promise<string | undefined>;
  /** Why pictures are missing, in sentences: those of sources that are never read, and those that proved bad. */
  warnings(): string[];
  /** A new connection: what failed before may go well now. */
  onConnected(): void;
}

/** Whatever shows them makes them no larger than this, in pixels of a fine screen. */
const wantedSide = 48;
/** Of one thing no more icons are tried than this. */
const maxTries = 4;
const fetchMs = 10_000;
const maxAtATime = 4;
/** A picture from the web is read anew after this. Until then, and while the server is off, the kept one is shown. */
const goodMs = 7 * 24 * 60 * 60 * 1000;
/** Reasons come in bursts when a page is opened; they are told of together after this, in milliseconds. */
const tellMs = 200;
/** Characters of a name in a sentence. */
const maxName = 160;

export function createServerIcons(options: {
  id: ServerId;
  db: Db;
  clock: Clock;
  lists(): ServerLists | undefined;
  /** The address that the person connected to; undefined for a program, `null` while it is not known. */
  url(): string | undefined | null;
  isConnected(): boolean;
  note(sentence: string): void;
  onWarnings(): void;
}): ServerIcons {
  const { id, db, clock } = options;
  const keys = new WeakMap<readonly unknown[], { key: string; declared: DeclaredIcon[] }>();
  const reading = new Map<string, Promise<string | undefined>>();
  /** What proved bad when it was read, by key and theme. */
  let failed = new Map<string, string>();
  let fetching: { url: string; fetch: GuardedFetch } | undefined;
  let cancelTell: (() => void) | undefined;
  const atATime = limited(maxAtATime);

  const known = (icons: readonly unknown[]) => {
    const before = keys.get(icons);
    if (before) return before;
    const made = { key: iconKey(icons), declared: declaredIcons(icons) };
    keys.set(icons, made);
    return made;
  };

  const origin = (): string | undefined | null => {
    const url = options.url();
    return typeof url === 'string' ? (URL.parse(url)?.origin ?? null) : url;
  };
  /** While the address is not known nothing is said against https, and nothing is read there. */
  const problemOf = ({ src }: DeclaredIcon): string | undefined => {
    const from = origin();
    return from === null ? sourceProblem(src, URL.parse(src)?.origin) : sourceProblem(src, from);
  };
  const usable = (declared: readonly DeclaredIcon[]) => declared.filter((icon) => problemOf(icon) === undefined);

  const fetchNow = (): GuardedFetch | undefined => {
    const url = options.url();
    if (typeof url !== 'string') return undefined;
    if (fetching?.url !== url)
      fetching = { url, fetch: createGuardedFetch({ typed: typedHostOf(url), maxBytes: maxIconBytes, timeoutMs: fetchMs }) };
    return fetching.fetch;
  };

  const tell = () => {
    cancelTell ??= clock.after(tellMs, () => {
      cancelTell = undefined;
      options.onWarnings();
    });
  };

  const dataUrl = ({ mimeType, bytes }: { mimeType: string; bytes: Uint8Array }): string =>
    // Read as what it was checked as, whatever it says of itself.
    `data:${mimeType}${mimeType === 'image/svg+xml' ? ';charset=utf-8' : ''};base64,${Buffer.from(bytes).toString('base64')}`;

  const tryOne = async (icon: DeclaredIcon): Promise<ReadIcon> => {
    if (/^data:/i.test(icon.src)) return readIcon(icon, undefined, new AbortController().signal);
    const read = await atATime(() => readIcon(icon, fetchNow(), AbortSignal.timeout(fetchMs)));
    const { mimeType, width, height, bytes } = read;
    const size = width === undefined ? '' : `, ${width} × ${height}`;
    options.note(`A picture was read from ${icon.src} (${mimeType}${size}, ${Math.ceil(bytes.length / 1024)} kB).`);
    return read;
  };

  const readAnew = async (key: string, theme: IconTheme, declared: readonly DeclaredIcon[]): Promise<string | undefined> => {
    const tries = byFitness(usable(declared), theme, wantedSide).filter(({ src }) => /^data:/i.test(src) || options.isConnected());
    let problem: string | undefined;
    for (const icon of tries.slice(0, maxTries)) {
      try {
        const { mimeType, bytes } = await tryOne(icon);
        setServerIcon(db, id, key, theme, { mimeType, bytes, readAt: clock.now() });
        return dataUrl({ mimeType, bytes });
      } catch (error) {
        const reason =
          error instanceof IconRefusal || error instanceof GuardRefusal ? error.message : `it could not be read (${messageOf(error)})`;
        if (!/^data:/i.test(icon.src)) options.note(`A picture at ${icon.src} was asked for and is not shown: ${reason}`);
        problem ??= reason;
      }
    }
    if (problem !== undefined) {
      failed.set(`${key} ${theme}`, problem);
      tell();
    }
    return undefined;
  };

  return {
    keyOf(icons) {
      if (icons === undefined || icons.length === 0) return undefined;
      const { key, declared } = known(icons);
      return usable(declared).length > 0 ? key : undefined;
    },

    async read(key, theme) {
      const declared = offeredIcons(options.lists()).find(({ icons }) => known(icons).key === key);
      if (!declared) return undefined;
      const stored = getServerIcon(db, id, key, theme);
      if (stored && (clock.now() - stored.readAt < goodMs || !options.isConnected())) return dataUrl(stored);
      const one = `${key} ${theme}`;
      if (failed.has(one)) return stored && dataUrl(stored);
      let work = reading.get(one);
      if (!work) {
        work = readAnew(key, theme, known(declared.icons).declared).finally(() => reading.delete(one));
        reading.set(one, work);
      }
      return (await work) ?? (stored && dataUrl(stored));
    },

    warnings() {
      const problems = new Map<string, string[]>();
      for (const { icons, name } of offeredIcons(options.lists())) {
        const { key, declared } = known(icons);
        const problem =
          failed.get(`${key} light`) ??
          failed.get(`${key} dark`) ??
          (declared.length === 0
            ? 'it is described in a form that is not allowed'
            : usable(declared).length === 0
              ? declared.map(problemOf).find((each) => each !== undefined)
              : undefined);
        if (problem === undefined) continue;
        const names = problems.get(problem);
        if (names) names.push(name);
        else problems.set(problem, [name]);
      }
      return [...problems].map(([problem, names]) => `${ofThings(names)} cannot be shown: ${problem.replace(/\.$/, '')}.`);
    },

    onConnected() {
      failed = new Map();
    },
  };
}

/** Everything that declares icons, with its name for sentences. */
function offeredIcons(lists: ServerLists | undefined): { name: string; icons: readonly unknown[] }[] {
  if (!lists) return [];
  const of = (icons: unknown[] | undefined, name: string) => (icons === undefined || icons.length === 0 ? [] : [{ name, icons }]);
  return [
    ...of(lists.icons, 'the server itself'),
    ...lists.tools.flatMap(({ icons, name }) => of(icons, `the tool ${name}`)),
    ...lists.prompts.flatMap(({ icons, name }) => of(icons, `the prompt ${name}`)),
    ...lists.resources.flatMap(({ icons, uri }) => of(icons, `the resource ${uri}`)),
    ...lists.templates.flatMap(({ icons, uriTemplate }) => of(icons, `the template ${uriTemplate}`)),
  ];
}

function ofThings(names: readonly string[]): string {
  const first = (names[0] ?? '').slice(0, maxName);
  if (names.length === 1) return `The icon of ${first}`;
  return `The icons of ${first} and ${names.length - 1} more`;
}

/** Lets so many run beside each other; the others wait in their order. */
function limited(most: number): <Value>(run: () => Promise<Value>) => Promise<Value> {
  let running = 0;
  const waiting: (() => void)[] = [];
  return async (run) => {
    if (running >= most) await new Promise<void>((resolve) => waiting.push(resolve));
    else running += 1;
    try {
      return await run();
    } finally {
      const next = waiting.shift();
      // The place is handed on.
      if (next) next();
      else running -= 1;
    }
  };
}

import { readFile, readdir, mkdir, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import writeFileAtomic from 'write-file-atomic';
import type { ServersFileProblem } from '../../../preload/contract/servers.ts';
import type { Clock } from '../ports.ts';
import { messageOf, refuse } from '../refusal.ts';
import { backupStamp } from '../store/backupStamp.ts';
import { openingRefusal } from '../store/database.ts';
import { memberOf, membersOf, parseJsonc, placeAt, placeInWords, valueOf } from './jsonc.ts';
import { replaceText, setIn, textOf } from './jsoncEdit.ts';
import { type PlainSecret, plainSecretsIn, secretReference } from './plainSecrets.ts';

/** One member of `mcpServers`. `text` is the entry as it stands in the file, without the file's indentation. */
export interface FileEntry {
  name: string;
  /** As written in the entry; nobody has checked whether it is known. */
  id: string | undefined;
  value: unknown;
  text: string;
}

/** A file in the usual `mcpServers` shape, read. `text` has no byte order mark; `hasList`: the member is there, empty or not. */
export type ServersDocument =
  { ok: true; text: string; hasList: boolean; entries: FileEntry[] } | { ok: false; problem: ServersFileProblem };

export interface ServersFile {
  read(): Promise<ServersDocument>;
  /**
   * Applies `change` to the newest text of the file: a copy of what stood there goes to the backups, then the file is
   * replaced as a whole. Refuses with `configurationUnreadable` while the file is broken, and leaves it as it is.
   * `scrub` is applied to every backup, for the one change that takes plain secrets out of the file.
   */
  edit(change: (text: string) => string, scrub?: (text: string) => string): Promise<ServersDocument & { ok: true }>;
}

const keptBackups = 10;
const emptyFile = '{\n  "mcpServers": {}\n}\n';
const bom = '\uFEFF';

export function openServersFile(path: string, options: { backupsDir: string; clock: Clock }): ServersFile {
  const load = async (): Promise<{ mark: string; document: ServersDocument }> => {
    let bytes: Buffer;
    try {
      bytes = await readFile(path);
    } catch (error) {
      if (error instanceof Error && 'code' in error && error.code === 'ENOENT')
        return { mark: '', document: readServersText(path, emptyFile) };
      return { mark: '', document: problem(path, `cannot be read: ${messageOf(error)}`) };
    }
    const text = decode(bytes);
    if (text === undefined) return { mark: '', document: problem(path, 'is not UTF-8 text. Save it as UTF-8, then read it again') };
    const mark = text.startsWith(bom) ? bom : '';
    const content = text.slice(mark.length);
    // An editor or a crash can leave a file of nothing; there is nothing in it to lose.
    return { mark, document: readServersText(path, content.trim() === '' ? emptyFile : content) };
  };

  return {
    read: async () => (await load()).document,

    async edit(change, scrub) {
      const { mark, document: before } = await load();
      if (!before.ok) return refuse('configurationUnreadable', before.problem.message, { at: before.problem.at });
      const text = change(before.text);
      if (text === before.text) return before;
      const after = readServersText(path, text);
      // What cannot be read back must never replace what could be read.
      if (!after.ok) throw new Error(`An edit of ${path} gave a text that cannot be read: ${after.problem.message}`);
      try {
        await keepBackup(options.backupsDir, options.clock.now(), mark + (scrub?.(before.text) ?? before.text));
        if (scrub) await scrubBackups(options.backupsDir, scrub);
        await mkdir(dirname(path), { recursive: true });
        await replaceFile(path, mark + text);
      } catch (error) {
        throw openingRefusal(error, dirname(path)) ?? error;
      }
      return after;
    },
  };
}

/** Reads the text of a whole file. `path` is for the sentences only. */
export function readServersText(path: string, text: string): ServersDocument {
  const parsed = parseJsonc(text);
  if (!parsed.ok) {
    const { message, at } = parsed.problem;
    return problem(path, `cannot be read at ${placeInWords(at)}: ${message}. Mend the file, then read it again`, at);
  }
  const { root } = parsed;
  const map = memberOf(root, 'mcpServers');
  const wrong = root.type !== 'object' ? root : map && map.type !== 'object' ? map : undefined;
  if (wrong) {
    const at = placeAt(text, wrong.offset);
    return problem(
      path,
      `needs an object { … } at ${placeInWords(at)}, and something else stands there. Mend the file, then read it again`,
      at,
    );
  }
  const entries = membersOf(map).map(({ name, value }): FileEntry => {
    const id = memberOf(value, 'id')?.value;
    return {
      name,
      id: typeof id === 'string' && /^[A-Za-z0-9_-]{1,64}$/.test(id) ? id : undefined,
      value: valueOf(value),
      text: textOf(text, value),
    };
  });
  return { ok: true, text, hasList: map !== undefined, entries };
}

/** Adds an entry at the end, or replaces the whole entry of this name. */
export const withEntry = (text: string, name: string, value: object): string => setIn(text, ['mcpServers', name], value);

export const withoutEntry = (text: string, name: string): string => setIn(text, ['mcpServers', name], undefined);

/** Sets one member of an entry, or removes it when `value` is undefined; everything around it stays as it is. */
export const withMember = (text: string, name: string, path: readonly string[], value: unknown): string =>
  setIn(text, ['mcpServers', name, ...path], value);

/** Replaces an entry by JSON text of the person, comments and order included. `json` must have been parsed before. */
export const withEntryText = (text: string, name: string, json: string): string => replaceText(text, findEntry(text, name).value, json);

/** Renames an entry in its place, so that its comments stay with it. */
export function withEntryName(text: string, name: string, newName: string): string {
  const { key } = findEntry(text, name);
  return text.slice(0, key.offset) + JSON.stringify(newName) + text.slice(key.offset + key.length);
}

/** Puts references in place of the plain secrets of one entry for which `take` is true. */
export function withoutPlainSecrets(text: string, entry: FileEntry, take: (secret: PlainSecret) => boolean = () => true): string {
  return plainSecretsIn(entry.value)
    .filter(take)
    .reduce((changed, secret) => withMember(changed, entry.name, secret.path, secretReference(secret.name)), text);
}

/** `name`, or the first of `name 2`, `name 3`… that differs from all of `taken` in more than upper and lower case. */
export function freeServerName(name: string, taken: readonly string[]): string {
  const used = new Set(taken.map((other) => other.trim().toLowerCase()));
  let free = name;
  for (let count = 2; used.has(free.toLowerCase()); count += 1) free = `${name.slice(0, 120)} ${count}`;
  return free;
}

function findEntry(text: string, name: string) {
  const parsed = parseJsonc(text);
  const found = parsed.ok ? membersOf(memberOf(parsed.root, 'mcpServers')).find((member) => member.name === name) : undefined;
  return found ?? refuse('notFound', `There is no server called "${name}" in the file any more. Read the file again.`);
}

function decode(bytes: Buffer): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch (error) {
    if (error instanceof TypeError) return undefined;
    throw error;
  }
}

const problem = (path: string, what: string, at?: { line: number; column: number }): ServersDocument & { ok: false } => ({
  ok: false,
  problem: { path, message: `${path} ${what}. It is kept as it is.`, ...(at && { at }) },
});

/** Replaces the file in one step. New files are for their owner only: commands and addresses are nobody else's business. */
async function replaceFile(path: string, content: string): Promise<void> {
  await writeFileAtomic(path, content, { encoding: 'utf8', mode: 0o600 });
}

async function keepBackup(dir: string, now: number, content: string): Promise<void> {
  await mkdir(dir, { recursive: true });
  const taken = await backupsIn(dir);
  const name = `servers-${backupStamp(now, taken)}.json`;
  await replaceFile(join(dir, name), content);
  const old = [...taken, name].sort().slice(0, -keptBackups);
  for (const gone of old) await rm(join(dir, gone), { force: true });
}

async function scrubBackups(dir: string, scrub: (text: string) => string): Promise<void> {
  for (const name of await backupsIn(dir)) {
    const path = join(dir, name);
    const text = await readFile(path, 'utf8');
    const mark = text.startsWith(bom) ? bom : '';
    const content = text.slice(mark.length);
    // Someone else's file: nothing of ours can be in it.
    if (!readServersText(path, content).ok) continue;
    const scrubbed = scrub(content);
    if (scrubbed !== content) await replaceFile(path, mark + scrubbed);
  }
}

const backupsIn = async (dir: string): Promise<string[]> =>
  (await readdir(dir)).filter((name) => /^servers-[\dTZ-]+(\.\d+)?\.json$/.test(name));

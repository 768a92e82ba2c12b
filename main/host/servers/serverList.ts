import { realpath } from 'node:fs/promises';
import { join } from 'node:path';
import { ServerId } from '../../../preload/contract/ids.ts';
import type { Server, ServersFileProblem } from '../../../preload/contract/servers.ts';
import { spawnProgram } from '../mcp/childProgram.ts';
import type { Ids } from '../ports.ts';
import { messageOf, Refusal, refuse } from '../refusal.ts';
import { getConsent, idOfFileEntry, insertServer, isKnownServer } from '../store/serverRows.ts';
import { keptIds } from './assignIds.ts';
import { type ConfiguredServer, type ConfiguredServerDeps, createConfiguredServer } from './configuredServer.ts';
import { type AdoptedEntry, isEntryObject, readEntry, secretOwner } from './entry.ts';
import { readVariable } from './environment.ts';
import { createLoginPath } from './loginPath.ts';
import { plainSecretsIn } from './plainSecrets.ts';
import { type FileEntry, type ServersDocument, openServersFile, readServersText, withMember, withoutPlainSecrets } from './serversFile.ts';
import { findProgram } from './findProgram.ts';
import { hashConfig } from './startConsent.ts';

export interface ServerListDeps extends Omit<
  ConfiguredServerDeps,
  'path' | 'mayRun' | 'consentGiven' | 'onChange' | 'onDetails' | 'track'
> {
  ids: Ids;
  /** A file that is used instead of servers.json, and never written. Naming it is consent to start its servers. */
  serversFile?: string | undefined;
  /** True in a shell that a desktop can start, where PATH may have to be asked of the login shell. */
  fromDesktop: boolean;
  onChange(server: Server): void;
  onRemoved(id: ServerId): void;
  onFileChanged(problem: ServersFileProblem | undefined): void;
}

/** The configured servers as the file lists them. The file decides which there are; this list follows it. */
export interface ServerList {
  /** In the order of the file; replaced as a whole, so that nobody sees half of a change. */
  all(): readonly ConfiguredServer[];
  /** Refuses with `notFound`. */
  find(id: ServerId): ConfiguredServer;
  problem(): ServersFileProblem | undefined;
  /** Reads the file again. A broken one leaves the servers as they were. */
  reload(): Promise<void>;
  /** Refuses while the file may not or cannot be changed. */
  mayChange(): void;
  /**
   * One change of the file, which the list then follows. Changes happen one after the other, each on the newest text of the
   * file. `prepare` runs in the same turn, before it.
   */
  change(edit: (text: string) => string, prepare?: () => Promise<void>): Promise<void>;
  /** The server's name in this text: it may have been renamed by hand meanwhile. Refuses with `notFound`. */
  nameIn(text: string, server: ConfiguredServer): string;
  /** The PATH for programs, when it is known. */
  path(): Promise<string>;
  /** Whether a Node is found in the PATH for programs, as far as that is known. */
  hasNode(): boolean;
  /** Tells that the server has changed, if it has. */
  tell(server: ConfiguredServer): void;
  startAll(): void;
  close(): Promise<void>;
}

type ReadDocument = ServersDocument & { ok: true };

/**
 * Reads the file; starts nothing. A broken servers.json is a problem to show, a broken `serversFile` rejects with
 * `configurationUnreadable`, since nobody could mend it through this host.
 */
export async function openServerList(deps: ServerListDeps): Promise<ServerList> {
  const readOnly = deps.serversFile !== undefined;
  const path = deps.serversFile === undefined ? join(deps.dataDir, 'servers.json') : await realFile(deps.serversFile);
  const file = openServersFile(path, { backupsDir: join(deps.dataDir, 'backups'), clock: deps.clock });
  const loginPath = createLoginPath({ ...deps, spawn: spawnProgram });

  let servers: readonly ConfiguredServer[] = [];
  let problem: ServersFileProblem | undefined;
  let phase: 'idle' | 'running' | 'closed' = 'idle';
  let knownPath = readVariable(deps.env, 'PATH', deps.platform) ?? '';
  /** What was told last of each server, to say nothing twice. */
  const told = new Map<ServerId, string>();
  const tracked = new Set<Promise<unknown>>();
  let tail: Promise<unknown> = Promise.resolve();

  const tell = (server: ConfiguredServer): void => {
    // What comes to its end after the host, as a sign-in that was given up, is news to nobody.
    if (!deps.db.open || !servers.includes(server)) return;
    const view = server.view();
    const text = JSON.stringify(view);
    if (told.get(server.id) === text) return;
    told.set(server.id, text);
    deps.onChange(view);
  };

  const tellProblem = (next: ServersFileProblem | undefined): void => {
    if (JSON.stringify(next) === JSON.stringify(problem)) return;
    problem = next;
    deps.onFileChanged(next);
  };

  const track = (work: Promise<unknown>): void => {
    const settled = work
      .catch((error: unknown) => deps.log.error('Work on a server ended badly.', { reason: messageOf(error) }))
      .finally(() => tracked.delete(settled));
    tracked.add(settled);
  };

  const exclusive = <Value>(run: () => Promise<Value>): Promise<Value> => {
    const done = tail.then(run);
    tail = done.catch(() => undefined);
    return done;
  };

  const serverDeps: ConfiguredServerDeps = {
    ...deps,
    path: { now: () => knownPath, found: loginPath },
    mayRun: () => phase === 'running',
    consentGiven: readOnly,
    onChange: tell,
    onDetails(server) {
      if (phase !== 'running') return;
      told.delete(server.id);
      tell(server);
    },
    track,
  };

  /** Makes the list what the document says. Ids that had to be made are written to the file. */
  async function adopt(document: ReadDocument): Promise<void> {
    const entries = withReferences(path, document);
    const ids = readOnly
      ? entries.map(({ name }) => idOfFileEntry(deps.db, path, name, deps.ids))
      : keptIds(entries.map(claimOf), isKnown, agreedHash);
    const made = new Map<string, ServerId>();
    const before = new Map(servers.map((server) => [server.id, server]));
    servers = entries.map((entry, index) => {
      const id = ids[index] ?? ServerId.parse(deps.ids());
      if (id !== ids[index]) {
        insertServer(deps.db, id);
        made.set(entry.name, id);
      }
      for (const value of entry.plain.values()) deps.log.redact?.(value);
      const known = before.get(id);
      before.delete(id);
      known?.adopt(entry);
      return known ?? createConfiguredServer(id, entry, serverDeps);
    });
    for (const gone of before.values()) {
      track(gone.retire());
      told.delete(gone.id);
      deps.onRemoved(gone.id);
    }
    for (const server of servers) {
      tell(server);
      track(server.bringUp());
    }
    if (readOnly) return;
    if (entries.some((entry) => made.has(entry.name) && isEntryObject(entry.value)))
      await adopt(await changeFile((text) => withIds(path, text, made)));
    else if (entries.some((entry) => entry.plain.size > 0)) movePlainSecretsSoon();
  }

  const isKnown = (id: string): boolean => isKnownServer(deps.db, ServerId.parse(id));
  const agreedHash = (id: string): string | undefined => getConsent(deps.db, ServerId.parse(id))?.configHash;

  /** The keychain may be asking for a password: nothing waits for it but this. */
  function movePlainSecretsSoon(): void {
    void deps.secrets.ready
      .then(() => exclusive(movePlainSecrets))
      .catch((error: unknown) =>
        deps.log.error('The secrets in servers.json could not be moved to the keychain.', { reason: messageOf(error) }),
      );
  }

  /** Takes what stands readable in the file into the keychain's care. Without a keychain it stays where its owner put it. */
  async function movePlainSecrets(): Promise<void> {
    if (phase === 'closed' || problem || !deps.secrets.available().available) return;
    const moved = new Map<string, string>();
    for (const { id, entry } of servers) {
      for (const [name, value] of entry().plain) {
        if ((await deps.secrets.set(secretOwner(id), name, value)) === 'stored') moved.set(`${id} ${name}`, value);
      }
    }
    if (moved.size === 0) return;
    const edit = (text: string): string =>
      entriesOf(path, text).reduce(
        (changed, entry) => withoutPlainSecrets(changed, entry, (secret) => moved.get(`${entry.id} ${secret.name}`) === secret.value),
        text,
      );
    // A backup may be from before the entry had its id.
    const values = new Set(moved.values());
    const scrub = (text: string): string =>
      entriesOf(path, text).reduce((changed, entry) => withoutPlainSecrets(changed, entry, (secret) => values.has(secret.value)), text);
    await adopt(await changeFile(edit, scrub));
  }

  async function changeFile(edit: (text: string) => string, scrub?: (text: string) => string): Promise<ReadDocument> {
    try {
      const document = await file.edit(edit, scrub);
      tellProblem(undefined);
      return document;
    } catch (error) {
      if (error instanceof Refusal && error.failure.code === 'configurationUnreadable') tellProblem(problemOf(error));
      throw error;
    }
  }

  const problemOf = ({ failure }: Refusal): ServersFileProblem => ({
    path,
    message: failure.message,
    ...(failure.at && { at: failure.at }),
  });

  async function load(): Promise<void> {
    const document = await file.read();
    if (!document.ok && readOnly) refuse('configurationUnreadable', document.problem.message, { at: document.problem.at });
    tellProblem(document.ok ? undefined : document.problem);
    if (!document.ok) return;
    if (readOnly && !document.hasList) refuse('configurationUnreadable', `${path} holds no "mcpServers": { … }, so it names no servers.`);
    try {
      await adopt(document);
    } catch (error) {
      // The servers work without their ids in the file; only, what is agreed to now is asked again at the next start.
      if (!(error instanceof Refusal)) throw error;
      tellProblem(problemOf(error));
    }
  }

  function mayChange(): void {
    if (readOnly) refuse('unsupported', `These servers come from ${path}. Change that file, then start again.`);
    if (problem) refuse('configurationUnreadable', problem.message, { at: problem.at });
  }

  await load();
  return {
    all: () => servers,
    find: (id) => servers.find((server) => server.id === id) ?? refuse('notFound', 'This server does not exist any more.'),
    problem: () => problem,
    reload: () => exclusive(load),
    mayChange,

    change: (edit, prepare) =>
      exclusive(async () => {
        mayChange();
        await prepare?.();
        await adopt(await changeFile(edit));
      }),

    nameIn(text, server) {
      const { name } = server.entry();
      const entries = entriesOf(path, text);
      const entry = entries.find((candidate) => candidate.id === server.id) ?? entries.find((candidate) => candidate.name === name);
      return entry?.name ?? refuse('notFound', `There is no server called "${name}" in servers.json any more. Read the file again.`);
    },

    path: loginPath,
    hasNode: () => findProgram('node', { path: knownPath, cwd: deps.home, platform: deps.platform }) !== undefined,

    tell,

    startAll() {
      if (phase !== 'idle') return;
      phase = 'running';
      for (const server of servers) track(server.bringUp());
      track(
        loginPath().then((found) => {
          knownPath = found;
          servers.forEach(tell);
        }),
      );
    },

    async close() {
      phase = 'closed';
      await tail;
      for (const server of servers) track(server.bringUp());
      while (tracked.size > 0) await Promise.all(tracked);
    },
  };
}

interface ListedEntry extends AdoptedEntry {
  id: string | undefined;
}

/** The entries with references in place of plain secrets, whose values stand beside them: nothing behind this sees a secret by accident. */
function withReferences(path: string, document: ReadDocument): ListedEntry[] {
  const plain = document.entries.map((entry) => new Map(plainSecretsIn(entry.value).map((secret) => [secret.name, secret.value])));
  const text = document.entries.reduce((changed, entry) => withoutPlainSecrets(changed, entry), document.text);
  return entriesOf(path, text).map((entry, index) => ({ ...entry, plain: plain[index] ?? new Map() }));
}

function entriesOf(path: string, text: string): FileEntry[] {
  const read = readServersText(path, text);
  if (!read.ok) throw new Error(`An edit of ${path} gave a text that cannot be read: ${read.problem.message}`);
  return read.entries;
}

function claimOf({ id, value }: FileEntry): { id: string | undefined; configHash: string | undefined } {
  const { config } = readEntry(value);
  return { id, configHash: config && hashConfig(config) };
}

/** Only into entries that are still there: naming a member of one that is gone would make it anew. */
function withIds(path: string, text: string, ids: ReadonlyMap<string, ServerId>): string {
  return entriesOf(path, text).reduce((changed, { name, value }) => {
    const id = ids.get(name);
    return id === undefined || !isEntryObject(value) ? changed : withMember(changed, name, ['id'], id);
  }, text);
}

async function realFile(path: string): Promise<string> {
  try {
    return await realpath(path);
  } catch (error) {
    return refuse('configurationUnreadable', `The file of servers ${path} cannot be opened. Check its name.`, { detail: messageOf(error) });
  }
}

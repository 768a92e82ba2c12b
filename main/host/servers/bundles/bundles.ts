import { readFile, rename } from 'node:fs/promises';
import { join } from 'node:path';
import type { BundleProposal } from '../../../../preload/contract/bundleProposal.ts';
import type { BundleField, BundleValue, BundleValues, InstalledBundle } from '../../../../preload/contract/bundles.ts';
import { ServerId } from '../../../../preload/contract/ids.ts';
import type { LocalServerConfig, Server } from '../../../../preload/contract/servers.ts';
import { deniesServer, type Managed } from '../../policy/managedPolicy.ts';
import type { Ids } from '../../ports.ts';
import { refuse } from '../../refusal.ts';
import type { Secrets } from '../../store/secrets.ts';
import { inOneLine } from '../../tools/plainText.ts';
import { JobOverran, type WorkerPool } from '../../workers/pool.ts';
import { secretOwner } from '../entry.ts';
import type { Servers } from '../servers.ts';
import { bundleSummary } from '../startConsent.ts';
import { startDangers } from '../startDangers.ts';
import type { BundlePlaces } from './bundlePlaces.ts';
import { createBundleUploads } from './bundleUploads.ts';
import { asksForPython, orderOf, unmet } from './compatibility.ts';
import { defaultIn, type FillHere, fillManifest, type Start, writtenStart } from './fillManifest.ts';
import { findPython } from './findPython.ts';
import { type Manifest, readManifest } from './manifest.ts';
import { manifestPlaces } from './manifestPlaces.ts';
import type { OpenedBundle } from './openBundle.ts';
import { whyNotInstead } from './sameMaker.ts';
import { checkValues, fieldsOf, optionsOf } from './userConfig.ts';

/** Bundles that a person opened, and those that are installed: opening, installing, bringing up to date, configuring. */
export interface Bundles {
  upload(uploadId: string, offset: number, data: string): Promise<number>;
  /** Refuses with `invalidInput`, `notAllowed`, `timedOut`. */
  open(uploadId: string): Promise<BundleProposal>;
  discard(bundleId: string): Promise<void>;
  /** `serverId`: it takes the place of the version that this server runs. Refuses with `notFound`, `invalidInput`, `notAllowed`. */
  install(bundleId: string, name: string, values: BundleValues, serverId: ServerId | undefined): Promise<Server>;
  /** Refuses with `notFound`, `wrongState`. */
  configuration(id: ServerId): Promise<BundleField[]>;
  configure(id: ServerId, values: BundleValues): Promise<Server>;
}

export interface BundlesDeps {
  places: BundlePlaces;
  servers: Servers;
  secrets: Secrets;
  pool: WorkerPool;
  managed: Managed;
  ids: Ids;
  home: string;
  platform: NodeJS.Platform;
  env: Readonly<Record<string, string | undefined>>;
  /** The PATH for programs. */
  path(): Promise<string>;
  /** Version of Maitre. */
  version: string;
  /** Whom to trust instead of the system, in PEM. */
  roots?: readonly string[] | undefined;
}

/** A bundle with a gigabyte in it on a slow disk. Milliseconds. */
const openWithinMs = 180_000;
/** More are not kept beside each other: who opens another one has left the first. */
const mostOpened = 4;

interface Staged {
  bundleId: string;
  opened: OpenedBundle;
  /** Where its files are now. */
  path: string;
  /** Of the server that it becomes, unless it takes the place of another version. */
  serverId: ServerId;
}

export function createBundles(deps: BundlesDeps): Bundles {
  const { places, servers } = deps;
  const uploads = createBundleUploads(places);
  const staged = new Map<string, Staged>();

  const here = (folder: string): FillHere => ({ folder, places: manifestPlaces(deps), platform: deps.platform });
  const folderFor = ({ bundleId, serverId }: Staged, id: ServerId = serverId): string => places.versionFolder(id, bundleId);

  const dropped = async (one: Staged): Promise<void> => {
    staged.delete(one.bundleId);
    await places.remove(one.path);
  };

  const read = async (file: string, path: string): Promise<OpenedBundle> => {
    try {
      const input = { file, folder: path, platform: deps.platform, roots: deps.roots };
      const result = await deps.pool.run('openBundle', input, { timeoutMs: openWithinMs });
      if (result.ok) return result.bundle;
      const { problem, detail } = result;
      return refuse('invalidInput', `The bundle was not opened. ${problem}`, detail === undefined ? {} : { detail });
    } catch (error) {
      void places.remove(path);
      if (error instanceof JobOverran) return refuse('timedOut', 'The bundle was not opened: reading it took too long.');
      if (error instanceof Error && error.message.includes('ENOSPC'))
        return refuse('diskFull', 'The disk is full, so the bundle could not be unpacked. Free some space, then open it again.');
      throw error;
    } finally {
      void places.remove(file);
    }
  };

  const mayRun = async (manifest: Manifest): Promise<string | undefined> => {
    const python = asksForPython(manifest) ? await findPython(await deps.path(), deps.platform, deps.home) : undefined;
    return unmet(manifest, { platform: deps.platform, maitre: deps.version, node: process.versions.node, python });
  };

  /** The installed server that a bundle is another version of: by the name in the manifest. */
  const installedAs = (name: string): { server: Server; bundle: InstalledBundle } | undefined => {
    for (const server of servers.list()) {
      const bundle = bundleOf(servers.writtenConfig(server.id));
      if (bundle?.name === name) return { server, bundle };
    }
    return undefined;
  };

  const installedConfig = (id: ServerId): LocalServerConfig & { bundle: InstalledBundle } => {
    const config = servers.configOf(id);
    if (!config || !('command' in config) || !config.bundle)
      return refuse('wrongState', `"${servers.nameOf(id) ?? ''}" did not come as a bundle, or its entry in servers.json cannot be read.`);
    return { ...config, bundle: config.bundle };
  };

  const installedManifest = async (id: ServerId, { folder }: InstalledBundle): Promise<Manifest> => {
    const json = await readText(join(places.versionFolder(id, folder), 'manifest.json'));
    const result = json === undefined ? undefined : readManifest(json);
    return result?.ok === true
      ? result.manifest
      : refuse('invalidInput', `The files of the bundle are not there any more, or damaged. Open the bundle again (Add server → Bundle).`);
  };

  /** The entry that values make of a bundle. Refuses with `invalidInput` what does not fit. */
  const configOf = (
    manifest: Manifest,
    bundle: Omit<InstalledBundle, 'values'>,
    folder: string,
    values: BundleValues,
    before: Readonly<Record<string, BundleValue>>,
  ): { start: Start; bundle: InstalledBundle; secrets: ReadonlyMap<string, string> } => {
    const checked = checkValues(manifest, values, before, (option) => defaultIn(option, here(folder)));
    if (checked.problems.length > 0)
      refuse('invalidInput', checked.problems.map(({ message }) => message).join(' '), { fields: checked.problems });
    const filled = fillManifest(manifest, checked.kept, here(folder));
    if (!filled.ok) return refuse('invalidInput', filled.missing ? `Values are missing: ${filled.missing.join(', ')}.` : filled.problem);
    const { ok: _ok, ...start } = filled;
    return { start, bundle: { ...bundle, values: checked.kept }, secrets: checked.secrets };
  };

  const forbid = (config: LocalServerConfig): void => {
    const denied = deniesServer(deps.managed, config);
    if (denied !== undefined) refuse('notAllowed', denied);
  };

  return {
    upload: uploads.write,

    async open(uploadId) {
      const file = uploads.take(uploadId);
      const bundleId = deps.ids();
      const path = places.stagingPath(bundleId);
      const one: Staged = { bundleId, opened: await read(file, path), path, serverId: ServerId.parse(deps.ids()) };
      staged.set(bundleId, one);
      for (const oldest of staged.values()) if (staged.size > mostOpened) await dropped(oldest);
      try {
        const proposal = await propose(one);
        return proposal;
      } catch (error) {
        await dropped(one);
        throw error;
      }
    },

    async discard(bundleId) {
      const one = staged.get(bundleId);
      if (one) await dropped(one);
    },

    async install(bundleId, name, values, updated) {
      const one = staged.get(bundleId) ?? refuse('notFound', 'This bundle is not open any more. Open it again.');
      const { manifest } = one.opened;
      const before = updated === undefined ? undefined : installedConfig(updated);
      if (before) {
        const refused = whyNotInstead(before.bundle, one.opened);
        if (before.bundle.name !== manifest.name || refused !== undefined)
          refuse('notAllowed', refused ?? 'This bundle has another name than the one installed, so it cannot take its place.');
      }
      const id = updated ?? one.serverId;
      const folder = folderFor(one, id);
      const next = configOf(manifest, installedOf(one), folder, values, before?.bundle.values ?? {});
      forbid({ ...next.start, bundle: next.bundle });

      // Two clicks must not install it twice.
      staged.delete(bundleId);
      try {
        await places.settle(one.path, id, bundleId);
        const config = { ...next.start, bundle: next.bundle };
        const server = before
          ? await servers.changeBundle(id, config, next.secrets)
          : await servers.addBundle(id, name, config, next.secrets);
        // It has ended by now: the entry says so, and the change waited for that.
        if (before) void places.remove(places.versionFolder(id, before.bundle.folder));
        return server;
      } catch (error) {
        // Where the entry names the files by now, they are where they belong.
        if (bundleOf(servers.writtenConfig(id))?.folder !== bundleId) {
          await putBack(folder, one.path);
          staged.set(bundleId, one);
        }
        throw error;
      }
    },

    async configuration(id) {
      const { bundle } = installedConfig(id);
      const manifest = await installedManifest(id, bundle);
      return fieldsFor(manifest, places.versionFolder(id, bundle.folder), id, bundle.values ?? {});
    },

    async configure(id, values) {
      const config = installedConfig(id);
      const { values: before = {}, ...bundle } = config.bundle;
      const manifest = await installedManifest(id, config.bundle);
      const next = configOf(manifest, bundle, places.versionFolder(id, bundle.folder), values, before);
      return servers.changeBundle(id, { ...next.start, bundle: next.bundle }, next.secrets);
    },
  };

  function fieldsFor(
    manifest: Manifest,
    folder: string,
    id: ServerId,
    kept: Readonly<Record<string, BundleValue>> | undefined,
  ): BundleField[] {
    return fieldsOf(
      manifest,
      kept,
      (option) => defaultIn(option, here(folder)),
      (name) => deps.secrets.has(secretOwner(id), name) !== 'missing',
    );
  }

  async function propose(one: Staged): Promise<BundleProposal> {
    const { manifest, warnings, files, bytes } = one.opened;
    const reason = await mayRun(manifest);
    if (reason !== undefined) refuse('invalidInput', `This bundle cannot be used here. ${reason}`);
    const installed = installedAs(manifest.name);
    // What cannot take the place of another is shown as it would stand beside it.
    const follows = installed && whyNotInstead(installed.bundle, one.opened) === undefined ? installed : undefined;
    const id = follows?.server.id ?? one.serverId;
    const folder = folderFor(one, id);
    const kept = follows?.bundle.values;
    const fields = fieldsFor(manifest, folder, id, kept);
    const known = Object.fromEntries(fields.flatMap(({ key, value }) => (value === undefined ? [] : [[key, value]])));
    const start = fillManifest(manifest, { ...kept, ...known }, here(folder), 'preview');
    if (!start.ok) return refuse('invalidInput', `This bundle cannot be used. ${start.missing ? '' : start.problem}`);
    forbid({ command: start.command, args: start.args, env: start.env, bundle: installedOf(one) });
    return {
      bundleId: one.bundleId,
      summary: bundleSummary(installedOf(one)),
      // It becomes the name of the server, which stands on every card.
      title: inOneLine(manifest.display_name ?? '') || inOneLine(manifest.name) || 'Server',
      description: manifest.description ?? '',
      author: manifest.author.name,
      ...(manifest.homepage !== undefined && { homepage: manifest.homepage }),
      ...(manifest.license !== undefined && { license: manifest.license }),
      privacyPolicies: manifest.privacy_policies ?? [],
      type: manifest.server.type,
      files,
      bytes,
      start: {
        command: start.command,
        args: start.args,
        envNames: Object.keys(start.env),
        folder,
        dangers: startDangers(start),
      },
      fields,
      warnings,
      ...(installed && { installed: await comparedTo(installed, one) }),
    };
  }

  async function comparedTo(
    { server, bundle }: { server: Server; bundle: InstalledBundle },
    one: Staged,
  ): Promise<BundleProposal['installed']> {
    const { manifest } = one.opened;
    const refused = whyNotInstead(bundle, one.opened);
    const json = await readText(join(places.versionFolder(server.id, bundle.folder), 'manifest.json'));
    const before = json === undefined ? undefined : readManifest(json);
    const changed: NonNullable<BundleProposal['installed']>['changed'] = [];
    if (before?.ok) {
      const [old, next] = [before.manifest, manifest].map((each) => writtenStart(each, deps.platform));
      for (const part of ['command', 'args', 'env'] as const)
        if (JSON.stringify(old?.[part]) !== JSON.stringify(next?.[part])) changed.push(part);
      if (JSON.stringify(optionsOf(before.manifest)) !== JSON.stringify(optionsOf(manifest))) changed.push('fields');
    }
    if (bundle.publisher !== one.opened.signature.publisher || bundle.signature !== one.opened.signature.state) changed.push('publisher');
    return {
      serverId: server.id,
      serverName: server.name,
      summary: bundleSummary(bundle),
      order: orderOf(manifest.version, bundle.version),
      changed,
      ...(refused !== undefined && { refused }),
    };
  }
}

/** The member `bundle` of the entry that a bundle becomes, without the values. */
function installedOf({ bundleId, opened: { manifest, signature, digest } }: Staged): Omit<InstalledBundle, 'values'> {
  return {
    name: manifest.name,
    version: manifest.version,
    type: manifest.server.type,
    digest,
    folder: bundleId,
    signature: signature.state,
    ...(signature.publisher !== undefined && { publisher: signature.publisher }),
    ...(signature.signer !== undefined && { signer: signature.signer }),
  };
}

const bundleOf = (config: ReturnType<Servers['writtenConfig']>): InstalledBundle | undefined =>
  config && 'command' in config ? config.bundle : undefined;

async function putBack(from: string, to: string): Promise<void> {
  try {
    await rename(from, to);
  } catch (error) {
    // It never came to its place.
    if (!(error instanceof Error && 'code' in error && error.code === 'ENOENT')) throw error;
  }
}

async function readText(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    if (error instanceof Error && 'code' in error) return undefined;
    throw error;
  }
}

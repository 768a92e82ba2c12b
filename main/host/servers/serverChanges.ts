import { isDeepStrictEqual } from 'node:util';
import type { InstalledBundle } from '../../../preload/contract/bundles.ts';
import { ServerId } from '../../../preload/contract/ids.ts';
import type {
  BundledServerConfig,
  EraChoice,
  LocalServerConfig,
  SandboxWord,
  Server,
  ServerConfig,
} from '../../../preload/contract/servers.ts';
import { startAnswered, trustChanged } from '../policy/auditEntries.ts';
import { demandsSandbox } from '../policy/managedPolicy.ts';
import { refuse } from '../refusal.ts';
import { deleteServerRows, insertServer, setConsent } from '../store/serverRows.ts';
import { bundledNames } from './bundledServers.ts';
import { nodeScriptOf } from './bundles/bundleStart.ts';
import { secretsOfBundle } from './bundles/userConfig.ts';
import type { ConfiguredServer } from './configuredServer.ts';
import { isEntryObject, readEntry, secretOwner } from './entry.ts';
import { parseJsonc, placeInWords, valueOf, withoutBom } from './jsonc.ts';
import { plainSecretsIn } from './plainSecrets.ts';
import { loosens } from './sandboxChoice.ts';
import type { ServerList, ServerListDeps } from './serverList.ts';
import { whyNot } from './serverSandbox.ts';
import {
  freeServerName,
  readServersText,
  withEntry,
  withEntryName,
  withEntryText,
  withMember,
  withoutEntry,
  withoutPlainSecrets,
} from './serversFile.ts';
import { hashConfig } from './startConsent.ts';

/**
 * What a person may change of the configured servers. Each is a change of servers.json, which the list follows. All refuse with `notFound`
 * for a server that is gone, and with `unsupported` or `configurationUnreadable` where the file may not or cannot be changed.
 */
export interface ServerChanges {
  /** Adds one entry; nothing starts before `consent`. Plain secrets in `config` go to the secret store. A name in use gets a suffix. */
  add(name: string, config: ServerConfig): Promise<Server>;
  /** The click, with the folders picked for it, is the consent to exactly this configuration. `folders` are paths of {@link Folders}. */
  addBundled(bundled: BundledServerConfig['bundled'], folders: string[]): Promise<Server>;
  /** Adds the server of a bundle, whose files are in their place under this id; nothing starts before `consent`. */
  addBundle(id: ServerId, name: string, config: BundleProgram, secrets: ReadonlyMap<string, string>): Promise<Server>;
  /** Another version of the bundle, or other values. What else stands in the entry stays, as do the secrets that are still named. */
  changeBundle(id: ServerId, config: BundleProgram, secrets: ReadonlyMap<string, string>): Promise<Server>;
  update(
    id: ServerId,
    change: { name?: string | undefined; configJson?: string | undefined; era?: EraChoice | undefined },
  ): Promise<Server>;
  setFolders(id: ServerId, paths: string[]): Promise<Server>;
  /**
   * What a local server is held to, in the words of its entry. What only narrows that was agreed to with the configuration before.
   * Refuses with `unsupported`, `invalidInput`, `wrongState`.
   */
  setSandbox(
    id: ServerId,
    change: { word?: SandboxWord | undefined; network?: string[] | undefined; writable?: string[] | undefined },
  ): Promise<Server>;
  remove(id: ServerId): Promise<void>;
  setEnabled(id: ServerId, enabled: boolean): Promise<void>;
  /** Refuses with `wrongHash` when the configuration has changed since the page was shown. */
  consent(id: ServerId, configHash: string, allow: boolean): Promise<void>;
}

/** The members of an entry that are made of a bundle and its values. */
export type BundleProgram = Required<Pick<LocalServerConfig, 'command' | 'args' | 'env'>> & { bundle: InstalledBundle };

export function createServerChanges(list: ServerList, deps: ServerListDeps): ServerChanges {
  const changeEntry = async (
    server: ConfiguredServer,
    edit: (text: string, name: string) => string,
    prepare?: () => Promise<void>,
  ): Promise<Server> => {
    await list.change((text) => edit(text, list.nameIn(text, server)), prepare);
    await server.bringUp();
    return server.view();
  };

  const keepSecrets = async (id: ServerId, value: object): Promise<void> => {
    for (const secret of plainSecretsIn(value)) await deps.secrets.set(secretOwner(id), secret.name, secret.value);
  };

  const addEntry = async (
    name: string,
    config: ServerConfig,
    consented: boolean,
    { id = ServerId.parse(deps.ids()), secrets = new Map() }: { id?: ServerId; secrets?: ReadonlyMap<string, string> } = {},
  ): Promise<Server> => {
    list.mayChange();
    insertServer(deps.db, id);
    try {
      for (const [secret, value] of secrets) await deps.secrets.set(secretOwner(id), secret, value);
      await keepSecrets(id, config);
      if (consented) {
        setConsent(deps.db, id, hashConfig(config), deps.clock.now());
        deps.record(startAnswered({ id, name: name.trim() }, hashConfig(config), config, true));
      }
      await list.change((text) => {
        const free = freeServerName(name.trim(), namesIn(text));
        const value = { ...config, id };
        return withoutPlainSecrets(withEntry(text, free, value), { name: free, id, value, text: '' });
      });
    } catch (error) {
      if (!list.all().some((server) => server.id === id)) forget(id);
      throw error;
    }
    return list.find(id).view();
  };

  const forget = (id: ServerId): void => {
    deleteServerRows(deps.db, id);
    deps.secrets.removeAll(secretOwner(id));
  };

  const setEnabled = async (id: ServerId, enabled: boolean): Promise<void> => {
    const server = list.find(id);
    const { name, value } = server.entry();
    if (!isEntryObject(value)) refuse('wrongState', `"${name}" cannot be switched. ${readEntry(value).problem ?? ''}`);
    await changeEntry(server, (text, current) => withMember(text, current, ['disabled'], enabled ? undefined : true));
  };

  return {
    add(name, config) {
      // Off is for who asks for it.
      const isNew = 'command' in config && config.sandbox === undefined && deps.sandbox.obstacles().protected === undefined;
      return addEntry(name, withoutBundle(isNew ? { ...config, sandbox: 'protected' } : config), false);
    },

    async addBundle(id, name, config, secrets) {
      // One that only the desktop application itself could run is held by nothing, and its page says so.
      const canBeHeld =
        deps.sandbox.obstacles().protected === undefined &&
        (deps.nodeProgram !== undefined || nodeScriptOf(config) === undefined || list.hasNode());
      return addEntry(name, canBeHeld ? { ...config, sandbox: 'protected' } : config, false, { id, secrets });
    },

    async changeBundle(id, config, secrets) {
      const server = list.find(id);
      const before = server.config();
      const old = before && 'command' in before ? secretsOfBundle(before.bundle) : [];
      const edit = (text: string, current: string): string => {
        const changed = Object.entries(config).reduce((each, [member, value]) => withMember(each, current, [member], value), text);
        return withoutPlainSecrets(changed, { name: current, id, value: config, text: '' });
      };
      await changeEntry(server, edit, async () => {
        for (const [name, value] of secrets) await deps.secrets.set(secretOwner(id), name, value);
        await keepSecrets(id, config);
      });
      const kept = secretsOfBundle(config.bundle);
      for (const name of old) if (!kept.includes(name)) deps.secrets.remove(secretOwner(id), name);
      // What runs was given the old ones.
      if (secrets.size > 0) await server.reconnect();
      return server.view();
    },

    async addBundled(bundled, folders) {
      const name = bundledNames[bundled];
      if (bundled === 'files' && folders.length === 0) refuse('invalidInput', `${name} needs at least one folder. Pick one.`);
      const present = list.all().find((server) => server.bundled() === bundled);
      // Two of them would write the same file.
      if (bundled === 'memory' && present) refuse('wrongState', `"${present.entry().name}" is among your servers already.`);
      return addEntry(name, bundled === 'files' ? { bundled, folders: [...new Set(folders)] } : { bundled }, true);
    },

    update(id, { name, configJson, era }) {
      const written = configJson === undefined ? undefined : readEntryText(configJson);
      const before = list.find(id).entry().value;
      const installed: unknown = isEntryObject(before) ? Reflect.get(before, 'bundle') : undefined;
      const edit = (text: string, current: string): string => {
        let changed = text;
        if (written) {
          // The id is not the person's to write: permissions hang on it.
          changed = withMember(withEntryText(changed, current, written.text), current, ['id'], id);
          // Nor is what came in a bundle and who signed it: its values have a page of their own.
          if ('bundle' in written.value && !isDeepStrictEqual(written.value.bundle, installed))
            changed = withMember(changed, current, ['bundle'], installed);
          changed = withoutPlainSecrets(changed, { name: current, id, ...written });
        }
        // What is automatic need not stand in the file.
        if (era) changed = withMember(changed, current, ['era'], era === 'auto' ? undefined : era);
        const wanted = name?.trim() ?? current;
        const others = namesIn(changed).filter((other) => other !== current);
        return wanted === current ? changed : withEntryName(changed, current, freeServerName(wanted, others));
      };
      return changeEntry(list.find(id), edit, async () => {
        if (written) await keepSecrets(id, written.value);
      });
    },

    async setFolders(id, paths) {
      const server = list.find(id);
      const config = server.config();
      const { name } = server.entry();
      if (!config || !('bundled' in config) || config.bundled !== 'files')
        return refuse('wrongState', `"${name}" has no folders that could be picked.`);
      if (paths.length === 0) refuse('invalidInput', `"${name}" needs at least one folder. Pick one, or remove the server.`);
      const folders = [...new Set(paths)];
      return changeEntry(
        server,
        (text, current) => withMember(text, current, ['folders'], folders),
        // Picking the folders is the consent to them.
        async () => server.agree(hashConfig({ ...config, folders }), true),
      );
    },

    async setSandbox(id, { word, network, writable }) {
      const server = list.find(id);
      const before = server.config();
      const { name } = server.entry();
      if (!before || 'url' in before) return refuse('wrongState', `"${name}" is no program on this computer, so nothing holds it here.`);
      if (word === 'off' && demandsSandbox(deps.managed))
        return refuse('notAllowed', `Your organisation demands that "${name}" is protected, so it cannot be switched off.`);
      const obstacle = word === undefined || word === 'off' ? undefined : whyNot(word, server.view().sandbox);
      if (obstacle !== undefined) return refuse('unsupported', obstacle);
      if ('bundled' in before && (word === 'strict' || network || writable))
        return refuse('invalidInput', `"${name}" can be Protected or Off.`);
      const patch = { ...(word && { sandbox: word }), ...(network && { network: await tidy(network) }), ...(writable && { writable }) };
      const after = readEntry({ ...before, ...patch }).config;
      if (!after) return refuse('invalidInput', 'These lists are too long.');
      return changeEntry(
        server,
        (text, current) => Object.entries(patch).reduce((changed, [member, value]) => withMember(changed, current, [member], value), text),
        async () => {
          const agreed = server.view().status;
          const waits = agreed.state === 'off' && agreed.needsConsent !== undefined;
          if (!waits && !loosens(server.confinement(before), server.confinement(after))) server.agree(hashConfig(after), true);
          deps.record(trustChanged({ id, name }, 'sandbox', sandboxInWords(server.confinement(after))));
        },
      );
    },

    async remove(id) {
      const server = list.find(id);
      await list.change((text) => withoutEntry(text, list.nameIn(text, server)));
      // It may still write what it learnt until it has ended.
      await server.retire();
      forget(id);
      await deps.sandbox.forget(id);
      await deps.bundlePlaces.forget(id);
      await deps.identities.leave(secretOwner(id));
    },

    setEnabled,

    async consent(id, configHash, allow) {
      const server = list.find(id);
      if (server.hash() !== configHash) {
        refuse('wrongHash', `The configuration of "${server.entry().name}" has changed since this page was shown. Look at it again.`);
      }
      if (!allow) {
        deps.record(startAnswered({ id, name: server.entry().name }, configHash, server.config(), false));
        return setEnabled(id, false);
      }
      const changed = server.changedBundle();
      // From here on these are its files: without that, each start of Maitre would ask anew.
      if (changed) await list.change((text) => withMember(text, list.nameIn(text, server), ['bundle'], changed));
      server.agree(configHash);
      await server.bringUp();
    },
  };
}

/** Only what was installed has the files of a bundle. */
function withoutBundle(config: ServerConfig): ServerConfig {
  if (!('command' in config)) return config;
  const { bundle: _files, ...program } = config;
  return program;
}

/** What a server is held to, for the activity log: how much, not where. */
function sandboxInWords(held: ReturnType<ConfiguredServer['confinement']>): string {
  if (!held) return 'off';
  return `${held.word}, folders: ${held.folders.length}${held.word === 'strict' ? `, hosts: ${held.network.length}` : ''}`;
}

/** As they were typed, each once. Refuses what is no host, with the word that is none. */
async function tidy(hosts: readonly string[]): Promise<string[]> {
  // Brings a part of a library along that no start of the host should wait for.
  const { isHostPattern, noHost } = await import('./sandboxHosts.ts');
  const trimmed = [...new Set(hosts.map((host) => host.trim()).filter((host) => host !== ''))];
  const wrong = trimmed.find((host) => !isHostPattern(host));
  if (wrong !== undefined) refuse('invalidInput', noHost(wrong));
  return trimmed;
}

function namesIn(text: string): string[] {
  const read = readServersText('servers.json', text);
  return read.ok ? read.entries.map((entry) => entry.name) : [];
}

/** Refuses with `invalidInput` what could not be an entry, with the place where there is one. */
function readEntryText(json: string): { text: string; value: object } {
  const text = withoutBom(json);
  const parsed = parseJsonc(text);
  if (!parsed.ok) {
    const { message, at } = parsed.problem;
    return refuse('invalidInput', `The configuration cannot be read at ${placeInWords(at)}: ${message}. Nothing was changed.`, { at });
  }
  const value = valueOf(parsed.root);
  const { problem } = readEntry(value);
  if (problem !== undefined || !isEntryObject(value)) return refuse('invalidInput', `${problem ?? ''} Nothing was changed.`.trim());
  return { text: text.slice(parsed.root.offset, parsed.root.offset + parsed.root.length), value };
}

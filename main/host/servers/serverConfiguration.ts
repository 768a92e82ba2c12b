import type { InstalledBundle } from '../../../preload/contract/bundles.ts';
import type { ServerId } from '../../../preload/contract/ids.ts';
import type { BundledServerConfig, ServerConfig, ServerState } from '../../../preload/contract/servers.ts';
import type { AuditEntry } from '../policy/audit.ts';
import { startAnswered } from '../policy/auditEntries.ts';
import { deniesServer, type Managed } from '../policy/managedPolicy.ts';
import type { Clock } from '../ports.ts';
import type { Db } from '../store/database.ts';
import { getConsent, removeGrants, setConsent } from '../store/serverRows.ts';
import type { BundlePlaces } from './bundles/bundlePlaces.ts';
import { type AdoptedEntry, isEnabled, readEntry } from './entry.ts';
import type { Confinement } from './sandbox.ts';
import { describeStart, hashConfig } from './startConsent.ts';

export interface ServerConfigurationDeps {
  db: Db;
  clock: Clock;
  /** What runs a Node script as a program of its own; undefined in the desktop application. */
  nodeProgram: string | undefined;
  env: Readonly<Record<string, string | undefined>>;
  platform: NodeJS.Platform;
  home: string;
  dataDir: string;
  /** The PATH for programs, as far as it is known. */
  path: { now(): string };
  /** Where the files of bundles are. */
  bundlePlaces: Pick<BundlePlaces, 'dataFolder' | 'digestOf'>;
  /** The policy of the user's organisation. */
  managed: Managed;
  /** Adds a row to the activity log. Throws where the store cannot be written. */
  record(entry: AuditEntry): void;
  /** Whether servers may run at all: after `startAll`, until `close`. */
  mayRun(): boolean;
  /** True where naming the file was the consent to everything in it. */
  consentGiven: boolean;
}

/** What is configured of one server, and whether that may run: its entry, the files of its bundle, consent, the organisation's policy. */
export interface ServerConfiguration {
  entry(): AdoptedEntry;
  config(): ServerConfig | undefined;
  bundled(): BundledServerConfig['bundled'] | undefined;
  /** Undefined while the entry cannot be read. */
  hash(): string | undefined;
  /** Its bundle with the files as they are by now, where they are not those that the entry names. */
  changedBundle(): InstalledBundle | undefined;
  adopt(entry: AdoptedEntry): void;
  /** Files that were put in the place of those agreed to are asked about like another command. True where that was found out just now. */
  lookAtBundle(): Promise<boolean>;
  /** Of the configuration that was agreed to last, whatever stands in the entry now. */
  agreedHash(): string | undefined;
  /** Keeps the consent to the configuration of this hash. What another program was allowed goes; `isSameProgram`: only its folders were picked anew. */
  agree(configHash: string, isSameProgram: boolean): void;
  /** Whether it is switched on, agreed to, not denied and not given up. */
  runnable(): boolean;
  /** Why it does not run as it stands, as that is shown; undefined where it may. */
  obstacle(): ServerState | undefined;
  /** The log learns once in a run that it was to start and the policy kept it from that. */
  recordDenial(): void;
  /** From here on nothing of it may run. */
  retire(): void;
}

/** @param confinement what a configuration of it would be held to. */
export function createServerConfiguration(
  id: ServerId,
  first: AdoptedEntry,
  confinement: (config: ServerConfig) => Omit<Confinement, 'own'> | undefined,
  deps: ServerConfigurationDeps,
): ServerConfiguration {
  let entry = first;
  let read = readEntry(first.value);
  /** What the files of its bundle are by now, where they are not those that the entry names. */
  let otherDigest: string | undefined;
  let retired = false;
  let denialRecorded = false;

  const bundle = () => (read.config && 'command' in read.config ? read.config.bundle : undefined);
  const changedBundle = (): InstalledBundle | undefined => {
    const installed = bundle();
    return installed && otherDigest !== undefined ? withFiles(installed, otherDigest) : undefined;
  };
  /** With the files of its bundle as they are. */
  const asItIs = (config: ServerConfig): ServerConfig => {
    const changed = changedBundle();
    return changed ? { ...config, bundle: changed } : config;
  };
  const hashNow = (): string | undefined => read.config && hashConfig(asItIs(read.config));
  let hash = hashNow();
  // Asked for at every step of a turn: kept here beside the row.
  let agreedHash = getConsent(deps.db, id)?.configHash;

  const enabled = (): boolean => isEnabled(entry.value);
  const agreed = (): boolean => deps.consentGiven || (hash !== undefined && agreedHash === hash);
  /** Why the organisation's policy keeps it from running. */
  const denied = (): string | undefined => read.config && deniesServer(deps.managed, asItIs(read.config));

  return {
    entry: () => entry,
    config: () => read.config,
    bundled: () => (read.config && 'bundled' in read.config ? read.config.bundled : undefined),
    hash: () => hash,
    changedBundle,

    adopt(next) {
      const before = bundle();
      entry = next;
      read = readEntry(next.value);
      // What was found of the files holds for as long as the entry says of them what it said.
      if (before?.folder !== bundle()?.folder || before?.digest !== bundle()?.digest) otherDigest = undefined;
      hash = hashNow();
    },

    async lookAtBundle() {
      const installed = bundle();
      // Who names a file of servers has agreed to what it names, wherever that lies.
      if (!installed || deps.consentGiven) return false;
      const digest = await deps.bundlePlaces.digestOf(id, installed);
      if (bundle()?.folder !== installed.folder || digest === (otherDigest ?? installed.digest)) return false;
      otherDigest = digest === installed.digest ? undefined : digest;
      hash = hashNow();
      return true;
    },

    agreedHash: () => agreedHash,

    agree(configHash, isSameProgram) {
      deps.db.transaction(() => {
        if (agreedHash !== undefined && agreedHash !== configHash && !isSameProgram) removeGrants(deps.db, id);
        setConsent(deps.db, id, configHash, deps.clock.now());
        deps.record(startAnswered({ id, name: entry.name }, configHash, read.config, true));
      })();
      agreedHash = configHash;
    },

    runnable: () => !retired && hash !== undefined && enabled() && agreed() && denied() === undefined,

    obstacle() {
      if (read.problem !== undefined) {
        return {
          state: 'failed',
          failure: { code: 'configurationInvalid', message: `"${entry.name}" cannot be started. ${read.problem}` },
        };
      }
      if (!enabled()) return { state: 'off' };
      const deniedBecause = denied();
      if (deniedBecause !== undefined) return { state: 'failed', failure: { code: 'managedDenies', message: deniedBecause } };
      if (agreed()) return undefined;
      return {
        state: 'off',
        needsConsent: describeStart(asItIs(read.config), {
          ...deps,
          path: deps.path.now(),
          held: confinement(read.config),
          bundle: bundle() && { dataFolder: deps.bundlePlaces.dataFolder(id), isChanged: otherDigest !== undefined },
        }),
      };
    },

    recordDenial() {
      if (denialRecorded || retired || hash === undefined || !deps.mayRun() || !enabled() || denied() === undefined) return;
      denialRecorded = true;
      deps.record(startAnswered({ id, name: entry.name }, hash, read.config, false, 'managedDenies'));
    },

    retire: () => void (retired = true),
  };
}

/** Files that are others than those that came are signed by nobody, whatever was signed. */
function withFiles(
  { signature: _was, publisher: _name, signer: _certificate, ...bundle }: InstalledBundle,
  digest: string,
): InstalledBundle {
  return { ...bundle, digest, signature: 'unsigned' };
}

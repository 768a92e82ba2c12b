import { createHash } from 'node:crypto';
import { basename } from 'node:path';
import canonicalize from 'canonicalize';
import type { BundleSummary, InstalledBundle } from '../../../preload/contract/bundles.ts';
import type { SandboxWord, ServerConfig, StartConsent } from '../../../preload/contract/servers.ts';
import { bundledProgram } from './bundledServers.ts';
import { nodeScriptOf } from './bundles/bundleStart.ts';
import { readVariable } from './environment.ts';
import { findProgram } from './findProgram.ts';
import type { Confinement } from './sandbox.ts';
import { startDangers } from './startDangers.ts';
import { referencesIn } from './substitution.ts';
import { bundledFolder, workingFolder } from './target.ts';

/**
 * SHA-256 over the canonical JSON (RFC 8785) of what decides which program runs or which address is called: secrets by
 * reference only, so that a new password does not ask again, and nothing that merely describes (name, time-out, off or on).
 * Consent and everything learnt about the program (its tools, its era) hang on it.
 */
export function hashConfig(config: ServerConfig): string {
  const canonical = canonicalize(whatRuns(config));
  if (canonical === undefined) throw new Error('A server configuration has no canonical form.');
  return createHash('sha256').update(canonical).digest('hex');
}

/** Members that are empty or left out mean the same to the program and must hash the same. */
function whatRuns(config: ServerConfig): Record<string, unknown> {
  if ('bundled' in config) {
    return { kind: 'bundled', bundled: config.bundled, folders: config.folders ?? [], ...(config.sandbox === 'off' && { sandbox: 'off' }) };
  }
  if ('url' in config) return { kind: 'remote', url: config.url, type: config.type ?? 'auto', headers: config.headers ?? {} };
  const { command, args = [], env = {}, cwd = '', sandbox, network = [], writable = [], bundle } = config;
  return { kind: 'local', command, args, env, cwd, ...heldTo(sandbox, network, writable), ...(bundle && { bundle: bundle.digest }) };
}

/** Without walls there is no member: what was agreed to before there were any stays so. */
function heldTo(word: SandboxWord | undefined, network: readonly string[], writable: readonly string[]): Record<string, unknown> {
  if (word === undefined || word === 'off') return {};
  return { sandbox: word, writable, ...(word === 'strict' && { network }) };
}

/**
 * What the person is shown before anything runs: everything, untruncated, with the program as it is found on this computer.
 * `path` is the PATH that the program would be looked up in.
 */
export function describeStart(
  config: ServerConfig,
  here: {
    env: Readonly<Record<string, string | undefined>>;
    platform: NodeJS.Platform;
    home: string;
    dataDir: string;
    path: string;
    /** What it will be held to; undefined: nothing. */
    held: Omit<Confinement, 'own'> | undefined;
    /** What runs a Node script; undefined in the desktop application. */
    nodeProgram?: string | undefined;
    /** Where a program that came in a bundle starts, and whether its files are others than those that came. */
    bundle?: { dataFolder: string; isChanged: boolean } | undefined;
  },
): StartConsent {
  const configHash = hashConfig(config);
  const sandbox = here.held
    ? {
        word: here.held.word,
        writable: [...here.held.folders, ...(here.bundle ? [here.bundle.dataFolder] : [])],
        network: [...here.held.network],
      }
    : { word: 'off' as const, writable: [], network: [] };
  if ('url' in config) {
    const { url, headers = {} } = config;
    return {
      configHash,
      command: '',
      args: [],
      envNames: Object.keys(headers),
      ...given(url, ...Object.values(headers)),
      folders: [],
      url,
    };
  }
  if ('bundled' in config) {
    const { script, args, env } = bundledProgram(config, here.dataDir);
    const cwd = bundledFolder(config, here.dataDir);
    return { configHash, command: script, args, envNames: Object.keys(env), cwd, folders: config.folders ?? [], sandbox };
  }
  const { args = [], env = {} } = config;
  const cwd = config.cwd === undefined && here.bundle ? here.bundle.dataFolder : workingFolder(config.cwd, here.home);
  const script = nodeScriptOf(config);
  const command = (script && here.nodeProgram) ?? config.command;
  const found = findProgram(command, {
    path: readVariable(env, 'PATH', here.platform) ?? here.path,
    cwd,
    platform: here.platform,
    pathExtensions: readVariable(here.env, 'PATHEXT', here.platform),
  });
  const dangers = startDangers(config);
  // What nothing holds runs inside of the desktop application, as what comes with it does.
  const isInside = script !== undefined && here.nodeProgram === undefined && !here.held;
  return {
    configHash,
    command: isInside ? script.script : (found ?? command),
    args: isInside ? script.args : args,
    ...(config.bundle && {
      bundle: { ...bundleSummary(config.bundle), ...(here.bundle?.isChanged === true && { isChanged: true as const }) },
    }),
    envNames: Object.keys(env),
    ...given(command, config.cwd ?? '', ...args, ...Object.values(env)),
    cwd,
    folders: [],
    ...(dangers.length === 0 ? {} : { dangers }),
    sandbox,
  };
}

/** Whoever writes an entry can ask for any of them, in the value of a header too, which is not shown. */
function given(...texts: readonly string[]): Pick<StartConsent, 'givenVariables'> {
  const names = texts.flatMap((text) => referencesIn(text).flatMap(({ kind, name }) => (kind === 'env' ? [name] : [])));
  return names.length === 0 ? {} : { givenVariables: [...new Set(names)] };
}

/** What is shown of a bundle wherever its server is. */
export const bundleSummary = ({ name, version, signature, publisher }: InstalledBundle): BundleSummary => ({
  name,
  version,
  signature,
  ...(publisher !== undefined && { publisher }),
});

/** The command line or address for display, in one line. */
export function summaryOf(config: ServerConfig): string {
  if ('url' in config) return config.url;
  if ('bundled' in config) return (config.folders ?? []).join(', ') || 'Comes with Maitre';
  if (config.bundle) return `${config.bundle.name} ${config.bundle.version}`;
  return [basename(config.command), ...(config.args ?? [])].map((word) => (/^[^\s"]+$/.test(word) ? word : JSON.stringify(word))).join(' ');
}

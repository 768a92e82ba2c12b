import { mkdirSync, statSync } from 'node:fs';
import { isAbsolute, resolve } from 'node:path';
import type { BundledServerConfig, ServerConfig } from '../../../preload/contract/servers.ts';
import type { Target } from '../mcp/target.ts';
import { spawnProgram } from '../mcp/childProgram.ts';
import type { ChildProgram, RunNodeScript } from '../ports.ts';
import { isUnencrypted } from '../net/addressPolicy.ts';
import { isSecretName } from '../redact.ts';
import { refuse } from '../refusal.ts';
import { bundledOwn, bundledProgram } from './bundledServers.ts';
import { bundleVariables, nodeScriptOf } from './bundles/bundleStart.ts';
import { childEnvironment, isOwnVariable, readVariable } from './environment.ts';
import { secretNamesIn } from './plainSecrets.ts';
import type { Confinement } from './sandbox.ts';
import { type Reference, missingInWords, referencesIn, substitute } from './substitution.ts';

export interface TargetDeps {
  env: Readonly<Record<string, string | undefined>>;
  platform: NodeJS.Platform;
  home: string;
  dataDir: string;
  path(): Promise<string>;
  secret(name: string): Promise<string | undefined>;
  runNodeScript: RunNodeScript;
  /** What runs a Node script as a program of its own; undefined in the desktop application, which can only do so inside of itself. */
  nodeProgram: string | undefined;
  /** What a program is to be held to, and what holds it; undefined where nothing does. */
  walls:
    | {
        variables: Record<string, string>;
        confine(
          program: { command: string; args: readonly string[]; cwd: string; env: Record<string, string> },
          own: Confinement['own'],
          readable?: Confinement['readable'],
        ): Promise<() => ChildProgram>;
      }
    | undefined;
  /** For a program that came in a bundle: its files, and what it may write to. */
  bundle?: { folder: string; dataFolder: string } | undefined;
  /** Sees every child once, right after its start. */
  onChild(child: ChildProgram): void;
}

/**
 * What to start or call for a configuration, with all values in place. Rejects with a Refusal whose sentence says which
 * member cannot be used. The caller has made sure of the consent.
 */
export async function targetOf(config: ServerConfig, deps: TargetDeps): Promise<Target> {
  const started = (child: ChildProgram): ChildProgram => {
    deps.onChild(child);
    return child;
  };

  if ('bundled' in config) {
    const folders = existingFolders(config.folders ?? []);
    if (config.bundled === 'files' && folders.length === 0) {
      const named = (config.folders ?? []).join(', ');
      invalid(named ? `None of its folders exists any more (${named}). Pick others for it.` : 'It has no folder yet. Pick one for it.');
    }
    const { script, args, env } = bundledProgram(config, deps.dataDir);
    const cwd = bundledFolder(config, deps.dataDir);
    const listed = { ...deps.walls?.variables, ...env };
    const environment = childEnvironment(deps.env, listed, { platform: deps.platform, path: await deps.path() });
    if (deps.walls && deps.nodeProgram !== undefined) {
      const program = { command: deps.nodeProgram, args: [script, ...args], cwd, env: environment };
      const start = await deps.walls.confine(program, bundledOwn(config, deps.dataDir));
      return { kind: 'stdio', start: () => started(start()) };
    }
    return { kind: 'stdio', start: () => started(deps.runNodeScript(script, args, { env: environment, cwd })) };
  }

  const fill = await filler(config, deps);
  if ('url' in config) {
    const url = checkedUrl(fill(config.url));
    if (isUnencrypted(url) && secretNamesIn(config.url).length > 0)
      invalid('Its address holds a secret, which everybody on the way could read: it begins with http://. Use https://.');
    return {
      kind: 'http',
      url,
      headers: checkedHeaders(isUnencrypted(url) ? openHeaders(config.headers ?? {}) : (config.headers ?? {}), fill),
      transport: transportOf(config.type),
    };
  }

  const { bundle } = deps;
  if (bundle) mkdirSync(bundle.dataFolder, { recursive: true, mode: 0o700 });
  const script = nodeScriptOf(config);
  const command = (script && deps.nodeProgram) ?? fill(config.command);
  const args = (config.args ?? []).map(fill);
  const filled = Object.fromEntries(Object.entries(config.env ?? {}).map(([name, value]) => [name, fill(value)]));
  const listed = { ...deps.walls?.variables, ...(bundle && bundleVariables(config, bundle.dataFolder)), ...filled };
  const cwd = config.cwd === undefined && bundle ? bundle.dataFolder : workingFolder(config.cwd && fill(config.cwd), deps.home);
  // The system reports a missing working folder as a missing program.
  if (existingFolders([cwd]).length === 0) invalid(`The folder it should run in does not exist: ${cwd}. Change "cwd" or make the folder.`);
  const environment = childEnvironment(deps.env, listed, { platform: deps.platform, path: await deps.path() });
  if (script && !deps.walls) {
    const [path = '', ...rest] = args;
    return { kind: 'stdio', start: () => started(deps.runNodeScript(path, rest, { env: environment, cwd })) };
  }
  const start = await deps.walls?.confine(
    { command, args, cwd, env: environment },
    bundle ? [bundle.dataFolder] : [],
    bundle ? [bundle.folder] : [],
  );
  return { kind: 'stdio', start: () => started(start?.() ?? spawnProgram(command, args, { env: environment, cwd })) };
}

/** Relative folders count from the home folder: an application started from a desktop has no other place of its own. */
export const workingFolder = (cwd: string | undefined, home: string): string =>
  cwd === undefined || !isAbsolute(cwd) ? resolve(home, cwd ?? '.') : cwd;

/** Files takes names without a folder to be in the one it runs in. */
export const bundledFolder = (config: BundledServerConfig, dataDir: string): string => existingFolders(config.folders ?? [])[0] ?? dataDir;

export const existingFolders = (folders: readonly string[]): string[] =>
  folders.filter((folder) => statSync(folder, { throwIfNoEntry: false })?.isDirectory() ?? false);

async function filler(config: ServerConfig, deps: TargetDeps): Promise<(text: string) => string> {
  const secrets = new Map<string, string | undefined>();
  for (const name of secretNamesIn(config)) secrets.set(name, await deps.secret(name));
  const lookup = ({ kind, name }: Reference): string | undefined => {
    if (kind === 'secret') return secrets.get(name);
    return isOwnVariable(name) ? undefined : readVariable(deps.env, name, deps.platform);
  };
  return (text) => {
    const filled = substitute(text, lookup);
    return filled.ok ? filled.text : invalid(missingInWords(filled.missing));
  };
}

function checkedUrl(url: string): string {
  const parsed = URL.parse(url);
  if (!parsed || (parsed.protocol !== 'http:' && parsed.protocol !== 'https:')) {
    invalid('Its address is not one of the web. It must begin with https:// or, on this computer, with http://.');
  }
  if (parsed.username || parsed.password) invalid('Its address holds a user name or password. Put them into a header as a secret.');
  return url;
}

function checkedHeaders(headers: Readonly<Record<string, string>>, fill: (text: string) => string): Record<string, string> {
  const filled = Object.entries(headers).map(([name, value]): [string, string] => {
    const text = fill(value).trim();
    if (!/^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/.test(name)) invalid(`${JSON.stringify(name)} is no name of a header.`);
    // Never with the value: it may be a secret.
    if (/[^\t\x20-\x7E\x80-\xFF]/.test(text))
      invalid(`The value of the header ${name} holds characters that cannot be sent, such as a line break.`);
    return [name, text];
  });
  return Object.fromEntries(filled);
}

/** Headers that may be read by everybody on the way: those without a secret. A variable of this computer may be one, whatever its name. */
export function openHeaders(headers: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).filter(([name, value]) => !isSecretName(name) && referencesIn(value).length === 0));
}

function transportOf(type: string | undefined): 'auto' | 'http' | 'sse' {
  if (type === undefined) return 'auto';
  return type === 'sse' ? 'sse' : 'http';
}

function invalid(message: string): never {
  refuse('invalidInput', message);
}

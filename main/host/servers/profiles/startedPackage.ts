import { readFileSync } from 'node:fs';
import { join, posix } from 'node:path';
import { z } from 'zod';
import type { LocalServerConfig } from '../../../../preload/contract/servers.ts';

/** What a command line starts, where it can be read off it with certainty. */
export interface StartedPackage {
  /** `npm` and `pypi` packages, container images. */
  kind: 'npm' | 'pypi' | 'image';
  name: string;
  /** The version it is tied to; `newest` where it names none; `unknown` for a range, a tag or a digest. */
  version: string;
  /** Only a file beside the program says so, and whoever wrote the program may have written that too. */
  isClaim?: true;
}

/** Variables that decide which package a launcher finds, also by where it looks for its settings, or what runs in its place. */
const steering =
  /^(npm_config_|bun_|pnpm_|uv_|pip|python|node_options$|node_path$|ld_|dyld_|path$|docker_|container|home$|userprofile$|xdg_|(local)?appdata$)/i;

/**
 * The package that `npx`, `uvx` and their like, `node` or a container program would run. Only the usual forms: with an unknown flag,
 * a path to the launcher, a folder to start in (whose files can put another package in the place of the named one) or a variable that
 * steers the launcher, nobody can say what runs, so the answer is undefined and the tools stay unreviewed.
 */
export function startedPackage(config: LocalServerConfig): StartedPackage | undefined {
  const { command, args = [], env = {}, cwd, bundle } = config;
  // A bundle can hold a folder that is named like any package.
  if (bundle) return undefined;
  if (Object.keys(env).some((name) => steering.test(name))) return undefined;
  const [program, rest] = isWindowsShell(command, args) ? [args[1] ?? '', args.slice(2)] : [command, args];
  const launcher = program.toLowerCase().replace(/\.(cmd|exe)$/, '');
  if (launcher === 'docker' || launcher === 'podman') return image(rest);
  if (cwd !== undefined && cwd !== '') return undefined;
  switch (launcher) {
    case 'npx':
    case 'bunx':
      return npm(afterFlags(rest, ['-y', '--yes', '-q', '--quiet', '--']));
    case 'pnpm':
      return rest[0] === 'dlx' ? npm(afterFlags(rest.slice(1), ['--silent'])) : undefined;
    case 'uvx':
      return pypi(afterFlags(rest, ['-q', '--quiet']));
    case 'uv':
      return rest[0] === 'tool' && rest[1] === 'run' ? pypi(afterFlags(rest.slice(2), ['-q', '--quiet'])) : undefined;
    case 'pipx':
      return rest[0] === 'run' ? pypi(afterFlags(rest.slice(1), ['-q', '--quiet'])) : undefined;
    case 'node':
      return installed(rest[0] ?? '');
    default:
      return undefined;
  }
}

const isWindowsShell = (command: string, args: readonly string[]): boolean =>
  /^cmd(\.exe)?$/i.test(command) && /^\/c$/i.test(args[0] ?? '');

/** The first argument after flags that change nothing of what runs; undefined after any other flag. */
function afterFlags(args: readonly string[], harmless: readonly string[]): string | undefined {
  const first = args.find((arg) => !harmless.includes(arg));
  return first?.startsWith('-') ? undefined : first;
}

const exact = /^v?\d+(\.\d+)*$/;
const versionOf = (written: string | undefined): string =>
  written === undefined || written === 'latest' ? 'newest' : exact.test(written) ? written.replace(/^v/, '') : 'unknown';

function npm(spec: string | undefined): StartedPackage | undefined {
  const parts = /^((?:@[a-z0-9][a-z0-9._~-]*\/)?[a-z0-9][a-z0-9._~-]*)(?:@(.+))?$/.exec(spec ?? '');
  return parts?.[1] === undefined ? undefined : { kind: 'npm', name: parts[1], version: versionOf(parts[2]) };
}

function pypi(spec: string | undefined): StartedPackage | undefined {
  const parts = /^([A-Za-z0-9][A-Za-z0-9._-]*)(?:(?:==|@)(.+))?$/.exec(spec ?? '');
  // PEP 503: these are one name.
  return parts?.[1] === undefined
    ? undefined
    : { kind: 'pypi', name: parts[1].toLowerCase().replaceAll(/[-_.]+/g, '-'), version: versionOf(parts[2]) };
}

const imageFlags = /^(-i|-t|-it|-ti|--rm|--init|--interactive|--tty)$/;
const imageFlagsWithValue = /^(-e|--env|-v|--volume|--mount|--name|--network|--net|--platform|--pull|-u|--user|-p|--publish|-l|--label)$/;
/** Where images keep their programs, libraries and settings. */
const codeOfImage = /^\/($|(app|bin|code|dev|etc|lib\w*|node_modules|opt|proc|root|run|sbin|server|src|sys|usr|var)(\/|$))/i;
/** A volume of the container program's own, which begins with what the image holds there. */
const ownVolume = /^[A-Za-z0-9][\w.-]+$/;

/** Whether a flag may put other code in the place of the image's. */
function replacesCode(flag: string, value: string): boolean {
  switch (flag) {
    case '-e':
    case '--env':
      return steering.test(value.split('=', 1)[0] ?? '');
    case '-v':
    case '--volume': {
      const [source = '', ...targets] = value.split(':');
      return !ownVolume.test(source) && targets.some((target) => target.startsWith('/') && holdsCode(target));
    }
    case '--mount': {
      const members = value.split(',').map((member) => ({ name: member.split('=', 1)[0] ?? '', value: member.replace(/^[^=]*=?/, '') }));
      const all = (name: RegExp): string[] => members.filter((member) => name.test(member.name)).map((member) => member.value);
      const isOwn = all(/^type$/).every((type) => type === 'volume') && all(/^(src|source)$/).every((source) => ownVolume.test(source));
      return all(/^volume-/).length > 0 || (!isOwn && all(/^(dst|target|destination)$/).some(holdsCode));
    }
    default:
      return false;
  }
}

const holdsCode = (target: string): boolean => codeOfImage.test(posix.normalize(target));

function image(args: readonly string[]): StartedPackage | undefined {
  if (args[0] !== 'run') return undefined;
  let at = 1;
  for (let arg = args[at]; arg?.startsWith('-') === true; arg = args[at]) {
    const [, flag = arg, inOneWord] = /^(--[a-z-]+)=(.*)$/s.exec(arg) ?? [];
    const isPlain = imageFlags.test(arg);
    if (!isPlain && (!imageFlagsWithValue.test(flag) || replacesCode(flag, inOneWord ?? args[at + 1] ?? ''))) return undefined;
    at += isPlain || inOneWord !== undefined ? 1 : 2;
  }
  const parts = /^([a-z0-9][a-z0-9._/-]*)(?::([\w.-]+))?(@sha256:[0-9a-f]{64})?$/.exec(args[at] ?? '');
  if (parts?.[1] === undefined) return undefined;
  const name = parts[1].replace(/^(docker\.io\/)?(library\/)?/, '');
  return { kind: 'image', name, version: parts[3] === undefined ? versionOf(parts[2]) : 'unknown' };
}

const Manifest = z.object({ name: z.string(), version: z.string() });

/** A script inside an installed package, by what the manifest of its folder says. No registry has vouched for that folder. */
function installed(script: string): StartedPackage | undefined {
  const parts = /^(.*[\\/]node_modules[\\/])((?:@[a-z0-9._~-]+[\\/])?[a-z0-9._~-]+)[\\/](?!.*[\\/]node_modules[\\/])/.exec(script);
  const [, root, folder] = parts ?? [];
  if (root === undefined || folder === undefined || script.split(/[\\/]/).includes('..')) return undefined;
  const name = folder.replace('\\', '/');
  const manifest = Manifest.safeParse(readJson(join(root, folder, 'package.json')));
  return manifest.success && manifest.data.name === name
    ? { kind: 'npm', name, version: versionOf(manifest.data.version), isClaim: true }
    : undefined;
}

function readJson(path: string): unknown {
  try {
    return JSON.parse(readFileSync(path, 'utf8'));
  } catch (error) {
    // It is not there, or it is none: then nothing is known of the program.
    if (error instanceof SyntaxError || (error instanceof Error && 'code' in error)) return undefined;
    throw error;
  }
}

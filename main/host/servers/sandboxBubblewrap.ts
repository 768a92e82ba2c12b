import type { SandboxRule } from './sandboxRules.ts';
import { keyringFilter } from './sandboxSyscalls.ts';

/** Programs of Linux that confine another one. All absolute. */
export interface BubblewrapPrograms {
  bwrap: string;
  /** Of `@anthropic-ai/sandbox-runtime`: shuts off sockets to other programs of this computer, then runs its arguments. */
  filter: string;
  /** Undefined: Strict cannot be had. */
  socat: string | undefined;
}

export interface BubblewrapStart {
  command: string;
  args: readonly string[];
  cwd: string;
  env: Readonly<Record<string, string>>;
  rules: readonly SandboxRule[];
  /** The folder that stands in the place of /tmp. */
  temp: string;
  /** The socket of the only way out. Undefined: the network is open. */
  proxySocket?: string | undefined;
  /** Root needs one capability more for the filter; the filter gives none of it on. */
  isRoot: boolean;
}

/** Where the way out is found inside, and the port that programs are told of. */
const proxyPath = '/tmp/.maitre-proxy';
export const proxyPort = 3128;

/**
 * Brings up the way out, waits until it listens, and becomes the program. It runs inside of the walls but before the filter, so nothing
 * that it runs may depend on what the server's settings say: neither its PATH nor its environment.
 */
const behindProxy = `socat=$1; filter=$2; shift 2
/usr/bin/env -i "$socat" TCP4-LISTEN:${proxyPort},bind=127.0.0.1,fork,reuseaddr,backlog=128 UNIX-CONNECT:${proxyPath} </dev/null >/dev/null 2>&1 &
tries=0
until /usr/bin/env -i "$socat" -u OPEN:/dev/null TCP4:127.0.0.1:${proxyPort} </dev/null >/dev/null 2>&1; do
  tries=$((tries+1))
  if [ "$tries" -gt 500 ]; then echo 'The way out to the network did not come up.' >&2; exit 70; fi
done
exec "$filter" "$@"`;

/** The system's loader obeys these before any wall stands behind the programs that build it. */
const isLoaderVariable = (name: string): boolean => /^(LD_|GCONV_PATH$|BASH_ENV$|ENV$|SHELLOPTS$|BASHOPTS$|PS4$)/.test(name);
/** The filter's own switches. */
const isFilterVariable = (name: string): boolean => name.startsWith('SRT_');

/**
 * The start of a program under bubblewrap. `feeds` have to stand on its descriptors from 3 on: its arguments, since those of a
 * program can be read by every user of the computer and secrets are among the variables, and a filter of system calls. Pure.
 */
export function bubblewrapStart(
  start: BubblewrapStart,
  programs: BubblewrapPrograms,
): { command: string; args: string[]; feeds: [words: string, ...filter: Uint8Array[]] } {
  const { rules, proxySocket } = start;
  const filter = keyringFilter(process.arch);
  const words = [
    // Without a process of its own in between, bubblewrap ends only when everything inside is gone and collected.
    '--as-pid-1',
    ...['--die-with-parent', '--unshare-user', '--unshare-pid', '--unshare-ipc', '--unshare-cgroup-try', '--cap-drop', 'ALL'],
    ...(start.isRoot ? ['--cap-add', 'CAP_SETFCAP'] : []),
    ...(proxySocket === undefined ? [] : ['--unshare-net']),
    ...(filter ? ['--seccomp', '4'] : []),
    ...['--ro-bind', '/', '/', '--dev', '/dev', '--proc', '/proc', '--bind', start.temp, '/tmp'],
    ...(proxySocket === undefined ? [] : ['--bind', proxySocket, proxyPath]),
    ...rules.flatMap(mountOf),
    ...['--ro-bind', programs.filter, programs.filter],
    // Last, because the mounts inside of a hidden folder need a place to be made in it.
    ...rules.flatMap((rule) => (rule.is === 'hidden' && rule.folder ? ['--remount-ro', rule.path] : [])),
    ...Object.entries(start.env).flatMap(([name, value]) =>
      isFilterVariable(name) || (proxySocket !== undefined && isLoaderVariable(name)) ? [] : ['--setenv', name, value],
    ),
    ...['--setenv', 'SRT_ALLOW_NESTED_USERNS', '0', '--chdir', start.cwd],
  ];
  const run =
    proxySocket === undefined || programs.socat === undefined
      ? [programs.filter]
      : ['/bin/sh', '-c', behindProxy, 'sh', programs.socat, programs.filter];
  return {
    command: programs.bwrap,
    args: ['--args', '3', '--', ...run, start.command, ...start.args],
    feeds: [words.map((word) => `${word}\0`).join(''), ...(filter ? [filter] : [])],
  };
}

function mountOf({ path, is, folder }: SandboxRule): string[] {
  if (is === 'writable') return ['--bind', path, path];
  if (is === 'readable') return ['--ro-bind', path, path];
  // Passed through but not listed: what is given inside of it must be reached.
  return folder ? ['--perms', '0111', '--tmpfs', path] : ['--ro-bind', '/dev/null', path];
}

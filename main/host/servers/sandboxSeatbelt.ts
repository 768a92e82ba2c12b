import { wrapCommandWithSandboxMacOS } from '@anthropic-ai/sandbox-runtime/dist/sandbox/macos-sandbox-utils.js';
import { isInside, type SandboxRule } from './sandboxRules.ts';

export interface SeatbeltStart {
  command: string;
  args: readonly string[];
  rules: readonly SandboxRule[];
  /** Its own folder for temporary files. */
  temp: string;
  /** The only way out, on this computer. Undefined: the network is open. */
  proxy?: { port: number; token: string } | undefined;
}

const quoted = (word: string): string => `'${word.replaceAll("'", `'\\''`)}'`;

/**
 * The start of a program under seatbelt (macOS), by the profile that `@anthropic-ai/sandbox-runtime` writes. Pure. The profile cannot
 * say that something is given inside of what is hidden inside of what is given: that stays hidden then.
 */
export function seatbeltStart({ command, args, rules, temp, proxy }: SeatbeltStart): { command: string; args: string[] } {
  const paths = (is: SandboxRule['is']): string[] => rules.filter((rule) => rule.is === is).map(({ path }) => path);
  // Elsewhere nothing can be written in any case, and a folder that is given inside of a hidden one must not be taken back.
  const keptInside = rules.filter(
    ({ path, is }) =>
      is !== 'writable' && rules.some((outer) => outer.is === 'writable' && outer.path !== path && isInside(path, outer.path)),
  );
  const line = wrapCommandWithSandboxMacOS({
    // The library points temporary files to a folder of its own choice; this comes after it.
    command: ['/usr/bin/env', `TMPDIR=${temp}`, command, ...args].map(quoted).join(' '),
    // What is told to the system's log and to the proxy of who asks: else it would be the command itself, with what its arguments hold.
    commandId: 'maitre',
    needsNetworkRestriction: proxy !== undefined,
    ...(proxy && { httpProxyPort: proxy.port, socksProxyPort: proxy.port, proxyAuthToken: proxy.token }),
    readConfig: {
      denyOnly: [],
      literalDenyOnly: paths('hidden'),
      literalAllowWithinDeny: [...paths('readable'), ...paths('writable'), temp],
    },
    writeConfig: {
      allowOnly: [],
      literalAllowOnly: [...paths('writable'), temp, '/dev/null', '/dev/tty', '/dev/stdout', '/dev/stderr'],
      denyWithinAllow: [],
      literalDenyWithinAllow: keptInside.map(({ path }) => path),
    },
    binShell: 'sh',
  });
  return { command: '/bin/sh', args: ['-c', line] };
}

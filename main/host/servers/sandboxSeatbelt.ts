import { wrapCommandWithSandboxMacOS } from '@anthropic-ai/sandbox-runtime/dist/sandbox/macos-sandbox-utils.js';
import type { SandboxRule } from './sandboxRules.ts';

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

/** The start of a program under seatbelt (macOS), by the profile that `@anthropic-ai/sandbox-runtime` writes. Pure. */
export function seatbeltStart({ command, args, rules, temp, proxy }: SeatbeltStart): { command: string; args: string[] } {
  const paths = (is: SandboxRule['is']): string[] => rules.filter((rule) => rule.is === is).map(({ path }) => path);
  const line = wrapCommandWithSandboxMacOS({
    // The library points temporary files to a folder of its own choice; this comes after it.
    command: ['/usr/bin/env', `TMPDIR=${temp}`, command, ...args].map(quoted).join(' '),
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
      literalDenyWithinAllow: [...paths('readable'), ...paths('hidden')],
    },
    binShell: 'sh',
  });
  return { command: '/bin/sh', args: ['-c', line] };
}

import type { LocalServerConfig, StartDanger } from '../../../preload/contract/servers.ts';

const shells = /^(sh|bash|zsh|dash|ksh|fish|cmd|powershell|pwsh)(\.exe)?$/i;
const administrators = /^(sudo|doas|pkexec|su|runas|gsudo)(\.exe)?$/i;
const networkTools = /^(nc|ncat|netcat|socat|ssh|scp|sftp|telnet|ngrok)(\.exe)?$/i;
/** Switches after which a shell, or an interpreter, takes its next argument for a program. */
const runsText = /^(-[a-z]*c|\/[ck]|-command|-encodedcommand|-enc)$/i;

const words = (text: string): string[] => text.split(/[\s;&|()`"'$<>]+/).map((word) => word.replace(/^.*[\\/]/, ''));

const looks: readonly [StartDanger, RegExp][] = [
  ['deletes', /\brm\s+(-[a-z]*\s+)*-?[a-z]*(r[a-z]*f|f[a-z]*r)|\b(rmdir|rd|del)\s+\/s|Remove-Item\b.*-Recurse|\bmkfs|\bdd\s+.*of=\/dev/i],
  [
    'runsDownload',
    /\b(curl|wget|iwr|irm|Invoke-WebRequest|Invoke-RestMethod)\b[^|]*\|\s*(sudo\s+)?(sh|bash|zsh|dash|python3?|node|perl|iex|Invoke-Expression)\b|\b(sh|bash|zsh)\s+<\(\s*(curl|wget)|\b(iex|Invoke-Expression)\b.*\b(iwr|irm|DownloadString)/i,
  ],
  [
    'privatePlaces',
    /(^|[\\/~])\.(ssh|gnupg|aws|azure|kube|docker|netrc|npmrc|pgpass|password-store)\b|\.config[\\/](gh|gcloud|google-chrome|chromium|BraveSoftware)|\.mozilla\b|Library[\\/]Keychains|[\\/]etc[\\/](shadow|sudoers)|AppData[\\/](Local|Roaming)[\\/](Google|Microsoft[\\/](Credentials|Protect)|Mozilla)|\.local[\\/]share[\\/]keyrings/i,
  ],
];

/**
 * What in a start deserves a second look (S43 of the checklist, "dangerous patterns"): as marks beside the exact command, never a verdict,
 * since every one of them has honest uses and none of them is needed for harm.
 */
export function startDangers({ command, args = [], cwd = '' }: Pick<LocalServerConfig, 'command' | 'args' | 'cwd'>): StartDanger[] {
  const found = new Set<StartDanger>();
  const program = command.replace(/^.*[\\/]/, '');
  const line = [command, ...args].join(' ');
  const named = [program, ...args.flatMap(words)];
  if (named.some((word) => administrators.test(word))) found.add('administrator');
  // A shell with a script file is an ordinary program; one that is given text to run hides what runs.
  if (named.some((word) => shells.test(word)) && args.some((each) => runsText.test(each))) found.add('shell');
  if (named.some((word) => networkTools.test(word))) found.add('networkTool');
  for (const [danger, look] of looks) if (look.test(line) || look.test(cwd)) found.add(danger);
  return [...found];
}

import path from 'node:path';
import { z } from 'zod';
import type { InstalledBundle } from '../../../preload/contract/bundles.ts';
import type { ManagedView } from '../../../preload/contract/managed.ts';
import type { Scope } from '../../../preload/contract/policy.ts';
import type { LocalServerConfig, ServerConfig } from '../../../preload/contract/servers.ts';
import type { ManagedForCall } from './callFacts.ts';
import { startedPackage } from '../servers/profiles/startedPackage.ts';
import { referencesIn } from '../servers/substitution.ts';

const glob = z.string().min(1).max(500);

/** Which servers are meant: exactly one of the members. `*` stands for any characters. */
const ServerMatch = z
  .union([
    z.strictObject({ url: glob.describe('Host of a remote server: “mcp.example.com”, “*.example.com” for its subdomains, “*” for all.') }),
    z.strictObject({ command: glob.describe('Program of a local server: a bare name as it is looked up in PATH, or an absolute path.') }),
    z.strictObject({
      package: glob.describe(
        'Package or image that a local server runs: “@example/*”. Allowed where npx, bunx, pnpm dlx, uvx, pipx run, docker run and the like certainly run it; denied wherever it stands in the command line.',
      ),
    }),
    z.strictObject({
      bundle: glob.describe('Name in the manifest of a bundle (.mcpb). Allowed only where it is signed and the name is vouched for.'),
      publisher: glob.optional().describe('Who signed the bundle, as it is shown. Absent: anybody.'),
    }),
    z.strictObject({ bundled: z.enum(['files', 'memory', 'everything', '*']).describe('A server that comes with Maitre.') }),
  ])
  .describe('Which servers are meant, by exactly one of the members.');
type ServerMatch = z.infer<typeof ServerMatch>;

/** The organisation's policy, as it stands in the system's file. A member that is not known here makes the whole file unusable. */
export const ManagedPolicy = z
  .strictObject({
    $schema: z.string().max(1000).optional(),
    version: z.literal(1),
    organisation: z.string().trim().min(1).max(100).optional().describe('Shown where the policy decides.'),
    servers: z
      .strictObject({
        allow: z.array(ServerMatch).max(1000).optional().describe('When present, no other server runs.'),
        deny: z.array(ServerMatch).max(1000).optional().describe('These do not run, even when they are allowed.'),
      })
      .optional(),
    tools: z
      .strictObject({
        deny: z.array(z.strictObject({ server: ServerMatch.optional().describe('Absent: of any server.'), tool: glob })).max(1000),
      })
      .optional()
      .describe('Tools that are never called.'),
    changedDefinitions: z
      .literal('block')
      .optional()
      .describe('A tool whose definition has changed is blocked until the user agreed to it.'),
    standingPermissions: z.literal('forbidden').optional().describe('Permissions hold for one call or one answer, no longer.'),
    audit: z.literal('required').optional().describe('No tool is called unless the activity log can be signed with a key of the keychain.'),
    bundles: z.literal('signed').optional().describe('Bundles run only when they are signed and the name of the signer is vouched for.'),
    sandbox: z.literal('protected').optional().describe('Local servers run under Protected or Strict, or not at all.'),
  })
  .describe('Policy of an organisation for Maitre.');
export type ManagedPolicy = z.infer<typeof ManagedPolicy>;

/** The same as JSON Schema (2020-12), as `docs/policy.schema.json` holds it. */
export const managedPolicySchema = (): object => z.toJSONSchema(ManagedPolicy);

/** What was found at the system's place. A file that cannot be used forbids everything: it was meant to forbid something. */
export type Managed =
  { state: 'none' } | { state: 'set'; policy: ManagedPolicy; hash: string } | { state: 'broken'; path: string; problem: string };

/** Where the policy stands. Fixed, and never taken from the environment, which belongs to whom the policy is for. */
export function managedPolicyFile(platform: NodeJS.Platform): string {
  if (platform === 'win32') return String.raw`C:\ProgramData\Maitre\policy.json`;
  if (platform === 'darwin') return '/Library/Application Support/Maitre/policy.json';
  return '/etc/maitre/policy.json';
}

const organisationOf = ({ organisation }: ManagedPolicy): string => organisation ?? 'Your organisation';

/** Why this server may not run, as a sentence; undefined where it may. */
export function deniesServer(managed: Managed, config: ServerConfig): string | undefined {
  if (managed.state === 'none') return undefined;
  if (managed.state === 'broken') return managed.problem;
  const { allow, deny } = managed.policy.servers ?? {};
  if (deny?.some((match) => isMeant(match, config, 'deny')))
    return `${organisationOf(managed.policy)} has forbidden this server, so it does not run.`;
  if (managed.policy.bundles === 'signed' && isUnsigned(config))
    return `${organisationOf(managed.policy)} demands that bundles are signed by somebody whose name is vouched for, and this one is not, so it does not run.`;
  if (allow && !allow.some((match) => isMeant(match, config, 'allow')))
    return `This server is not among those that ${managed.policy.organisation ?? 'your organisation'} allows, so it does not run.`;
  return undefined;
}

/** Why this tool is never called; undefined where it may be. */
export function deniesTool(managed: Managed, { config, tool }: { config: ServerConfig | undefined; tool: string }): string | undefined {
  if (managed.state !== 'set') return undefined;
  const denied = managed.policy.tools?.deny.some(
    (rule) =>
      matchesGlob(tool, rule.tool) &&
      // A server whose configuration cannot be read is taken for the one that is meant.
      (rule.server === undefined || config === undefined || isMeant(rule.server, config, 'deny')),
  );
  return denied ? `${organisationOf(managed.policy)} has forbidden the tool ${tool}.` : undefined;
}

const isUnsigned = (config: ServerConfig): boolean =>
  'command' in config && config.bundle !== undefined && config.bundle.signature !== 'signed';

/** What is left of the permissions that a card could offer. */
export const offeredScopes = (managed: Managed, scopes: readonly Scope[]): Scope[] =>
  scopes.filter((scope) => scope === 'once' || scope === 'turn' || !forbidsStanding(managed));

const forbidsStanding = (managed: Managed): boolean =>
  managed.state === 'broken' || (managed.state === 'set' && managed.policy.standingPermissions === 'forbidden');

/** Whether local servers have to be confined, whatever their configuration says. */
export const demandsSandbox = (managed: Managed): boolean => managed.state === 'set' && managed.policy.sandbox === 'protected';

/**
 * The configuration with the least sandbox that is demanded. A bundled server stays as it is: it is protected where that can be had,
 * and part of the application where it cannot.
 */
export function sandboxOf<Config extends ServerConfig>(managed: Managed, config: Config): Config {
  if (!demandsSandbox(managed) || 'url' in config) return config;
  if ('bundled' in config) return config.sandbox === 'off' ? { ...config, sandbox: 'protected' } : config;
  return 'command' in config && config.sandbox !== 'strict' ? { ...config, sandbox: 'protected' } : config;
}

/** What the policy says of one call. `auditIsKept`: the activity log is signed with a key of the keychain. */
export function managedFor(
  managed: Managed,
  { config, tool }: { config: ServerConfig | undefined; tool: string },
  { auditIsKept }: { auditIsKept: boolean },
): ManagedForCall {
  const deniesCall =
    (config && deniesServer(managed, config)) ??
    deniesTool(managed, { config, tool }) ??
    (managed.state === 'set' && managed.policy.audit === 'required' && !auditIsKept
      ? `${organisationOf(managed.policy)} demands an activity log that can be checked, and there is no keychain that answers, so nothing is called.`
      : undefined) ??
    (managed.state === 'broken' ? managed.problem : undefined);
  return {
    ...(deniesCall === undefined ? {} : { deniesCall }),
    standingForbidden: forbidsStanding(managed),
    demandsPins: managed.state === 'broken' || (managed.state === 'set' && managed.policy.changedDefinitions === 'block'),
  };
}

/** For the eye: who has set something, and what. Undefined where there is no policy. */
export function managedView(managed: Managed): ManagedView | undefined {
  if (managed.state === 'none') return undefined;
  if (managed.state === 'broken') return { problem: managed.problem, sets: [] };
  const { organisation, servers, tools, changedDefinitions, standingPermissions, audit, bundles, sandbox } = managed.policy;
  const sets: ManagedView['sets'] = [];
  if (servers?.allow ?? servers?.deny) sets.push('servers');
  if (tools) sets.push('tools');
  if (changedDefinitions) sets.push('changedDefinitions');
  if (standingPermissions) sets.push('standingPermissions');
  if (audit) sets.push('audit');
  if (bundles) sets.push('bundles');
  if (sandbox) sets.push('sandbox');
  return { ...(organisation === undefined ? {} : { organisation }), sets };
}

/**
 * Whether a configuration is one of those that are meant. In doubt a prohibition fits and a permission does not: what an address or a
 * package will be is sometimes known at the start only.
 */
function isMeant(match: ServerMatch, config: ServerConfig, list: 'allow' | 'deny'): boolean {
  if ('bundled' in match) return 'bundled' in config && matchesGlob(config.bundled, match.bundled);
  if ('bundle' in match) return 'command' in config && config.bundle !== undefined && isBundle(match, config.bundle, list);
  if ('url' in match) {
    if (!('url' in config)) return false;
    const host = isFilledLater(config.url) ? undefined : URL.parse(config.url)?.hostname;
    return host === undefined ? list === 'deny' : matchesGlob(host.replace(/\.$/, ''), match.url);
  }
  if (!('command' in config)) return false;
  if ('command' in match) return isProgram(config, match.command, list);
  const started = startedPackage(config);
  // What a folder says of itself anybody can write.
  const isSure = started !== undefined && (list === 'deny' || !started.isClaim);
  if (isSure && matchesGlob(started.name, match.package)) return true;
  if (list === 'allow') return false;
  const words = wordsOf(config);
  return words.some((word) => namesPackage(word, match.package)) || (started === undefined && words.some(isFilledLater));
}

/** A name is free for everybody to give: it forbids wherever it stands, and allows where somebody vouches for who signed. */
function isBundle(match: { bundle: string; publisher?: string | undefined }, bundle: InstalledBundle, list: 'allow' | 'deny'): boolean {
  if (!matchesGlob(bundle.name, match.bundle)) return false;
  if (list === 'allow' && bundle.signature !== 'signed') return false;
  return match.publisher === undefined || (bundle.publisher !== undefined && matchesGlob(bundle.publisher, match.publisher));
}

/** Whether a text holds a reference, whose value is known at the start only. */
const isFilledLater = (text: string): boolean => referencesIn(text).length > 0;

function isProgram({ command, env = {} }: LocalServerConfig, wanted: string, list: 'allow' | 'deny'): boolean {
  if (isFilledLater(command)) return list === 'deny';
  if (list === 'allow' && Object.keys(env).some((name) => redirecting.test(name))) return false;
  if (/[\\/]/.test(wanted)) return matchesGlob(path.normalize(command), wanted);
  // A bare name allows what is found in PATH, and nothing that is merely called so; it forbids both.
  const name = list === 'allow' ? command : (command.split(/[\\/]/).at(-1) ?? command);
  return matchesGlob(name.replace(/\.(exe|cmd|bat|com)$/i, ''), wanted);
}

/** Variables by which another program runs than the one that is named, or other code in it. */
const redirecting = /^(PATH|PATHEXT|NODE_OPTIONS|NODE_PATH|PYTHON.*|LD_.*|DYLD_.*)$/i;

/** The words of a command line that could name a package, in a shell's command too. */
const wordsOf = ({ command, args = [] }: LocalServerConfig): string[] =>
  [command, ...args].flatMap((arg) => arg.split(/[\s=,;&|'"()]+/)).filter((word) => word !== '');

/** Whether a word names a package or an image: without version, tag and registry, behind an alias, in any way that PyPI takes for the same. */
function namesPackage(word: string, wanted: string): boolean {
  const behindAlias = word.slice(word.lastIndexOf('@npm:') + 1).replace(/^npm:/, '');
  const name = /^(@[^/]+\/[^@]+|[^@<>!~[]+)/.exec(behindAlias)?.[0] ?? behindAlias;
  const image = name.replace(/^(docker\.io\/)?(library\/)?/, '').replace(/:[^/:]*$/, '');
  return [name, image].some((each) => matchesGlob(each, wanted)) || matchesGlob(sameForPypi(name), sameForPypi(wanted));
}

const sameForPypi = (name: string): string => name.replaceAll(/[-_.]+/g, '-');

/** `*` stands for any characters, none too; upper and lower case are the same. In time linear to both for each `*`. */
export function matchesGlob(text: string, pattern: string): boolean {
  const [given, wanted] = [text.toLowerCase(), pattern.toLowerCase()];
  let at = 0;
  let next = 0;
  let star = -1;
  let retry = 0;
  while (at < given.length) {
    if (next < wanted.length && wanted[next] === '*') {
      star = next;
      retry = at;
      next += 1;
    } else if (next < wanted.length && wanted[next] === given[at]) {
      at += 1;
      next += 1;
    } else if (star >= 0) {
      retry += 1;
      at = retry;
      next = star + 1;
    } else return false;
  }
  while (wanted[next] === '*') next += 1;
  return next === wanted.length;
}

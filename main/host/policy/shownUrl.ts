import { domainToUnicode } from 'node:url';
import { parse } from 'tldts';
import type { ShownUrl } from '../../../preload/contract/policy.ts';
import { openableUrl } from './openableUrl.ts';

type Warning = ShownUrl['warnings'][number];

const loopback = /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/;

/** Letters of other alphabets, and digits, that are drawn like these Latin letters. Pairs first. */
const drawnLike: readonly (readonly [RegExp, string])[] = [
  [/rn/g, 'm'],
  [/vv/g, 'w'],
  [/[аαɑ]/g, 'a'],
  [/[вβ]/g, 'b'],
  [/[сϲⅽ]/g, 'c'],
  [/ԁ/g, 'd'],
  [/[еєҽ]/g, 'e'],
  [/[ɡ]/g, 'g'],
  [/[һн]/g, 'h'],
  [/[іιıӏl1|]/g, 'i'],
  [/[јʝ]/g, 'j'],
  [/[кκ]/g, 'k'],
  [/[мⅿ]/g, 'm'],
  [/[пηո]/g, 'n'],
  [/[оοσօ0]/g, 'o'],
  [/[рρ]/g, 'p'],
  [/ԛ/g, 'q'],
  [/[гᴦ]/g, 'r'],
  [/[ѕ5]/g, 's'],
  [/[тτ]/g, 't'],
  [/[υս]/g, 'u'],
  [/[νѵ]/g, 'v'],
  [/[ѡω]/g, 'w'],
  [/[хχ]/g, 'x'],
  [/[уγү]/g, 'y'],
  [/[ᴢ]/g, 'z'],
];

/** How a name looks at a glance: two names with the same look can be taken for each other. */
function lookOf(name: string): string {
  const bare = name
    .normalize('NFKD')
    .replace(/\p{Mn}/gu, '')
    .toLowerCase();
  return drawnLike.reduce((look, [letters, as]) => look.replace(letters, as), bare);
}

const scripts = [
  /\p{Script=Latin}/u,
  /\p{Script=Cyrillic}/u,
  /\p{Script=Greek}/u,
  /\p{Script=Armenian}/u,
  /\p{Script=Hebrew}/u,
  /\p{Script=Arabic}/u,
];

/**
 * The address of a page that a server wants opened (elicitation by URL, rules E2 and E8), or why it is not offered at all.
 * @param knownHosts hosts that the person has reason to trust: those of the configuration. A host that looks like one of them, and is not, is flagged.
 */
export function shownUrl(
  text: string,
  knownHosts: readonly string[],
): { ok: true; url: string; shown: ShownUrl } | { ok: false; reason: string } {
  const openable = openableUrl(text);
  if (!openable.ok) return openable;
  const url = new URL(openable.url);
  if (url.protocol !== 'https:' && !loopback.test(url.hostname))
    return { ok: false, reason: 'The page would be opened without encryption (http). Only https addresses are opened for a server.' };
  return { ok: true, url: url.href, shown: asShown(url, knownHosts) };
}

/** What makes that a host can be taken for another one. */
const deceives: ReadonlySet<Warning> = new Set(['punycode', 'mixedScripts', 'looksLike']);

/**
 * The address of a link in an answer or a result, where its host can be taken for another one, for the person to look at before it is opened;
 * undefined where it cannot. `openable` as `openableUrl` gives it; `knownHosts` as above.
 */
export function deceptiveLink(openable: string, knownHosts: readonly string[]): ShownUrl | undefined {
  const url = URL.parse(openable);
  const shown = url === null ? undefined : asShown(url, knownHosts);
  return shown?.warnings.some((warning) => deceives.has(warning)) ? shown : undefined;
}

function asShown(url: URL, knownHosts: readonly string[]): ShownUrl {
  const isLoopback = loopback.test(url.hostname);
  const host = url.hostname;
  const { domain, isIp } = parse(host, { allowPrivateDomains: true });
  const registrable = isIp === true || domain === null ? host : domain;
  const unicode = domainToUnicode(host.replace(/^\[|\]$/g, ''));
  const warnings: Warning[] = [];
  if (/(^|\.)xn--/.test(host)) warnings.push('punycode');
  if (unicode.split('.').some((label) => scripts.filter((script) => script.test(label)).length > 1)) warnings.push('mixedScripts');
  const looksLike = likeOf(domainToUnicode(registrable), knownHosts);
  if (looksLike !== undefined) warnings.push('looksLike');
  if (isIp === true && !isLoopback) warnings.push('numericHost');
  if (url.protocol === 'http:' && isLoopback) warnings.push('notEncrypted');
  if (url.port !== '' && !isLoopback) warnings.push('unusualPort');

  const start = url.href.indexOf(host, url.protocol.length + 2) + host.length - registrable.length;
  return {
    before: url.href.slice(0, start),
    registrable,
    after: url.href.slice(start + registrable.length),
    ...(unicode !== '' && unicode !== host.replace(/^\[|\]$/g, '') ? { unicodeHost: unicode } : {}),
    warnings,
    ...(looksLike === undefined ? {} : { looksLike }),
  };
}

/** Names that are imitated most; together with the hosts of the configuration. */
const famous = [
  'google.com',
  'microsoft.com',
  'microsoftonline.com',
  'apple.com',
  'github.com',
  'gitlab.com',
  'amazon.com',
  'paypal.com',
  'stripe.com',
  'slack.com',
  'notion.so',
  'atlassian.com',
  'dropbox.com',
  'cloudflare.com',
  'facebook.com',
  'linkedin.com',
  'openai.com',
  'anthropic.com',
];

function likeOf(registrable: string, knownHosts: readonly string[]): string | undefined {
  const known = [...knownHosts.map((host) => parse(host).domain ?? host), ...famous];
  const look = lookOf(registrable);
  if (known.includes(registrable)) return undefined;
  return known.find((name) => lookOf(name) === look);
}

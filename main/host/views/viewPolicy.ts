import { getDomain } from 'tldts';
import type { ViewReach } from '../../../preload/contract/views.ts';
import { isRecord } from '../mcp/rawResults.ts';
import { scriptSources } from './viewPrelude.ts';
import { isNearHost } from '../net/addressPolicy.ts';

/** Sources of one list. More than that is no list that a person reads. */
const maxSources = 40;
const maxSource = 255;
/** The only form that is taken: nothing in it could end a source, a directive or the header, nor stand for more than it says. */
const form = /^(https|wss):\/\/(\*\.)?([a-z0-9](?:[a-z0-9.-]*[a-z0-9])?)(?::[0-9]{1,5})?(\/[\w.~/@+-]*)?$/i;

/** Why a source is not granted, as part of a sentence; undefined: it is. */
function problemOf(source: unknown, schemes: readonly string[]): string | undefined {
  if (typeof source !== 'string') return 'it is no text';
  const parts = source.length > maxSource ? null : form.exec(source);
  if (!parts) return 'only addresses like https://example.com or https://*.example.com are taken';
  const [, scheme = '', wildcard, host = '', path = ''] = parts;
  if (!schemes.includes(scheme.toLowerCase())) return `${scheme.toLowerCase()}:// is not for this`;
  if (path.split('/').includes('..')) return 'its path climbs';
  const isOwned = getDomain(host, { allowPrivateDomains: true }) !== null;
  if (wildcard !== undefined && !isOwned) return 'it stands for hosts of many owners';
  if (isNearHost(host)) return 'it lies on this computer or in its network';
  if (!isOwned || URL.parse(`https://${host}/`)?.hostname !== host.toLowerCase()) return 'it is no host of the web';
  return undefined;
}

/** Strangers' words, as a person may read them. */
const shown = (source: unknown): string => (typeof source === 'string' ? source : (JSON.stringify(source) ?? '')).slice(0, maxSource);

/**
 * What of the hosts that a view declares (`_meta.ui.csp`, `permissions`) is granted. Pure. Everything else is refused, each with its reason.
 */
export function reachOf({ csp, permissions }: { csp?: unknown; permissions?: unknown }): ViewReach {
  const declared = isRecord(csp) ? csp : {};
  const refused: ViewReach['refused'] = [];
  const refuse = (source: unknown, reason: string) => {
    if (refused.length < maxSources) refused.push({ source: shown(source), reason });
  };
  const granted = (name: string, schemes: readonly string[]): string[] => {
    const given = declared[name];
    if (given === undefined) return [];
    if (!Array.isArray(given)) {
      refuse(given, 'it is no list');
      return [];
    }
    const sources = new Set<string>();
    for (const source of given as unknown[]) {
      const problem = sources.size === maxSources ? `there are more than ${maxSources}` : problemOf(source, schemes);
      if (problem === undefined) sources.add(String(source));
      else refuse(source, problem);
    }
    return [...sources];
  };
  const connect = granted('connectDomains', ['https', 'wss']);
  const load = granted('resourceDomains', ['https']);
  for (const name of ['frameDomains', 'baseUriDomains']) {
    const given = declared[name];
    if (Array.isArray(given)) for (const source of given as unknown[]) refuse(source, 'a view holds no other pages');
  }
  if (isRecord(permissions)) for (const name of Object.keys(permissions)) refuse(name, 'no view is given devices or the clipboard');
  return { connect, load, refused };
}

/**
 * The Content-Security-Policy of a view. Less than the protocol's default where that says 'self': a view has no origin, and the one that it
 * comes from serves it nothing.
 *
 * @param ancestors the origins of the pages that may hold it, and no others
 */
export function viewCsp({ connect, load }: Pick<ViewReach, 'connect' | 'load'>, ancestors: readonly string[]): string {
  const list = (...sources: readonly string[]) => sources.join(' ');
  return [
    "default-src 'none'",
    // Of other hosts none: in a frame that the view makes it would run before anything was taken away there.
    `script-src ${scriptSources}`,
    `style-src ${list("'unsafe-inline'", ...load)}`,
    `img-src ${list('data:', 'blob:', ...load)}`,
    `media-src ${list('data:', 'blob:', ...load)}`,
    `font-src ${list('data:', ...load)}`,
    `connect-src ${connect.length === 0 ? "'none'" : list(...connect)}`,
    "worker-src 'none'",
    "frame-src 'none'",
    "object-src 'none'",
    "base-uri 'none'",
    "form-action 'none'",
    `frame-ancestors ${list(...ancestors)}`,
    // The same as the attribute of its frame, in case that it is opened anywhere else.
    'sandbox allow-scripts',
  ].join('; ');
}

import type { BundledServerConfig, KnownServer as KnownServerView, ServerConfig } from '../../../../preload/contract/servers.ts';
import type { ServerProfile } from '../toolProfile.ts';
import { atlassianProfiles } from './atlassian.ts';
import { databaseProfiles } from './databases.ts';
import { everything } from './everything.ts';
import { filesystem, gitProfile } from './files.ts';
import { githubProfiles } from './github.ts';
import { googleProfiles } from './google.ts';
import type { Listing } from './listing.ts';
import { bundledMemory, memory } from './memory.ts';
import { notionProfiles } from './notion.ts';
import { slackProfiles } from './slack.ts';
import { type StartedPackage, startedPackage } from './startedPackage.ts';
import { thinkingProfiles } from './thinking.ts';
import { trackerProfiles } from './trackers.ts';
import { webProfiles } from './web.ts';

/** A server found by what its configuration starts or calls. What it calls itself proves nothing. */
export interface KnownServer {
  /** The package, image or host, for the eye. */
  name: string;
  versions?: string | undefined;
  profile: ServerProfile;
  /** Key of what it keeps in `remembered_labels`, where that outlives the server's entry. */
  store?: string | undefined;
}

const filesystemPackage = '@modelcontextprotocol/server-filesystem';
const memoryPackage = '@modelcontextprotocol/server-memory';
const everythingPackage = '@modelcontextprotocol/server-everything';

export const listings: readonly Listing[] = [
  { npm: filesystemPackage, images: ['mcp/filesystem'], versions: ['2026.8.31', '2026.8.31'], profile: filesystem },
  { npm: memoryPackage, images: ['mcp/memory'], versions: ['2026.8.31', '2026.8.31'], profile: memory },
  { npm: everythingPackage, images: ['mcp/everything'], versions: ['2026.8.31', '2026.8.31'], profile: everything },
  gitProfile,
  ...thinkingProfiles,
  ...webProfiles,
  ...databaseProfiles,
  ...githubProfiles,
  ...trackerProfiles,
  ...atlassianProfiles,
  ...notionProfiles,
  ...slackProfiles,
  ...googleProfiles,
];

/** Key of what the bundled memory keeps. */
export const bundledMemoryStore = 'bundled:memory';

/** At the versions that package.json pins. */
const bundled: Readonly<Record<BundledServerConfig['bundled'], KnownServer>> = {
  files: { name: filesystemPackage, profile: filesystem },
  memory: { name: memoryPackage, profile: bundledMemory, store: bundledMemoryStore },
  everything: { name: everythingPackage, profile: everything },
};

/** What the server of a configuration is known to be; undefined where its own folder alone says which package it is. */
export function knownServerOf(config: ServerConfig | undefined): KnownServer | undefined {
  if (!config) return undefined;
  if ('bundled' in config) return bundled[config.bundled];
  if ('url' in config) return atHost(config.url);
  const started = startedPackage(config);
  return started?.isClaim ? undefined : listed(started);
}

/**
 * The well-known package that a program claims to be by the manifest of its own folder, which anybody can write: something to propose to
 * the person, and nothing to decide by.
 */
export function claimedServerOf(config: ServerConfig | undefined): KnownServer | undefined {
  const started = config && 'command' in config ? startedPackage(config) : undefined;
  return started?.isClaim ? listed(started) : undefined;
}

/**
 * Undefined where nobody has read what the configuration starts or calls, and so for a version outside those that were read: of
 * another one nobody knows what its tools do. A configuration that names no version runs the newest; what its tools are was agreed to
 * by the person, and a definition that changes rests until he has looked at it.
 */
function listed(started: StartedPackage | undefined): KnownServer | undefined {
  const listing = started && listings.find((candidate) => isOf(candidate, started));
  if (!listing || !wasRead(listing, started.version)) return undefined;
  return { name: started.name, versions: listing.versions && inWords(listing.versions), profile: listing.profile };
}

function atHost(written: string): KnownServer | undefined {
  const url = URL.parse(written);
  if (url?.protocol !== 'https:' || url.port !== '' || url.username !== '') return undefined;
  const listing = listings.find(({ hosts }) => hosts?.includes(url.hostname) === true);
  return listing && { name: url.hostname, profile: listing.profile };
}

function isOf({ npm, pypi, images }: Listing, { kind, name }: StartedPackage): boolean {
  if (kind === 'npm') return npm === name;
  return kind === 'pypi' ? pypi === name : images?.includes(name) === true;
}

function wasRead({ versions }: Listing, version: string): boolean {
  if (version === 'newest' || !versions) return version !== 'unknown';
  return version !== 'unknown' && compared(versions[0], version) <= 0 && compared(version, versions[1]) <= 0;
}

/** Below, at or above zero, by the numbers between the dots. */
function compared(one: string, other: string): number {
  const [left, right] = [one, other].map((version) => version.split('.').map(Number));
  for (let at = 0; at < Math.max(left?.length ?? 0, right?.length ?? 0); at++) {
    const difference = (left?.[at] ?? 0) - (right?.[at] ?? 0);
    if (difference !== 0) return difference;
  }
  return 0;
}

const inWords = ([first, last]: readonly [string, string]): string => (first === last ? first : `${first} – ${last}`);

export const knownView = ({ name, versions, profile: { readOnlyForm } }: KnownServer): KnownServerView => ({
  name,
  ...(versions === undefined ? {} : { versions }),
  ...(readOnlyForm === undefined ? {} : { readOnlyForm }),
});

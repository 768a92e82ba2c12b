import type { ServerId } from '../../../preload/contract/ids.ts';

export const serverTabs = ['tools', 'resources', 'prompts', 'trace', 'log', 'configuration'] as const;
export type ServerTab = (typeof serverTabs)[number];

/** Where one is within the pages of servers. */
export type ServersPlace =
  | { kind: 'list' }
  | { kind: 'add' }
  /** A bundle that was opened, or is to be. */
  | { kind: 'bundle' }
  /** What a start would run, for agreeing to it. */
  | { kind: 'review'; serverId: ServerId }
  /** `about` is what a tab is to show of it: in the trace a message's number or a call's id. */
  | { kind: 'server'; serverId: ServerId; tab: ServerTab; about?: string };

const bundlePart = 'bundle';

/** The `part` of a settings view as a place. A bare id is that server's page. */
export function placeOfPart(part: string | undefined): ServersPlace {
  if (part === undefined || part === '') return { kind: 'list' };
  if (part === 'add') return { kind: 'add' };
  if (part === bundlePart) return { kind: 'bundle' };
  const [first = '', second = '', about] = part.split('/');
  // An id is checked by the host with every command; here it only picks a row that the host has sent.
  if (first === 'review') return { kind: 'review', serverId: second as ServerId };
  return { kind: 'server', serverId: first as ServerId, tab: serverTabs.find((tab) => tab === second) ?? 'tools', ...(about && { about }) };
}

export function partOfPlace(place: ServersPlace): string | undefined {
  switch (place.kind) {
    case 'list':
      return undefined;
    case 'add':
      return 'add';
    case 'bundle':
      return bundlePart;
    case 'review':
      return `review/${place.serverId}`;
    case 'server':
      if (place.about !== undefined) return `${place.serverId}/${place.tab}/${place.about}`;
      return place.tab === 'tools' ? place.serverId : `${place.serverId}/${place.tab}`;
  }
}

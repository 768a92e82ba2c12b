import { parse } from 'tldts';
import type { ConversationId, ServerId, TurnId } from '../../../preload/contract/ids.ts';
import type { Effects } from '../../../preload/contract/policy.ts';
import { readResourceMethod } from '../mcp/callTool.ts';
import type { Clock } from '../ports.ts';
import type { ToolProfile } from '../servers/toolProfile.ts';
import type { CallFacts, ManagedForCall } from './callFacts.ts';
import { isInside, type PathSystem, realPathOf } from './paths.ts';
import { hostOf, pointedAt, type Pointed, pointerTo } from './patterns.ts';

export interface FactsDeps {
  clock: Clock;
  system: PathSystem;
  effectsOf(serverId: ServerId, tool: string): Effects;
  profileOf(serverId: ServerId, tool: string): ToolProfile | undefined;
  /** Folders that the user picked for the server or told it of, as real paths. */
  foldersOf(serverId: ServerId): readonly string[];
  definitionOf(serverId: ServerId, tool: string): CallFacts['definition'];
  managedFor(serverId: ServerId, tool: string): ManagedForCall;
}

/** A call before anything is known of it. */
export interface CallToDecide {
  serverId: ServerId;
  serverName: string;
  tool: string;
  conversationId: ConversationId;
  turnId: TurnId;
  values: Readonly<Record<string, unknown>>;
}

/** Longest wait for the disks that hold a call's paths; what is not known by then counts as outside. */
const disksAnswerWithinMs = 1000;
/** More paths than this in one call are not looked up: the others count as outside. */
const mostPaths = 500;

/**
 * Everything that a call is decided by, from the arguments that would be sent and from what the host knows itself. Follows links on the
 * disk, for at most a second.
 */
export async function gatherFacts(deps: FactsDeps, call: CallToDecide): Promise<CallFacts> {
  const profile = deps.profileOf(call.serverId, call.tool);
  const effects = deps.effectsOf(call.serverId, call.tool);
  const paths = await pathsOf(deps, call, effects, profile);
  return { ...call, paths, ...whereItGoes(call, effects, profile), ...factsOfNow(deps, call) };
}

/** The facts that may change while a card waits. */
export const factsOfNow = (
  deps: Pick<FactsDeps, 'clock' | 'effectsOf' | 'definitionOf' | 'managedFor'>,
  { serverId, tool }: Pick<CallToDecide, 'serverId' | 'tool'>,
): Pick<CallFacts, 'effects' | 'definition' | 'managed' | 'now'> => ({
  effects: deps.effectsOf(serverId, tool),
  definition: deps.definitionOf(serverId, tool),
  managed: deps.managedFor(serverId, tool),
  now: deps.clock.now(),
});

async function pathsOf(
  deps: FactsDeps,
  call: CallToDecide,
  effects: Effects,
  profile: ToolProfile | undefined,
): Promise<CallFacts['paths']> {
  const changes = effects.set.includes('changes');
  const named = profile ? profiledPaths(call, profile) : changes ? scalarsIn(call.values).filter(looksLikePath) : [];
  const folders = profile ? deps.foldersOf(call.serverId) : [];
  const unknown = named.map(({ at }) => ({ at, real: '', insidePicked: false }));
  if (named.length === 0) return [];
  const lookedUp = Promise.all(
    named.slice(0, mostPaths).map(async ({ at, value }) => {
      const real = typeof value === 'string' ? await realPathOf(value, deps.system) : '';
      const folder = folders.find((picked) => isInside(real, picked, deps.system));
      return { at, real, insidePicked: folder !== undefined, ...(folder === undefined ? {} : { folder }) };
    }),
  );
  const late = Promise.withResolvers<undefined>();
  const cancel = deps.clock.after(disksAnswerWithinMs, () => late.resolve(undefined));
  try {
    const found = await Promise.race([lookedUp, late.promise]);
    return found === undefined ? unknown : [...found, ...unknown.slice(mostPaths)];
  } finally {
    cancel();
  }
}

/** Lists are taken apart, whether or not the profile says that they are lists. */
const profiledPaths = ({ values }: CallToDecide, { paths = [] }: ToolProfile): Pointed[] =>
  paths.flatMap((pointer) => pointedAt(values, pointer)).flatMap(elements);

const elements = ({ at, value }: Pointed): Pointed[] =>
  Array.isArray(value)
    ? value.flatMap((element: unknown, index) => elements({ at: pointerTo(at, index), value: element }))
    : [{ at, value }];

const looksLikePath = ({ value }: Pointed): boolean => typeof value === 'string' && /^(\/|~[\\/]|file:|[A-Za-z]:[\\/]|\\\\)/i.test(value);

function whereItGoes(
  call: CallToDecide,
  effects: Effects,
  profile: ToolProfile | undefined,
): Pick<CallFacts, 'destinations' | 'keptExact'> {
  const pointers = (of: readonly Pointed[]): string[] => of.map(({ at }) => at);
  if (profile) {
    const named = (profile.destinations ?? []).flatMap((pointer) => pointedAt(call.values, pointer)).flatMap(elements);
    return { destinations: pointers(named), keptExact: [] };
  }
  // Links stand in results of that server: the model cannot make one up.
  if (call.tool === readResourceMethod) return { destinations: [], keptExact: [] };
  const all = scalarsIn(call.values);
  const found = all.filter(looksLikeDestination);
  const addresses = new Set(found);
  const sends = effects.source === 'nobody' || effects.set.includes('sendsOut');
  const goesSomewhere = sends || (found.length > 0 && effects.set.includes('changes'));
  const others = all.filter((each) => !addresses.has(each));
  const isAnything = sends && found.length === 0;
  return {
    destinations: pointers(isAnything ? all.filter(isTextOrNumber) : found),
    keptExact: goesSomewhere ? pointers(isAnything ? others : others.filter((each) => !isFreeText(each))) : [],
  };
}

const nameOfDestination = /host|domain|ur[li]|link|site|server|endpoint|address|webhook/i;

const isTextOrNumber = ({ value }: Pointed): boolean => typeof value === 'string' || typeof value === 'number';

/** Shorter texts may be the names of something. */
const shortestFreeText = 120;
/** In the names of arguments that say who shall have something, however long the list of them. Catches more than it has to. */
const nameOfReceiver = /to|cc|id|who|recipient|receiver|channel|room|group|team|user|member|people|account|project|repo/i;

/** Long texts in words say what is sent rather than where to, unless the argument is named after the latter. */
const isFreeText = ({ at, value }: Pointed): boolean =>
  typeof value === 'string' &&
  value.length > shortestFreeText &&
  /\S\s+\S/.test(value) &&
  !nameOfDestination.test(at) &&
  !nameOfReceiver.test(at);

/** What the parsers of addresses that are lenient leave out, or take for a dot. */
const asParsed = (text: string): string =>
  text
    // oxlint-disable-next-line no-control-regex
    .replaceAll(/^[\u0000-\u0020]+|[\u0000-\u0020]+$|[\t\n\r]/g, '')
    .replaceAll(/[\u3002\uff0e\uff61]/g, '.');

/** Addresses of pages, of people, and names of computers, the latter where the argument's name fits or nothing else can be meant. */
function looksLikeDestination({ at, value }: Pointed): boolean {
  if (typeof value !== 'string') return false;
  const text = asParsed(value);
  if (/^(?!file:)[a-z][a-z0-9+.-]*:[\\/]{2}/i.test(text) || /^(mailto|sip|tel|data):/i.test(text)) return true;
  // Without the slashes, and without the scheme: both lead to a host all the same, the last of them on Windows.
  if (/^(https?|wss?|ftp):\S/i.test(text) || /^(file:)?(\/\/|\\\\)(?!localhost[\\/])[^\s\\/]/i.test(text)) return true;
  if (text.length > 2048) return false;
  if (/^\S+@\S+\.\S+$/.test(text) || /<\S+@\S+\.\S+>$/.test(text)) return true;
  const namesHost = nameOfDestination.test(at);
  // Numbers that are addresses.
  if (namesHost && /^(\d{6,10}|0x[0-9a-f]+)$/i.test(text)) return true;
  const host = hostOf(text);
  if (host === undefined) return false;
  const { isIp, isIcann } = parse(host);
  // A version such as 1.2.3 is an address too, to those who read addresses.
  const isPlain = /^(localhost\b|\d+\.\d+\.\d+\.\d+\b|https?:)/i.test(text);
  return isPlain || ((isIp === true || isIcann === true) && namesHost);
}

/** By their pointers. A number can name an account as well as a text can. */
function scalarsIn(values: Readonly<Record<string, unknown>>): Pointed[] {
  const found: Pointed[] = [];
  const walk = (at: string, value: unknown): void => {
    if (Array.isArray(value)) value.forEach((element: unknown, index) => walk(pointerTo(at, index), element));
    else if (typeof value !== 'object' || value === null) found.push({ at, value });
    else for (const [name, member] of Object.entries(value)) walk(pointerTo(at, name), member);
  };
  walk('', values);
  return found;
}

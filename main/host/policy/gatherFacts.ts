import { parse } from 'tldts';
import type { ConversationId, ServerId, TurnId } from '../../../preload/contract/ids.ts';
import type { Effects } from '../../../preload/contract/policy.ts';
import { readResourceMethod } from '../mcp/callTool.ts';
import type { Clock } from '../ports.ts';
import type { ToolProfile } from '../servers/toolProfile.ts';
import type { CallFacts, ManagedForCall } from './callFacts.ts';
import { isInside, type PathSystem, realPathOf } from './paths.ts';
import { hostOf, pointedAt, type Pointed, pointerTo, scalarsOf } from './patterns.ts';

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
  /** A view asks for a resource by an address that its server has neither listed nor linked to. */
  isMadeUp?: boolean | undefined;
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
  return { ...call, ...(await pathsOf(deps, call, effects, profile)), ...whereItGoes(call, effects, profile), ...factsOfNow(deps, call) };
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
): Promise<Pick<CallFacts, 'paths' | 'mayBePaths'>> {
  const looking = scalarsOf('', call.values).filter(looksLikePath);
  const named = profile ? profiledPaths(call, profile) : effects.set.includes('changes') ? looking : [];
  const places = new Set(named.map(({ at }) => at));
  const others = looking.filter(({ at }) => !places.has(at));
  const folders = profile ? deps.foldersOf(call.serverId) : [];
  const unknown = named.map(({ at }) => ({ at, real: '', insidePicked: false }));
  if (looking.length === 0 && named.length === 0) return { paths: [] };
  const realOf = ({ value }: Pointed) => (typeof value === 'string' ? realPathOf(value, deps.system) : '');
  const lookedUp = Promise.all(
    named.slice(0, mostPaths).map(async (pointed) => {
      const real = await realOf(pointed);
      const folder = folders.find((picked) => isInside(real, picked, deps.system));
      return { at: pointed.at, real, insidePicked: folder !== undefined, ...(folder === undefined ? {} : { folder }) };
    }),
  );
  const othersLookedUp = Promise.all(others.slice(0, mostPaths).map(async (pointed) => ({ at: pointed.at, real: await realOf(pointed) })));
  const late = Promise.withResolvers<undefined>();
  const cancel = deps.clock.after(disksAnswerWithinMs, () => late.resolve(undefined));
  try {
    const found = await Promise.race([Promise.all([lookedUp, othersLookedUp]), late.promise]);
    if (found === undefined) return { paths: unknown };
    const [paths, mayBePaths] = found;
    return { paths: [...paths, ...unknown.slice(mostPaths)], ...(mayBePaths.length === 0 ? {} : { mayBePaths }) };
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
  // Links stand in results of that server: the model cannot make one up. A view can, and what stands in an address goes where that leads.
  if (call.tool === readResourceMethod) return { destinations: call.isMadeUp === true ? ['/uri'] : [], keptExact: [] };
  const all = scalarsOf('', call.values);
  const found = all.filter(looksLikeDestination);
  const addresses = new Set(found);
  const named = membersNamedLikeDestinations('', call.values);
  const sends = effects.source === 'nobody' || effects.set.includes('sendsOut');
  const goesSomewhere = sends || (found.length + named.length > 0 && effects.set.includes('changes'));
  const others = all.filter((each) => !addresses.has(each));
  const isAnything = sends && found.length === 0;
  return {
    destinations: [...new Set([...pointers(isAnything ? all.filter(isTextOrNumber) : found), ...named])],
    keptExact: goesSomewhere ? pointers(isAnything ? others : others.filter((each) => !isFreeText(each))) : [],
  };
}

const nameOfDestination = /host|domain|ur[li]|link|site|server|endpoint|address|webhook/i;

const isTextOrNumber = ({ value }: Pointed): boolean => typeof value === 'string' || typeof value === 'number';

/** Shorter texts may be the names of something. */
const shortestFreeText = 120;
/** In the names of arguments that say who shall have something, however long the list of them. Catches more than it has to. */
const nameOfReceiver = /to|cc|id|who|recipient|receiver|channel|room|group|team|user|member|people|account|project|repo/i;

/** Long texts in words say what is sent rather than where to, unless the argument is named after the latter, or half of the words are addresses. */
const isFreeText = ({ at, value }: Pointed): boolean =>
  typeof value === 'string' &&
  value.length > shortestFreeText &&
  /\S\s+\S/.test(value) &&
  !nameOfDestination.test(at) &&
  !nameOfReceiver.test(at) &&
  !isHalfAddresses(value);

function isHalfAddresses(text: string): boolean {
  const words = text.trim().split(/\s+/);
  return 2 * words.filter((word) => /.@.|:\/\//.test(word)).length >= words.length;
}

/** Places of members whose own name is an address: `{ "https://example.com": true }`. */
function membersNamedLikeDestinations(at: string, value: unknown): string[] {
  if (Array.isArray(value)) return value.flatMap((element: unknown, index) => membersNamedLikeDestinations(pointerTo(at, index), element));
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, member]) => {
    const place = pointerTo(at, name);
    return [...(looksLikeDestination({ at: '', value: name }) ? [place] : []), ...membersNamedLikeDestinations(place, member)];
  });
}

/** What may stand around an address: blanks, characters that nobody sees, quotation marks and brackets. */
const aroundAddress = /[\s\p{Cc}\p{Cf}<>()[\]{}"'`,;\p{Pi}\p{Pf}]/u;

/** Without what lenient parsers of addresses leave out, and with what they take for a dot. */
function asParsed(text: string): string {
  let [from, to] = [0, text.length];
  while (from < to && aroundAddress.test(text.charAt(from))) from += 1;
  while (to > from && aroundAddress.test(text.charAt(to - 1))) to -= 1;
  return text
    .slice(from, to)
    .replaceAll(/[\t\n\r]/g, '')
    .replaceAll(/[\u3002\uff0e\uff61]/g, '.');
}

/** `bob@example.com`. Step by step: one expression for it would try every division of a hostile text. */
function isMailAddress(text: string): boolean {
  const sign = text.indexOf('@', 1);
  const dot = sign < 0 ? -1 : text.indexOf('.', sign + 2);
  return dot > 0 && dot < text.length - 1 && !/\s/.test(text);
}

/** In UTF-16 units. */
const longestHost = 2048;
const longestList = 100_000;

/** Addresses of pages, of people, and names of computers, the latter where the argument's name fits or nothing else can be meant; or a list of them. */
function looksLikeDestination({ at, value }: Pointed): boolean {
  if (typeof value !== 'string') return false;
  if (isAddress(at, value)) return true;
  if (value.length > longestList) return false;
  return [/[,;|\n]+/, /[\s,;|]+/].some((separator) => {
    const members = value.split(separator).filter((member) => member.trim() !== '');
    return members.length > 1 && members.every((member) => isAddress(at, member));
  });
}

function isAddress(at: string, value: string): boolean {
  const text = asParsed(value);
  if (/^(?!file:)[a-z][a-z0-9+.-]*:[\\/]{2}/i.test(text) || /^(mailto|sip|tel|data):/i.test(text)) return true;
  // Without the slashes, and without the scheme: both lead to a host all the same, the last of them on Windows.
  if (/^(https?|wss?|ftp):\S/i.test(text) || /^(file:)?(\/\/|\\\\)(?!localhost[\\/])[^\s\\/]/i.test(text)) return true;
  if (text.length > longestHost) return false;
  // With a name before it, too: `Bob <bob@example.com>`.
  if (isMailAddress(text.slice(text.lastIndexOf('<') + 1))) return true;
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

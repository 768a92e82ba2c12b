import { isDeepStrictEqual } from 'node:util';
import type { ConversationId, ServerId, TurnId } from '../../../preload/contract/ids.ts';
import type { Effects } from '../../../preload/contract/policy.ts';

/** What is decided about. Nothing in it was said by a server but the tool's name, which is only compared. */
export interface CallFacts {
  serverId: ServerId;
  serverName: string;
  tool: string;
  effects: Effects;
  conversationId: ConversationId;
  turnId: TurnId;
  /** The arguments; strings that name paths stand in them as they are, and normalised in `paths`. */
  values: Readonly<Record<string, unknown>>;
  /**
   * Paths that the call names, normalised with links followed, by the pointer of the argument; `real` is '' where a path cannot be
   * normalised. `insidePicked` only where somebody who read the server's code said that this argument is a path; `folder` is then the
   * picked folder that it lies in.
   */
  paths: readonly { at: string; real: string; insidePicked: boolean; folder?: string | undefined }[];
  /** Further arguments that look like paths, with where they would lead on this computer. Denials look at them; nothing is made laxer by them. */
  mayBePaths?: readonly { at: string; real: string }[] | undefined;
  /** Pointers of the arguments that are there and pick where data goes. Empty: the server has fixed the destination. */
  destinations: readonly string[];
  /**
   * Pointers of the arguments of which nobody has said whether they pick where data goes too: a channel, a project, whether to tell
   * everybody. A permission that a card offers takes them as they are. Some of them may be among `destinations`.
   */
  keptExact: readonly string[];
  /** Whether the tool's definition is the one that the user agreed to. `new`: he agreed to none, and tries it by hand; no model is offered it. */
  definition: 'accepted' | 'changed' | 'new';
  managed: ManagedForCall;
  /** Milliseconds since 1970, for rules that end. */
  now: number;
}

/** What the organisation's policy says of one call. */
export interface ManagedForCall {
  /** A sentence: why the call is denied. */
  deniesCall?: string | undefined;
  /** Permissions may hold for this call and this turn only. */
  standingForbidden: boolean;
  /** A definition that is not the one agreed to stops the tool until it is, instead of asking. */
  demandsPins: boolean;
}

/** Whether the person has agreed, since he was asked, to the definition as it is `now`, and the tool does what it did `asked`. Pure. */
export const isAgreedMeanwhile = (asked: Pick<CallFacts, 'effects'>, now: Pick<CallFacts, 'definition' | 'effects'>): boolean =>
  now.definition === 'accepted' && isDeepStrictEqual(now.effects, asked.effects);

/** The rows of the table (DESIGN §3, "What happens by default"), but for deletions, which come before it. */
export type CallKind =
  /** Reads inside folders that the user picked, or a read that a profile knows. */
  | 'knownRead'
  /** Reads, reviewed; the server has fixed where it asks. */
  | 'fixedRead'
  /** Reads whose arguments pick whom they ask. */
  | 'choosingRead'
  /** Changes inside folders that the user picked. */
  | 'pickedChange'
  /** Changes elsewhere. */
  | 'otherChange'
  | 'send'
  /** Nobody said what the tool does: it counts as one that changes and sends out, and nothing of it stands for good. */
  | 'unreviewed';

import type { DefinitionKind, DefinitionState, ToReview } from '../../../preload/contract/definitions.ts';
import type { ServerId } from '../../../preload/contract/ids.ts';
import { readResourceMethod, type ServerTool } from '../mcp/callTool.ts';
import type { ServerLists } from '../mcp/serverLists.ts';
import type { Clock } from '../ports.ts';
import { refuse } from '../refusal.ts';
import { type Db, inTransaction } from '../store/database.ts';
import {
  type AgreedDefinition,
  type DefinitionChoices,
  definitionChoices,
  definitionKey,
  removeAgreed,
  setAgreed,
  setLeft,
  setOff,
} from '../store/definitions.ts';
import { hashText } from '../tools/arguments.ts';
import { viewOfTool } from '../views/viewOfTool.ts';
import { agreedTool, definitionState } from './agreedTool.ts';
import type { AuditEntry } from './audit.ts';
import { trustChanged } from './auditEntries.ts';
import { type OfferedDefinition, offeredDefinitions } from './offeredDefinitions.ts';
import { renamesAmong } from './renames.ts';

/** One definition of a server, offered or agreed to or both. */
export interface ReviewedDefinition {
  kind: DefinitionKind;
  name: string;
  state: DefinitionState;
  /** Absent when it was removed. */
  offered: OfferedDefinition | undefined;
  agreed: AgreedDefinition | undefined;
  /** Looked at in this very version, and left as it is. */
  isLeft: boolean;
  renamedFrom: string | undefined;
}

/** What the person agreed to of every server's definitions, and what of them waits. Keyed by the server's id, never by its name. */
export interface Definitions {
  /** Of a definition as it is listed now; `accepted` for requests of the protocol, which no server defines. */
  stateOf(serverId: ServerId, name: string, kind?: 'tool' | 'prompt' | 'template'): 'accepted' | 'changed' | 'new';
  /** Names the definition of a tool as it is listed now, else as it was agreed to; undefined where there is none. */
  hashOf(serverId: ServerId, tool: string): string | undefined;
  /** What a model may be offered of these tools. The same array, and in it the same objects, for as long as nothing changes. */
  usable(tools: readonly ServerTool[]): readonly ServerTool[];
  /** A tool as it was agreed to, for whomever it is offered to; undefined: nobody has agreed to it, or it is switched off. */
  agreedTool(tool: ServerTool): ServerTool | undefined;
  /** What a picker may offer, and a person use in a message: the definition that was agreed to. Absent: nothing. */
  agreedValue(serverId: ServerId, kind: 'prompt' | 'template', name: string): Record<string, unknown> | undefined;
  /** As above. Refuses a prompt that was not agreed to with `notAllowed`, and one that the server does not have with `notFound`. */
  agreedPrompt(serverId: ServerId, name: string): Record<string, unknown>;
  isOff(serverId: ServerId, tool: string): boolean;
  review(serverId: ServerId, lists: ServerLists): ReviewedDefinition[];
  /** Absent while nothing waits. */
  waiting(serverId: ServerId, lists: ServerLists): ToReview | undefined;
  /** Agrees to everything of a server of which nothing was agreed to yet: the person has named its file. */
  agreeAtFirst(serverId: ServerId, lists: ServerLists): void;
  /** `only`: of these alone. Refuses with `wrongHash` when the server's definitions are not those that `seen` names. */
  accept(
    serverId: ServerId,
    lists: ServerLists,
    seen: string,
    choice: { only?: DefinitionName[] | undefined; off: DefinitionName[] },
  ): void;
  /** Leaves everything that waits as it is: it is not pointed out again until it changes once more. Refuses with `wrongHash`. */
  leave(serverId: ServerId, lists: ServerLists, seen: string): void;
  setOff(serverId: ServerId, of: DefinitionName, isOff: boolean): void;
  /** The rows of a server were changed elsewhere. */
  reload(serverId: ServerId): void;
}

export interface DefinitionName {
  kind: DefinitionKind;
  name: string;
}

export function createDefinitions({
  db,
  clock,
  listsOf,
  nameOf,
  record,
  onChange,
}: {
  db: Db;
  clock: Clock;
  /** What a server offers now, else what it offered the last time. */
  listsOf(serverId: ServerId): ServerLists | undefined;
  nameOf(serverId: ServerId): string;
  /** Adds a row to the activity log. */
  record(entry: AuditEntry): void;
  /** Something else of the server is usable or waits now. */
  onChange(serverId: ServerId): void;
}): Definitions {
  // Asked for at every step of a turn, for every tool: kept here beside the rows.
  const choices = new Map<ServerId, DefinitionChoices>();
  const choicesOf = (serverId: ServerId): DefinitionChoices => {
    let known = choices.get(serverId);
    if (!known) choices.set(serverId, (known = definitionChoices(db, serverId)));
    return known;
  };
  const reviews = new WeakMap<ServerLists, { choices: DefinitionChoices; review: ReviewedDefinition[] }>();
  const agreedTools = new WeakMap<ServerTool, { choices: DefinitionChoices; agreed: ServerTool | undefined }>();
  let last: readonly ServerTool[] = [];

  const agreedOf = (tool: ServerTool): ServerTool | undefined => {
    const now = choicesOf(tool.serverId);
    const known = agreedTools.get(tool);
    if (known?.choices === now) return known.agreed;
    const agreed = agreedTool(tool, now.agreed.get(definitionKey('tool', tool.name)));
    agreedTools.set(tool, { choices: now, agreed });
    return agreed;
  };

  /** Of what is not listed now there is no other definition than the one that was agreed to. */
  const newestOf = (serverId: ServerId, key: string): { hash: string } | undefined => {
    const lists = listsOf(serverId);
    return (lists && offeredDefinitions(lists).get(key)) ?? choicesOf(serverId).agreed.get(key);
  };

  const review = (serverId: ServerId, lists: ServerLists): ReviewedDefinition[] => {
    const now = choicesOf(serverId);
    const known = reviews.get(lists);
    if (known?.choices === now) return known.review;
    const made = reviewed(offeredDefinitions(lists), now);
    reviews.set(lists, { choices: now, review: made });
    return made;
  };

  const changed = (serverId: ServerId): void => {
    choices.delete(serverId);
    onChange(serverId);
  };

  const acceptAll = (
    serverId: ServerId,
    accepted: readonly ReviewedDefinition[],
    off: (of: ReviewedDefinition) => boolean,
    seen: string,
  ): void => {
    if (accepted.length === 0) return;
    const at = clock.now();
    inTransaction(db, () => {
      record({ kind: 'definition.accepted', serverId, serverName: nameOf(serverId), hash: seen, summary: countsOf(accepted) });
      for (const definition of accepted) {
        if (definition.offered) setAgreed(db, serverId, { ...definition.offered, isOff: off(definition) }, at);
        if (definition.renamedFrom !== undefined) removeAgreed(db, serverId, definition.kind, definition.renamedFrom);
      }
    });
    changed(serverId);
  };

  const names = (of: DefinitionName[]): ReadonlySet<string> => new Set(of.map(({ kind, name }) => definitionKey(kind, name)));

  return {
    review,

    stateOf(serverId, name, kind = 'tool') {
      if (kind === 'tool' && name === readResourceMethod) return 'accepted';
      const key = definitionKey(kind, name);
      return definitionState(newestOf(serverId, key) ?? { hash: '' }, choicesOf(serverId).agreed.get(key));
    },

    hashOf: (serverId, tool) => newestOf(serverId, definitionKey('tool', tool))?.hash,

    usable(tools) {
      const usable = tools.flatMap((tool) => {
        const agreed = agreedOf(tool);
        // Neither what was agreed to nor what is there now may keep it from models.
        return agreed && isForModels(agreed) && isForModels(tool) ? agreed : [];
      });
      if (usable.length !== last.length || usable.some((tool, index) => tool !== last[index])) last = usable;
      return last;
    },

    agreedTool: agreedOf,

    isOff: (serverId, tool) => choicesOf(serverId).agreed.get(definitionKey('tool', tool))?.isOff === true,

    agreedValue(serverId, kind, name) {
      const agreed = choicesOf(serverId).agreed.get(definitionKey(kind, name));
      return agreed && !agreed.isOff ? agreed.value : undefined;
    },

    agreedPrompt(serverId, name) {
      const key = definitionKey('prompt', name);
      const agreed = choicesOf(serverId).agreed.get(key);
      if (agreed && !agreed.isOff) return agreed.value;
      const lists = listsOf(serverId);
      if (!lists || !offeredDefinitions(lists).has(key))
        refuse('notFound', 'This server has no prompt of that name. Choose one from the list.');
      return refuse('notAllowed', 'You have not agreed to use this prompt. Look at what this server offers first.');
    },

    waiting(serverId, lists) {
      const waits = review(serverId, lists).filter(isWaiting);
      if (waits.length === 0) return undefined;
      const count = (kind: DefinitionKind) => waits.filter((definition) => definition.kind === kind).length;
      return {
        isFirst: choicesOf(serverId).agreed.size === 0,
        tools: count('tool'),
        prompts: count('prompt'),
        templates: count('template'),
        seen: seenOf(lists),
      };
    },

    agreeAtFirst(serverId, lists) {
      if (choicesOf(serverId).agreed.size > 0 || offeredDefinitions(lists).size === 0) return;
      acceptAll(serverId, review(serverId, lists), () => false, seenOf(lists));
    },

    accept(serverId, lists, seen, { only, off }) {
      checkSeen(lists, seen);
      const wanted = only && names(only);
      const offNames = names(off);
      const accepted = review(serverId, lists).filter(
        ({ kind, name, state }) => state !== 'removed' && (wanted === undefined || wanted.has(definitionKey(kind, name))),
      );
      acceptAll(
        serverId,
        accepted.filter((definition) => definition.state !== 'accepted'),
        ({ kind, name, agreed }) => offNames.has(definitionKey(kind, name)) || agreed?.isOff === true,
        seen,
      );
    },

    leave(serverId, lists, seen) {
      checkSeen(lists, seen);
      inTransaction(db, () => {
        for (const { kind, name, offered } of review(serverId, lists).filter(isWaiting))
          if (offered) setLeft(db, serverId, kind, name, offered.hash);
      });
      changed(serverId);
    },

    setOff(serverId, { kind, name }, isOff) {
      inTransaction(db, () => {
        record(trustChanged({ id: serverId, name: nameOf(serverId) }, 'definitions', isOff ? 'switched off' : 'switched on', name));
        setOff(db, serverId, kind, name, isOff);
      });
      changed(serverId);
    },

    reload: (serverId) => void choices.delete(serverId),
  };
}

const isForModels = ({ ui }: ServerTool): boolean => viewOfTool(ui).forModel;

/** Instructions are given to no model, so a change of theirs decides nothing and waits for nobody. */
export const isWaiting = ({ kind, state, isLeft, agreed }: ReviewedDefinition): boolean =>
  (state === 'new' || state === 'changed') && !isLeft && agreed?.isOff !== true && kind !== 'instructions';

/** What is offered first, in the server's order, then what was agreed to and is not offered any more. */
function reviewed(offered: ReadonlyMap<string, OfferedDefinition>, { agreed, left }: DefinitionChoices): ReviewedDefinition[] {
  const gone = [...agreed].flatMap(([key, definition]) => (offered.has(key) ? [] : [definition]));
  const added = [...offered].flatMap(([key, definition]) => (agreed.has(key) ? [] : [definition]));
  const renames = renamesAmong(gone, added);
  const present = [...offered].map(([key, definition]): ReviewedDefinition => {
    const known = agreed.get(key);
    return {
      kind: definition.kind,
      name: definition.name,
      state: definitionState(definition, known),
      offered: definition,
      agreed: known,
      isLeft: left.get(key) === definition.hash,
      renamedFrom: renames.get(definition)?.name,
    };
  });
  const renamed = new Set([...renames.values()]);
  const removed = gone
    .filter((definition) => !renamed.has(definition))
    .map((definition): ReviewedDefinition => ({
      kind: definition.kind,
      name: definition.name,
      state: 'removed',
      offered: undefined,
      agreed: definition,
      isLeft: false,
      renamedFrom: undefined,
    }));
  return [...present, ...removed];
}

/** Refuses with `wrongHash` what was said of something else than what the server offers now. */
export function checkSeen(lists: ServerLists, seen: string): void {
  if (seenOf(lists) !== seen)
    refuse('wrongHash', 'What this server offers has changed since this page was shown. Look at it again; nothing was changed.');
}

const seenNames = new WeakMap<ServerLists, string>();

/** Names exactly what a server offers. */
export function seenOf(lists: ServerLists): string {
  let made = seenNames.get(lists);
  if (made === undefined) {
    made = hashText([...offeredDefinitions(lists)].map(([key, { hash }]) => `${JSON.stringify(key)} ${hash}`).join('\n'));
    seenNames.set(lists, made);
  }
  return made;
}

/** `3 tools, 1 prompt`. */
function countsOf(definitions: readonly ReviewedDefinition[]): string {
  return (['tool', 'prompt', 'template', 'instructions'] as const)
    .map((kind) => ({ kind, count: definitions.filter((definition) => definition.kind === kind).length }))
    .filter(({ count }) => count > 0)
    .map(({ kind, count }) => `${count} ${kind}${count === 1 || kind === 'instructions' ? '' : 's'}`)
    .join(', ');
}

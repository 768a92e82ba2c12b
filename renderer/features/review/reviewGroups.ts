import type { DefinitionReview, DefinitionRow } from '../../../preload/contract/definitions.ts';
import type { Effect } from '../../../preload/contract/policy.ts';

export const keyOf = ({ kind, name }: Pick<DefinitionRow, 'kind' | 'name'>): string => `${kind} ${name}`;

/** The rows of a review as the page shows them. Instructions stand apart: no model is given them. */
export interface ReviewGroups {
  changed: DefinitionRow[];
  added: DefinitionRow[];
  removed: DefinitionRow[];
  agreed: DefinitionRow[];
  instructions: DefinitionRow | undefined;
}

export function groupsOf({ rows }: DefinitionReview): ReviewGroups {
  const offered = rows.filter(({ kind }) => kind !== 'instructions');
  const of = (state: DefinitionRow['state']) => offered.filter((row) => row.state === state);
  return {
    changed: of('changed'),
    added: of('new'),
    removed: of('removed'),
    agreed: of('accepted'),
    instructions: rows.find(({ kind, state }) => kind === 'instructions' && state !== 'removed'),
  };
}

/** What the person has changed on the page, by {@link keyOf}; nothing of it is said before the answer. */
export interface Choice {
  isOff?: boolean;
  effects?: readonly Effect[];
}
export type Choices = ReadonlyMap<string, Choice>;

const allEffects: readonly Effect[] = ['reads', 'changes', 'deletes', 'sendsOut'];

/** What stands ticked: the person's choice, else what is proposed. What nobody said is nobody's answer and ticks nothing. */
export function tickedEffects(row: DefinitionRow, choice: Choice | undefined): readonly Effect[] {
  if (choice?.effects) return choice.effects;
  return row.proposed === undefined || row.proposed.by === 'nobody' ? [] : row.proposed.set;
}

export function withEffect(effects: readonly Effect[], effect: Effect, isTicked: boolean): Effect[] {
  return allEffects.filter((each) => (each === effect ? isTicked : effects.includes(each)));
}

/** Whether what stands ticked is nobody's word yet that could be trusted: the server's own, or that of the folder it was started from. */
export const isUnchecked = ({ proposed }: DefinitionRow): boolean => proposed?.by === 'server' || proposed?.by === 'folder';

/** What the answer says of tools: the person's ticks, and what nobody has checked where the person let it stand. */
export function effectsToSay(rows: readonly DefinitionRow[], choices: Choices): { tool: string; effects: Effect[] }[] {
  return rows.flatMap((row) => {
    const choice = choices.get(keyOf(row));
    if (row.kind !== 'tool' || (choice?.effects === undefined && !isUnchecked(row))) return [];
    const effects = [...tickedEffects(row, choice)];
    return effects.length === 0 ? [] : [{ tool: row.name, effects }];
  });
}

import type { Approval, ArgumentPattern, PermissionOffer, Scope } from '../../../preload/contract/policy.ts';

/** A permission that a card may give beyond the single call. `patterns`: of the only call of a card, which may be narrowed. */
export interface CardOffer {
  scope: Exclude<Scope, 'once'>;
  /** What it is bound to: one for each kind of call on the card. */
  bounds: readonly PermissionOffer[];
  patterns: readonly ArgumentPattern[];
}

/** In the order of their reach. */
const wider = ['turn', 'chat', 'until', 'always'] as const;

const offersOf = ({ offers, scopes }: Approval): readonly PermissionOffer[] =>
  offers ?? scopes.map((scope) => ({ scope, patterns: [], text: '' }));

/** What may be given for all of these calls at once, each for its own arguments. Never for what deletes. */
export function offersOfCard(calls: readonly Approval[]): CardOffer[] {
  if (calls.some(({ effects }) => effects.source !== 'nobody' && effects.set.includes('deletes'))) return [];
  const offers = calls.map(offersOf);
  return wider.flatMap((scope): CardOffer[] => {
    const bounds = offers.map((each) => each.find((offer) => offer.scope === scope));
    if (bounds.length === 0 || bounds.includes(undefined)) return [];
    const different = new Map(
      bounds.flatMap((each) => (each === undefined ? [] : [[`${each.text} ${JSON.stringify(each.patterns)}`, each]])),
    );
    const [only] = bounds;
    return [{ scope, bounds: [...different.values()], patterns: bounds.length === 1 && only !== undefined ? only.patterns : [] }];
  });
}

/** Which calls of a card would be allowed. `fresh`: they joined a card that could be answered already. */
export interface Ticks {
  known: ReadonlySet<string>;
  fresh: ReadonlySet<string>;
  off: ReadonlySet<string>;
}

export const noTicks: Ticks = { known: new Set(), fresh: new Set(), off: new Set() };

/**
 * The ticks with all calls that wait now. Calls that come while the card cannot be answered yet are ticked like the first ones; what
 * joins later is not, so that nobody allows what he has not seen. The same object where nothing is new.
 */
export function withCalls(ticks: Ticks, ids: readonly string[], couldBeAnswered: boolean): Ticks {
  const joined = ids.filter((id) => !ticks.known.has(id));
  if (joined.length === 0) return ticks;
  const known = new Set([...ticks.known, ...joined]);
  if (!couldBeAnswered) return { ...ticks, known };
  return { known, fresh: new Set([...ticks.fresh, ...joined]), off: new Set([...ticks.off, ...joined]) };
}

/** A call that somebody has ticked or unticked is not new to him any more. */
export function toggled(ticks: Ticks, id: string, isTicked: boolean): Ticks {
  const off = new Set(ticks.off);
  const fresh = new Set(ticks.fresh);
  fresh.delete(id);
  if (isTicked) off.delete(id);
  else off.add(id);
  return { ...ticks, off, fresh };
}

import { useCallback, useRef, useState } from 'react';

/**
 * Whether every end in `needed` of what would be sent has been in view. `mark` gives the callback of one end, always the same one for a
 * name. Starts anew with another `what`.
 */
export function useShown(what: string, needed: readonly string[]): { allShown: boolean; mark(name: string): () => void } {
  const ends = useRef({ what, marks: new Map<string, () => void>(), shown: new Set<string>() });
  const [shownOf, setShownOf] = useState<{ what: string; names: ReadonlySet<string> }>({ what, names: new Set() });
  if (ends.current.what !== what) ends.current = { what, marks: new Map(), shown: new Set() };
  const mark = useCallback(
    (name: string) => {
      const current = ends.current;
      const known = current.marks.get(name);
      if (known !== undefined) return known;
      const shown = () => {
        if (current.shown.has(name)) return;
        current.shown.add(name);
        setShownOf({ what, names: new Set(current.shown) });
      };
      current.marks.set(name, shown);
      return shown;
    },
    [what],
  );
  return { mark, allShown: shownOf.what === what && needed.length > 0 && needed.every((name) => shownOf.names.has(name)) };
}

import { useCallback, useRef, useState } from 'react';

/**
 * Which ends of what would be sent have been in view. `mark` gives the callback of one end and makes it count;
 * everything is shown when all counted ends were. Starts anew with another `what`.
 */
export function useShown(what: unknown): { allShown: boolean; mark(name: string): () => void } {
  const ends = useRef({ what, names: new Map<string, () => void>(), shown: new Set<string>() });
  const [shownOf, setShownOf] = useState<{ what: unknown; count: number }>({ what, count: 0 });
  if (ends.current.what !== what) ends.current = { what, names: new Map(), shown: new Set() };
  const mark = useCallback(
    (name: string) => {
      const current = ends.current;
      const known = current.names.get(name);
      if (known !== undefined) return known;
      const shown = () => {
        current.shown.add(name);
        setShownOf({ what, count: current.shown.size });
      };
      current.names.set(name, shown);
      return shown;
    },
    [what],
  );
  const { names } = ends.current;
  return { mark, allShown: shownOf.what === what && names.size > 0 && shownOf.count >= names.size };
}

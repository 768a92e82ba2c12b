import { useEffect, useState } from 'react';

/** False for the first `ms` after `what` has changed, so that a click meant for what was shown before cannot land. */
export function useArmed(what: unknown, ms = 400): boolean {
  const [armedFor, setArmedFor] = useState<{ what: unknown } | null>(null);
  useEffect(() => {
    const timer = setTimeout(() => setArmedFor({ what }), ms);
    return () => clearTimeout(timer);
  }, [what, ms]);
  return armedFor !== null && Object.is(armedFor.what, what);
}

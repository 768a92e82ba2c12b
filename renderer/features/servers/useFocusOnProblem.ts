import { useEffect, useRef } from 'react';

/** Puts the focus into the first field that was refused, so that it need not be looked for. The ref belongs to the form. */
export function useFocusOnProblem(problems: object) {
  const form = useRef<HTMLFormElement>(null);
  useEffect(() => {
    if (Object.keys(problems).length > 0) form.current?.querySelector<HTMLElement>('[aria-invalid=true]')?.focus();
  }, [problems]);
  return form;
}

import { useEffect, useRef, useState } from 'react';

/** So many characters are added at once: what a page reads, draws and measures in a small part of what a person notices. */
const step = 4000;
/** The first of them may be more, so that nearly every text is there as soon as it is shown. */
const firstStep = 8000;
const everyMs = 16;

const nextStep = (shown: string, text: string): string => {
  if (text.startsWith(shown)) return text.slice(0, shown.length + step);
  return text.slice(0, firstStep);
};

/**
 * What is to be shown of a text that grows: all of it soon, but never much more than a moment before. Text that comes faster than it can be
 * drawn thus never makes one long task, and typing finds its turn between the steps.
 */
export function useGradually(text: string): string {
  const [known, setShown] = useState(() => text.slice(0, firstStep));
  const shown = text.startsWith(known) ? known : text.slice(0, firstStep);
  const latest = useRef(text);
  useEffect(() => {
    latest.current = text;
  }, [text]);
  const behind = shown.length < text.length;
  // More text is no reason to begin the wait again: where it comes quickly the wait would have no end.
  useEffect(() => {
    if (!behind) return;
    const timer = setTimeout(() => setShown(nextStep(shown, latest.current)), everyMs);
    return () => clearTimeout(timer);
  }, [behind, shown]);
  return shown;
}

import { useEffect, useRef } from 'react';

/** A point behind the last character of something long. `onShown` is called when that point has been in view, whatever scrolls around it. */
export function EndMark({ onShown }: { onShown(): void }) {
  const mark = useRef<HTMLSpanElement>(null);
  useEffect(() => {
    if (mark.current === null) return;
    const observer = new IntersectionObserver((entries) => {
      if (entries.some(({ isIntersecting }) => isIntersecting)) onShown();
    });
    observer.observe(mark.current);
    return () => observer.disconnect();
  }, [onShown]);
  return <span ref={mark} aria-hidden className="-mt-px block h-px w-px" />;
}

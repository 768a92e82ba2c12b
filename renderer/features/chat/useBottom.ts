import { useCallback, useRef, useState } from 'react';

/** This near to the bottom, in pixels, the transcript follows what is written. */
const nearBottom = 80;

/** How much lies below what is in view, in pixels. */
const distanceOf = ({ scrollHeight, scrollTop, clientHeight }: HTMLElement): number => scrollHeight - scrollTop - clientHeight;

export interface Bottom {
  /** Whether the end is in view, or follows at once. */
  near: boolean;
  scrollerRef(scroller: HTMLElement | Window | null): void;
  /** To be called when the content has grown: goes along when it is followed. */
  follow(): void;
  /** Goes to the end and follows it from now on. */
  stick(): void;
  /** Stays where it is, though more is written. */
  leave(): void;
  /** What grows next was opened by the person: it stays where it is, and the end is followed on only where that is still near. */
  hold(): void;
}

/**
 * Keeps a scrolled area at its end while that grows. Only a scroll upwards ends it: text that grows faster than it is
 * followed, or a card that takes room from below, does not.
 */
export function useBottom(): Bottom {
  const scroller = useRef<HTMLElement | null>(null);
  const sticks = useRef(true);
  const end = useRef<() => void>(null);
  const [near, setNear] = useState(true);
  const held = useRef(false);
  const follow = useCallback(() => {
    const element = scroller.current;
    if (element === null) return;
    if (held.current) {
      held.current = false;
      sticks.current = distanceOf(element) <= nearBottom;
      setNear(sticks.current);
    } else if (sticks.current) element.scrollTop = element.scrollHeight;
  }, []);
  const hold = useCallback(() => {
    held.current = true;
  }, []);
  const stick = useCallback(() => {
    sticks.current = true;
    setNear(true);
    follow();
  }, [follow]);
  const leave = useCallback(() => {
    sticks.current = false;
    setNear(false);
  }, []);
  const scrollerRef = useCallback(
    (element: HTMLElement | Window | null) => {
      end.current?.();
      end.current = null;
      scroller.current = element instanceof HTMLElement ? element : null;
      const area = scroller.current;
      if (area === null) return;
      sticks.current = true;
      setNear(true);
      let before = area.scrollTop;
      const scrolled = () => {
        const up = area.scrollTop < before;
        before = area.scrollTop;
        if (distanceOf(area) <= nearBottom) sticks.current = true;
        else if (up) sticks.current = false;
        setNear(sticks.current);
      };
      area.addEventListener('scroll', scrolled, { passive: true });
      const resized = new ResizeObserver(follow);
      resized.observe(area);
      end.current = () => {
        area.removeEventListener('scroll', scrolled);
        resized.disconnect();
      };
    },
    [follow],
  );
  return { near, scrollerRef, follow, stick, leave, hold };
}

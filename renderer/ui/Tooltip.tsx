import { Slot, Tooltip as Radix } from 'radix-ui';
import { type ReactElement, useEffect, useId, useRef, useState } from 'react';
import { Kbd } from './Kbd.tsx';
import { landmarkOf } from './landmarkOf.ts';

/** How long the pointer rests on something before its tip comes, and how long it may be on its way to the tip. */
const restMs = 500;
const leaveMs = 120;

/**
 * A short name for the control under the pointer or focus. Never the only place where something is said. A page holds hundreds of
 * them, so each is two attributes; the one `TooltipLayer` shows what they hold.
 */
export function Tooltip({ text, keys, children }: { text: string; keys?: string; children: ReactElement }) {
  return (
    <Slot.Root data-tip={text} data-tip-keys={keys}>
      {children}
    </Slot.Root>
  );
}

const tipOf = (target: EventTarget | null): HTMLElement | null =>
  target instanceof Element ? target.closest<HTMLElement>('[data-tip]') : null;

/** The tip of the whole window. Stands once, beside everything else. */
export function TooltipLayer() {
  const id = useId();
  const tip = useRef<HTMLDivElement>(null);
  const [owner, setOwner] = useState<HTMLElement | null>(null);

  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const change = (to: HTMLElement | null, ms: number) => {
      clearTimeout(timer);
      timer = setTimeout(() => setOwner(to), ms);
    };
    const over = ({ target, pointerType }: PointerEvent) => {
      if (pointerType === 'touch') return;
      // The tip itself may be pointed at, so that a long one can be read.
      if (target instanceof Node && tip.current?.contains(target) === true) clearTimeout(timer);
      else {
        const next = tipOf(target);
        change(next, next === null ? leaveMs : restMs);
      }
    };
    const focus = ({ target }: FocusEvent) => {
      if (target instanceof Element && target.matches(':focus-visible')) change(tipOf(target), 0);
    };
    const hide = () => change(null, 0);
    const key = ({ key: pressed }: KeyboardEvent) => {
      if (pressed === 'Escape') hide();
    };
    const listening = new AbortController();
    const options = { signal: listening.signal, capture: true, passive: true };
    document.addEventListener('pointerover', over, options);
    document.addEventListener('focusin', focus, options);
    document.addEventListener('focusout', hide, options);
    document.addEventListener('pointerdown', hide, options);
    document.addEventListener('scroll', hide, options);
    document.addEventListener('keydown', key, options);
    return () => {
      clearTimeout(timer);
      listening.abort();
    };
  }, []);

  const text = owner?.isConnected === true ? owner.dataset['tip'] : undefined;
  useEffect(() => {
    if (owner === null || text === undefined || owner.getAttribute('aria-label') === text) return;
    owner.setAttribute('aria-describedby', id);
    return () => owner.removeAttribute('aria-describedby');
  }, [owner, text, id]);
  if (owner === null || text === undefined) return null;
  const { left, top, width, height } = owner.getBoundingClientRect();
  const keys = owner.dataset['tipKeys'];
  return (
    <Radix.Provider>
      <Radix.Root open>
        <Radix.Trigger asChild>
          <span aria-hidden className="pointer-events-none fixed" style={{ left, top, width, height }} />
        </Radix.Trigger>
        <Radix.Portal container={landmarkOf(owner)}>
          <Radix.Content
            ref={tip}
            key={text}
            sideOffset={6}
            collisionPadding={8}
            className="z-50 flex max-w-80 items-center gap-2 rounded-control border border-line bg-floating px-2 py-1 text-caption wrap-anywhere text-ink shadow-float"
          >
            <span id={id}>{text}</span>
            {keys === undefined ? null : <Kbd keys={keys} />}
          </Radix.Content>
        </Radix.Portal>
      </Radix.Root>
    </Radix.Provider>
  );
}

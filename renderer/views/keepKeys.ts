/** So often a view may try. */
const mostGrabs = 5;

const writes = (element: Element | null): element is HTMLElement =>
  element instanceof HTMLTextAreaElement ||
  element instanceof HTMLInputElement ||
  (element instanceof HTMLElement && element.isContentEditable);

/**
 * Keeps a view from taking the keyboard of somebody who writes: any page in a frame may give itself the focus, and nothing forbids it. Who
 * writes in a field of the window gets it back at once, unless he went to the view himself, with the pointer or the key Tab. What the pointer
 * does over a frame is told to the frame alone; so while somebody writes, something that nobody sees lies over it, and goes when the pointer comes.
 *
 * @param place stands around the frame, and is what others are placed in
 * @param onStopped it has tried too often
 * @returns the function that ends it
 */
export function keepKeys(place: HTMLElement, frame: HTMLIFrameElement, onStopped: () => void): () => void {
  const shield = document.createElement('div');
  shield.className = 'absolute inset-0';
  place.append(shield);
  let field = writes(document.activeElement) ? document.activeElement : null;
  let isReached = false;
  let grabs = 0;
  const set = (reached: boolean) => {
    isReached = reached;
    shield.hidden = isReached || field === null;
  };
  const end = new AbortController();
  const { signal } = end;
  shield.addEventListener('pointermove', () => set(true), { signal });
  shield.addEventListener('pointerdown', () => set(true), { signal });
  document.addEventListener('keydown', ({ key }) => set(key === 'Tab'), { signal, capture: true });
  document.addEventListener(
    'focusin',
    ({ target }) => {
      if (target === frame) return;
      field = target instanceof Element && writes(target) ? target : null;
      set(false);
    },
    { signal },
  );
  window.addEventListener(
    'blur',
    () => {
      if (document.activeElement !== frame || field === null || isReached) return;
      const before = field;
      // Only once the focus has gone can it be taken back.
      setTimeout(() => before.focus());
      grabs += 1;
      if (grabs > mostGrabs) onStopped();
    },
    { signal },
  );
  set(false);
  return () => {
    end.abort();
    shield.remove();
  };
}

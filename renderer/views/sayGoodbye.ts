import type { ViewSession } from './viewSession.ts';

/** Moves an element with what runs in it. Where it cannot be, a frame ends with its place. */
type Movable = HTMLElement & { moveBefore?(node: Node, before: Node | null): void };

/**
 * Lets a view say goodbye before its frame goes: its place in the page may be gone at once, so the frame waits out of sight, at most as long
 * as the session waits.
 */
export function sayGoodbye(frame: HTMLIFrameElement, session: Pick<ViewSession, 'close'>, after: () => void): void {
  const body: Movable = document.body;
  if (body.moveBefore !== undefined && frame.isConnected) {
    frame.hidden = true;
    frame.inert = true;
    body.moveBefore(frame, null);
  }
  void session.close().finally(() => {
    frame.remove();
    after();
  });
}

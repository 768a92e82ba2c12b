import type { ClientFrame, ServerFrame } from '../../preload/contract/bridge.ts';
import type { EventMessage } from '../../preload/contract/events.ts';
import { fail, type Result } from '../../preload/contract/result.ts';
import type { ConnectedBridge, ConnectionState } from './connectedBridge.ts';

const sessionKey = 'maitre.session';
const firstDelayMs = 250;
const longestDelayMs = 10_000;
/** Close code by which the web shell says that it does not know the session. */
const unknownSession = 4401;
const refusedMessage = 'This tab is no longer let in. Open the address that Maitre printed when it started.';

async function exchange(token: string): Promise<Response | null> {
  try {
    return await fetch('/session', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ token }),
    });
  } catch (error) {
    // Nobody answers: the page says that it needs its link, and the link still works when Maitre is back.
    console.error('The session could not be opened.', error);
    return null;
  }
}

/**
 * Trades the token of the link (`#token=…`) for a session, once. The fragment is removed at once, so that neither the
 * history nor a copied address lets anybody in. Resolves to null when there is neither a token nor a session.
 */
export async function openSession(page: { location: Location; history: History; storage: Storage }): Promise<string | null> {
  const token = new URLSearchParams(page.location.hash.slice(1)).get('token');
  if (token === null) return page.storage.getItem(sessionKey);
  page.history.replaceState(null, '', page.location.pathname + page.location.search);
  const answer = await exchange(token);
  if (answer === null) return page.storage.getItem(sessionKey);
  // A used link opened again in the tab that used it must not throw away a session that still holds.
  if (!answer.ok) return page.storage.getItem(sessionKey);
  const body: unknown = await answer.json();
  if (typeof body !== 'object' || body === null || !('session' in body) || typeof body.session !== 'string') return null;
  page.storage.setItem(sessionKey, body.session);
  return body.session;
}

/**
 * The bridge over the web shell's socket. Requests that had no answer when the line broke are sent again, word for
 * word, when it is back: their command ids make that harmless.
 */
export function socketBridge(
  url: string,
  session: string,
  openSocket = (address: string): WebSocket => new WebSocket(address),
): ConnectedBridge {
  const listeners = new Set<(message: EventMessage) => void>();
  const stateListeners = new Set<(state: ConnectionState) => void>();
  const waiting = new Map<number, { frame: string; answer(result: Result<unknown>): void }>();
  let state: ConnectionState = 'reconnecting';
  let socket: WebSocket | null = null;
  let welcomed = false;
  let delay = firstDelayMs;
  let lastId = 0;

  const setState = (next: ConnectionState) => {
    if (state === next) return;
    state = next;
    for (const listener of stateListeners) listener(next);
  };

  const receive = (frame: ServerFrame) => {
    if (frame.kind === 'welcome') {
      welcomed = true;
      delay = firstDelayMs;
      for (const request of waiting.values()) socket?.send(request.frame);
      setState('connected');
    } else if (frame.kind === 'answer') {
      const request = waiting.get(frame.id);
      waiting.delete(frame.id);
      request?.answer(frame.result);
    } else {
      for (const listener of listeners) listener(frame.message);
    }
  };

  const connect = () => {
    const opened = openSocket(url);
    socket = opened;
    welcomed = false;
    opened.onopen = () => {
      const hello: ClientFrame = { kind: 'hello', session };
      opened.send(JSON.stringify(hello));
    };
    opened.onmessage = (message: MessageEvent<string>) => receive(JSON.parse(message.data) as ServerFrame);
    opened.onclose = (closed) => {
      if (socket !== opened) return;
      socket = null;
      welcomed = false;
      if (closed.code === unknownSession) {
        setState('refused');
        for (const request of waiting.values()) {
          request.answer(fail('notAllowed', refusedMessage));
        }
        waiting.clear();
        return;
      }
      setState('reconnecting');
      setTimeout(connect, delay * (0.75 + Math.random() / 2));
      delay = Math.min(delay * 2, longestDelayMs);
    };
  };
  connect();

  return {
    invoke(name, input) {
      return new Promise((resolve) => {
        if (state === 'refused') {
          resolve(fail('notAllowed', refusedMessage));
          return;
        }
        lastId += 1;
        const request: ClientFrame = { kind: 'invoke', id: lastId, name, input };
        const frame = JSON.stringify(request);
        // The shell forwards the host's answer to this very command, whose type the contract fixes.
        waiting.set(lastId, { frame, answer: (result) => resolve(result as Awaited<ReturnType<ConnectedBridge['invoke']>> as never) });
        if (welcomed) socket?.send(frame);
      });
    },
    on(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    connection: {
      current: () => state,
      on(listener) {
        stateListeners.add(listener);
        return () => stateListeners.delete(listener);
      },
    },
  };
}

import type { WebSocket } from 'ws';
import { z } from 'zod';
import type { ServerFrame } from '../../preload/contract/bridge.ts';
import type { Host } from '../host/createHost.ts';
import type { Log } from '../host/ports.ts';
import { messageOf } from '../host/refusal.ts';
import { parseJson } from './parseJson.ts';

/** How long a socket may stay without showing a session, in milliseconds. */
const helloMs = 5000;

const Hello = z.strictObject({ kind: z.literal('hello'), session: z.string().max(200) });
const Invoke = z.strictObject({ kind: z.literal('invoke'), id: z.number().int(), name: z.string().max(200), input: z.unknown() });

/**
 * Speaks the contract on one socket: answers `invoke` frames and sends the host's events. Until a `hello` with a known
 * session has come nothing is answered or sent, and a wrong first frame ends the socket.
 */
export function serveSocket(socket: WebSocket, host: Host, isSession: (session: string) => boolean, log: Log): void {
  const send = (frame: ServerFrame): void => {
    if (socket.readyState === socket.OPEN) socket.send(JSON.stringify(frame));
  };
  const late = setTimeout(() => socket.close(4401, 'No session came.'), helloMs);
  let end: (() => void) | null = null;

  socket.on('close', () => {
    clearTimeout(late);
    end?.();
  });
  // ws closes the socket itself then; the reason is worth a line: a message over 1 MiB, or not UTF-8.
  socket.on('error', (error) => log.warn('A socket of the web shell failed.', { error: messageOf(error) }));

  socket.on('message', (data, isBinary) => {
    const frame = isBinary ? undefined : parseJson(String(data));
    if (end === null) {
      const hello = Hello.safeParse(frame);
      if (!hello.success || !isSession(hello.data.session)) {
        log.warn('A socket without a known session was refused.');
        socket.close(4401, 'The session is not known.');
        return;
      }
      clearTimeout(late);
      send({ kind: 'welcome' });
      end = host.on(
        (message) => send({ kind: 'event', message }),
        () => socket.bufferedAmount,
      );
      return;
    }
    const invoke = Invoke.safeParse(frame);
    if (!invoke.success) {
      socket.close(1008, 'The message could not be read.');
      return;
    }
    const { id, name, input } = invoke.data;
    host
      .invoke(name, input)
      .then((result) => send({ kind: 'answer', id, result }))
      .catch((error: unknown) => {
        log.error('A command failed in the host.', { name, error: messageOf(error) });
        socket.close(1011, 'Maitre failed inside.');
      });
  });
}

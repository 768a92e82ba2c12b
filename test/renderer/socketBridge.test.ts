import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { type WebSocket as ServerSocket, WebSocketServer } from 'ws';
import type { ClientFrame, ServerFrame } from '../../preload/contract/bridge.ts';
import { ok } from '../../preload/contract/result.ts';
import { newCommandId } from '../../renderer/bridge/newCommandId.ts';
import { openSession, socketBridge } from '../../renderer/bridge/socketBridge.ts';

const servers: WebSocketServer[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) {
    for (const client of server.clients) client.terminate();
    server.close();
  }
});

/** A real socket server that answers as the test says. */
async function serve(onFrame: (frame: ClientFrame, socket: ServerSocket, connection: number) => void): Promise<string> {
  const server = new WebSocketServer({ port: 0, host: '127.0.0.1' });
  servers.push(server);
  let connections = 0;
  server.on('connection', (socket) => {
    connections += 1;
    const connection = connections;
    socket.on('message', (data) => onFrame(JSON.parse(String(data)) as ClientFrame, socket, connection));
  });
  await new Promise((resolve) => server.once('listening', resolve));
  return `ws://127.0.0.1:${(server.address() as AddressInfo).port}/socket`;
}
const send = (socket: ServerSocket, frame: ServerFrame) => socket.send(JSON.stringify(frame));

describe('the bridge over a socket', () => {
  it('sends again, word for word, what had no answer when the line broke, and says that it is broken', async () => {
    const frames: { connection: number; frame: ClientFrame }[] = [];
    const url = await serve((frame, socket, connection) => {
      frames.push({ connection, frame });
      if (frame.kind === 'hello') send(socket, { kind: 'welcome' });
      else if (connection === 1) socket.terminate();
      else send(socket, { kind: 'answer', id: frame.id, result: ok({ done: true }) });
    });
    const bridge = socketBridge(url, 'session');
    const states: string[] = [];
    bridge.connection?.on((state) => states.push(state));
    const answer = await bridge.invoke('server.reload', { commandId: newCommandId() });
    expect(answer).toEqual(ok({ done: true }));
    const [first, second] = frames.filter(({ frame }) => frame.kind === 'invoke');
    expect(second?.frame).toEqual(first?.frame);
    expect([first?.connection, second?.connection]).toEqual([1, 2]);
    expect(states).toEqual(['connected', 'reconnecting', 'connected']);
    expect(frames.filter(({ frame }) => frame.kind === 'hello').map(({ frame }) => frame)).toEqual([
      { kind: 'hello', session: 'session' },
      { kind: 'hello', session: 'session' },
    ]);
  });

  it('passes events on until the listener ends', async () => {
    const url = await serve((frame, socket) => {
      if (frame.kind === 'hello') return send(socket, { kind: 'welcome' });
      send(socket, { kind: 'event', message: { startId: 's' as never, topic: 'resync' } });
      send(socket, { kind: 'answer', id: frame.id, result: ok({}) });
    });
    const bridge = socketBridge(url, 'session');
    const seen: unknown[] = [];
    const end = bridge.on((message) => seen.push(message));
    await bridge.invoke('app.open', {});
    end();
    await bridge.invoke('app.open', {});
    expect(seen).toEqual([{ startId: 's', topic: 'resync' }]);
  });

  it('gives up for good when the session is not known, and answers what waits', async () => {
    let connections = 0;
    const url = await serve((_frame, socket, connection) => {
      connections = connection;
      socket.close(4401, 'The session is not known.');
    });
    const bridge = socketBridge(url, 'gone');
    expect(await bridge.invoke('app.open', {})).toMatchObject({ ok: false, error: { code: 'notAllowed' } });
    expect(bridge.connection?.current()).toBe('refused');
    expect(await bridge.invoke('app.open', {})).toMatchObject({ ok: false });
    expect(connections).toBe(1);
  });
});

describe('the session of a tab', () => {
  const tab = (hash: string, kept: string | null) => {
    const store = new Map(kept === null ? [] : [['maitre.session', kept]]);
    const shown: string[] = [];
    return {
      shown,
      store,
      page: {
        location: { hash, pathname: '/', search: '' } as Location,
        history: { replaceState: (_data: unknown, _title: string, url: string) => shown.push(url) } as unknown as History,
        storage: {
          getItem: (name: string) => store.get(name) ?? null,
          setItem: (name: string, value: string) => store.set(name, value),
        } as unknown as Storage,
      },
    };
  };

  it('is what was kept when the address holds no token, and nothing when nothing was kept', async () => {
    expect(await openSession(tab('', 'kept').page)).toBe('kept');
    expect(await openSession(tab('', null).page)).toBeNull();
  });
});

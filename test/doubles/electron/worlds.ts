/**
 * Functions whose source is put into pages before anything else runs there. Each uses nothing outside itself.
 * Two worlds share one document: the page's own, and an isolated one where the preload runs. They speak by events on
 * the document, whose details cross as structured clones; functions and promises travel as numbers.
 */

type Packed = { t: string; id?: number; value?: unknown; items?: Packed[]; entries?: [string, Packed][] };

/** What travels between the worlds; which members are there says what it is. */
interface Message {
  call?: number;
  args?: Packed[];
  reply?: number;
  answered?: number;
  settle?: number;
  ok?: boolean;
  value?: Packed;
  expose?: string;
  open?: string;
}

export interface WorldBridge {
  send(message: Message): void;
  pack(value: unknown): Packed;
  unpack(packed: Packed): unknown;
}

/** One end of the way between the worlds. `handle` gets every message that is not about a function or a promise. */
export function makeBridge(own: string, other: string, handle: (message: Message) => void): WorldBridge {
  let last = 0;
  const functions = new Map<number, (...args: unknown[]) => unknown>();
  const settlers = new Map<number, { resolve(value: unknown): void; reject(error: unknown): void }>();
  const replies = new Map<number, { ok: boolean; value: Packed }>();
  const send = (message: Message): void => {
    document.dispatchEvent(new CustomEvent(`double:${other}`, { detail: message }));
  };
  const pack = (value: unknown): Packed => {
    if (typeof value === 'symbol') throw new TypeError('An object could not be cloned.');
    if (typeof value === 'function') {
      last += 1;
      functions.set(last, value as (...args: unknown[]) => unknown);
      return { t: 'function', id: last };
    }
    if (typeof value !== 'object' || value === null) return { t: 'plain', value };
    if (value instanceof Promise) {
      last += 1;
      const id = last;
      value.then(
        (result) => send({ settle: id, ok: true, value: pack(result) }),
        (error) => send({ settle: id, ok: false, value: pack(error) }),
      );
      return { t: 'promise', id };
    }
    if (value instanceof Error) return { t: 'error', value: value.message };
    if (value instanceof Date || value instanceof Map || value instanceof Set || ArrayBuffer.isView(value)) return { t: 'plain', value };
    if (Array.isArray(value)) return { t: 'array', items: value.map(pack) };
    // As in Electron only own members cross: the methods of a class stay behind.
    return { t: 'object', entries: Object.entries(value).map(([name, member]) => [name, pack(member)]) };
  };
  const unpack = (packed: Packed): unknown => {
    const id = packed.id ?? 0;
    switch (packed.t) {
      case 'function':
        return (...args: unknown[]) => {
          last += 1;
          const reply = last;
          send({ call: id, args: args.map(pack), reply });
          const answer = replies.get(reply);
          replies.delete(reply);
          if (answer === undefined) throw new Error('double: the other world gave no answer.');
          if (!answer.ok) throw unpack(answer.value);
          return unpack(answer.value);
        };
      case 'promise':
        return new Promise((resolve, reject) => settlers.set(id, { resolve, reject }));
      case 'error':
        return new Error(String(packed.value));
      case 'array':
        return (packed.items ?? []).map(unpack);
      case 'object':
        return Object.fromEntries((packed.entries ?? []).map(([name, member]) => [name, unpack(member)]));
      default:
        return packed.value;
    }
  };
  document.addEventListener(`double:${own}`, (event) => {
    const message = (event as CustomEvent<Message>).detail;
    const { call, args = [], reply, answered, settle, ok = false, value = { t: 'plain' } } = message;
    if (call !== undefined && reply !== undefined) {
      try {
        send({ answered: reply, ok: true, value: pack(functions.get(call)?.(...args.map(unpack))) });
      } catch (error) {
        send({ answered: reply, ok: false, value: pack(error instanceof Error ? error : new Error(String(error))) });
      }
    } else if (answered !== undefined) {
      replies.set(answered, { ok, value });
    } else if (settle !== undefined) {
      const settler = settlers.get(settle);
      settlers.delete(settle);
      if (ok) settler?.resolve(unpack(value));
      else settler?.reject(unpack(value));
    } else handle(message);
  });
  return { send, pack, unpack };
}

/** The page's world: what is exposed arrives here, frozen, and `window.open` becomes a question to main. */
export function mainWorld(make: typeof makeBridge): void {
  if (window !== window.top) return;
  const bridge: WorldBridge = make('main', 'isolated', (message) => {
    const freeze = (value: unknown): unknown => {
      if (typeof value === 'object' && value !== null) Object.values(Object.freeze(value)).forEach(freeze);
      return value;
    };
    const { expose, value } = message;
    if (expose === undefined || value === undefined) return;
    Object.defineProperty(window, expose, { value: freeze(bridge.unpack(value)), enumerable: true });
  });
  window.open = (url) => {
    bridge.send({ open: new URL(String(url ?? 'about:blank'), location.href).href });
    return null;
  };
}

/** The preload's world: a `require` that knows electron alone, and the one line to main. */
export function preloadWorld(
  make: typeof makeBridge,
  encodeValue: (value: unknown) => string,
  decodeText: (text: string) => unknown,
  preload: (require: (id: string) => unknown, module: { exports: object }, exports: object) => void,
): void {
  if (window !== window.top) return;
  const scope = globalThis as unknown as Record<string, unknown>;
  const post = scope['doubleWire'] as (text: string) => void;
  delete scope['doubleWire'];
  const tell = (message: unknown): void => post(encodeValue(message));
  const bridge = make('isolated', 'main', (message) => tell({ kind: 'open', url: message.open }));
  // Chromium would ask to open an external program for these, and take no input from then on.
  const navigation = (window as unknown as { navigation: EventTarget }).navigation;
  navigation.addEventListener(
    'navigate',
    (event) => {
      const { url } = (event as unknown as { destination: { url: string } }).destination;
      if (/^(https?|about|blob|data|javascript):/.test(url)) return;
      event.preventDefault();
      tell({ kind: 'navigate', url });
    },
    { capture: true },
  );

  type Listener = (event: object, ...args: unknown[]) => void;
  const listeners = new Map<string, Listener[]>();
  const pending = new Map<number, { resolve(value: unknown): void; reject(error: Error): void }>();
  let last = 0;
  scope['doubleDeliver'] = (text: string) => {
    const message = decodeText(text) as { kind: string; id: number; ok: boolean; value: unknown; channel: string; args: unknown[] };
    if (message.kind === 'event') {
      for (const listener of listeners.get(message.channel) ?? []) listener({}, ...message.args);
      return;
    }
    const waiting = pending.get(message.id);
    pending.delete(message.id);
    if (message.ok) waiting?.resolve(message.value);
    else waiting?.reject(new Error(String(message.value)));
  };
  class IpcRenderer {
    invoke(channel: string, ...args: unknown[]): Promise<unknown> {
      last += 1;
      const id = last;
      tell({ kind: 'invoke', id, channel, args });
      return new Promise((resolve, reject) => pending.set(id, { resolve, reject }));
    }
    on(channel: string, listener: Listener): this {
      listeners.set(channel, [...(listeners.get(channel) ?? []), listener]);
      return this;
    }
    off(channel: string, listener: Listener): this {
      listeners.set(
        channel,
        (listeners.get(channel) ?? []).filter((other) => other !== listener),
      );
      return this;
    }
  }
  const contextBridge = {
    exposeInMainWorld(key: string, api: unknown) {
      bridge.send({ expose: key, value: bridge.pack(api) });
    },
  };
  const electron = { contextBridge, ipcRenderer: new IpcRenderer() };
  const module = { exports: {} };
  preload(
    (id) => {
      if (id === 'electron' || id === 'electron/renderer') return electron;
      throw new Error(`module not found: ${id}`);
    },
    module,
    module.exports,
  );
}

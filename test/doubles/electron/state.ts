import { EventEmitter } from 'node:events';
import type { Browser } from './cdp.ts';
import type { BrowserWindow } from './window.ts';

export type Handler = (event: object, ...args: unknown[]) => unknown;

/** What the modules of the double share, and what tests look at through `double`. */
export const state = {
  browser: null as Browser | null,
  isReady: false,
  schemes: new Map<string, Record<string, boolean>>(),
  protocolHandlers: new Map<string, (request: Request) => Response | Promise<Response>>(),
  ipcHandlers: new Map<string, Handler>(),
  permissionRequest: null as ((contents: object, permission: string, answer: (granted: boolean) => void, details: object) => void) | null,
  permissionCheck: null as ((contents: object, permission: string, origin: string, details: object) => boolean) | null,
  windows: [] as BrowserWindow[],
  /** Calls that would have left the application. */
  recorded: { openedUrls: [] as string[], errorBoxes: [] as { title: string; body: string }[], notifications: [] as object[], trays: 0 },
  onWindowClosed: (): void => undefined,
};

const quiet = new Set(['then', 'toJSON', 'asymmetricMatch', 'nodeType', '$$typeof']);

/** Objects whose missing members throw instead of being undefined. */
export function loud<Value extends object>(name: string, value: Value): Value {
  return new Proxy(value, {
    get(target, property, receiver) {
      if (property in target || typeof property === 'symbol' || quiet.has(property)) return Reflect.get(target, property, receiver);
      throw new Error(`double: ${name}.${property} is not played.`);
    },
  });
}

/** The same for emitters: the proxy stands at the end of the prototype chain, where it does not break private fields. */
export class LoudEmitter extends EventEmitter {}
Object.setPrototypeOf(
  LoudEmitter.prototype,
  new Proxy(EventEmitter.prototype, {
    get(target, property, receiver) {
      if (property in target || typeof property === 'symbol' || quiet.has(property)) return Reflect.get(target, property, receiver);
      throw new Error(`double: ${property} is not played.`);
    },
  }),
);

/** An event that can be prevented. */
export function preventable<Extra extends object>(extra: Extra): Extra & { defaultPrevented: boolean; preventDefault(): void } {
  const event = {
    ...extra,
    defaultPrevented: false,
    preventDefault() {
      event.defaultPrevented = true;
    },
  };
  return event;
}

import type { Bridge } from '../../preload/contract/bridge.ts';
import type { ConnectedBridge } from './connectedBridge.ts';

declare global {
  interface Window {
    /** Put there by the preload in Electron, absent in a browser. */
    readonly maitre?: Bridge;
  }
}

/** The bridge of Electron's preload, or null where there is none. */
export function electronBridge(): ConnectedBridge | null {
  return window.maitre ?? null;
}

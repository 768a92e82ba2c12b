import { createContext, useContext } from 'react';
import type { ConnectedBridge } from './connectedBridge.ts';

export const BridgeContext = createContext<ConnectedBridge | null>(null);

/** The host's commands. Everything that a component does goes through here or through a store. */
export function useBridge(): ConnectedBridge {
  const bridge = useContext(BridgeContext);
  if (bridge === null) throw new Error('No bridge: the component stands outside BridgeContext.');
  return bridge;
}

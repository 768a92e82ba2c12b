import type { Bridge } from '../../preload/contract/bridge.ts';

export type ConnectionState = 'connected' | 'reconnecting' | 'refused';

/** A bridge whose line to the host can break. Electron's never does, so there `connection` is absent. */
export interface ConnectedBridge extends Bridge {
  connection?: {
    current(): ConnectionState;
    /** Returns the function that ends it. */
    on(listener: (state: ConnectionState) => void): () => void;
  };
}

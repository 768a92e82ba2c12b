import { createStore, type StoreApi } from 'zustand/vanilla';
import type { Settings } from '../../preload/contract/settings.ts';
import type { Result } from '../../preload/contract/result.ts';
import type { ConnectedBridge } from '../bridge/connectedBridge.ts';
import { newCommandId } from '../bridge/newCommandId.ts';
import type { Mirror } from './mirror.ts';

export interface SettingsStore extends Mirror {
  /** Null until the host has answered. */
  store: StoreApi<{ settings: Settings | null }>;
  /** Shown at once, taken back when the host refuses. */
  set(patch: Partial<Settings>): Promise<Result<unknown>>;
}

export function createSettingsStore(bridge: ConnectedBridge): SettingsStore {
  const store = createStore<{ settings: Settings | null }>(() => ({ settings: null }));
  return {
    store,
    load: ({ settings }) => store.setState({ settings }),
    apply(message) {
      if (message.topic === 'settings' && message.event.type === 'settings.changed') store.setState({ settings: message.event.settings });
    },
    async set(patch) {
      const before = store.getState().settings;
      if (before !== null) store.setState({ settings: { ...before, ...patch } });
      const result = await bridge.invoke('settings.set', { commandId: newCommandId(), patch });
      store.setState({ settings: result.ok ? result.value.settings : before });
      return result;
    },
  };
}

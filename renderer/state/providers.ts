import { createStore, type StoreApi } from 'zustand/vanilla';
import type { SettingsEvent } from '../../preload/contract/events.ts';
import type { Provider } from '../../preload/contract/models.ts';
import type { Mirror } from './mirror.ts';

export interface ProvidersState {
  providers: readonly Provider[];
}

/** Providers travel on the topic of the settings; its other events change nothing here. */
export function reduceProviders(state: ProvidersState, event: SettingsEvent): ProvidersState {
  switch (event.type) {
    case 'provider.changed': {
      const known = state.providers.some((provider) => provider.id === event.provider.id);
      return {
        providers: known
          ? state.providers.map((provider) => (provider.id === event.provider.id ? event.provider : provider))
          : [...state.providers, event.provider],
      };
    }
    case 'provider.removed':
      return { providers: state.providers.filter((provider) => provider.id !== event.providerId) };
    case 'settings.changed':
    case 'keychain.changed':
      return state;
  }
}

export interface ProvidersStore extends Mirror {
  store: StoreApi<ProvidersState>;
}

export function createProvidersStore(): ProvidersStore {
  const store = createStore<ProvidersState>(() => ({ providers: [] }));
  return {
    store,
    load: ({ providers }) => store.setState({ providers }),
    apply(message) {
      if (message.topic === 'settings') store.setState((state) => reduceProviders(state, message.event));
    },
  };
}

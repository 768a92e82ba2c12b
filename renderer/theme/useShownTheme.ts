import { useSyncExternalStore } from 'react';
import { useStore } from 'zustand';
import { useStores } from '../state/storesContext.tsx';

const query = '(prefers-color-scheme: dark)';

const subscribe = (listener: () => void) => {
  const media = window.matchMedia(query);
  media.addEventListener('change', listener);
  return () => media.removeEventListener('change', listener);
};

/** The theme that is seen: the person's choice, else the system's. */
export function useShownTheme(): 'light' | 'dark' {
  const { settings } = useStores();
  const chosen = useStore(settings.store, (state) => state.settings?.theme ?? 'system');
  const isDark = useSyncExternalStore(subscribe, () => window.matchMedia(query).matches);
  return chosen === 'system' ? (isDark ? 'dark' : 'light') : chosen;
}

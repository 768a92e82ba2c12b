import { useEffect, useRef } from 'react';
import { matchesKeys } from '../ui/keys.ts';

/** Keys of the whole window, such as `Mod+K`. A component that has handled the key has prevented its default before. */
export function useShortcuts(shortcuts: Readonly<Record<string, () => void>>): void {
  const latest = useRef(shortcuts);
  useEffect(() => {
    latest.current = shortcuts;
  });
  useEffect(() => {
    const press = (event: KeyboardEvent) => {
      if (event.defaultPrevented) return;
      for (const [keys, run] of Object.entries(latest.current)) {
        if (!matchesKeys(event, keys)) continue;
        event.preventDefault();
        run();
        return;
      }
    };
    window.addEventListener('keydown', press);
    return () => window.removeEventListener('keydown', press);
  }, []);
}

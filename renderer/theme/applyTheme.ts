import type { Settings } from '../../preload/contract/settings.ts';

/** Sets the attribute that overrides the system's scheme; without it the system decides. */
export function applyTheme(theme: Settings['theme'], root: HTMLElement = document.documentElement): void {
  if (theme === 'system') delete root.dataset['theme'];
  else root.dataset['theme'] = theme;
}

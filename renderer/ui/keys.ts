/** True where Command takes the place of Control. */
export const isMac = typeof navigator !== 'undefined' && /^Mac|^iP/.test(navigator.platform);

const macSigns: Record<string, string> = { Mod: '⌘', Shift: '⇧', Enter: '↵', Escape: 'Esc', ArrowUp: '↑', ArrowDown: '↓' };
const otherSigns: Record<string, string> = { Mod: 'Ctrl', Escape: 'Esc', ArrowUp: '↑', ArrowDown: '↓' };

/** `Mod+Shift+K` as a person of this system writes it. */
export function keysText(keys: string, mac = isMac): string {
  const signs = mac ? macSigns : otherSigns;
  return keys
    .split('+')
    .map((key) => signs[key] ?? key)
    .join(mac ? '' : ' ');
}

/** Whether the event is exactly this chord: `Mod+Enter`, `Escape`, `Mod+,`. Never while an input method composes. */
export function matchesKeys(event: KeyboardEvent | React.KeyboardEvent, keys: string, mac = isMac): boolean {
  const native = 'nativeEvent' in event ? event.nativeEvent : event;
  if (native.isComposing) return false;
  const parts = keys.split('+');
  const key = parts.at(-1) ?? '';
  const mod = parts.includes('Mod');
  return (
    native.key.toLowerCase() === key.toLowerCase() &&
    (mac ? native.metaKey : native.ctrlKey) === mod &&
    !(mac ? native.ctrlKey : native.metaKey) &&
    !native.altKey &&
    (native.shiftKey === parts.includes('Shift') || key === '/' || key === '?')
  );
}

import { keysText } from './keys.ts';

/** A key hint: `Mod+K` is shown as the system writes it. */
export function Kbd({ keys }: { keys: string }) {
  return (
    <kbd className="shrink-0 rounded-[4px] border border-line px-1 font-ui text-caption whitespace-nowrap text-ink-3">{keysText(keys)}</kbd>
  );
}

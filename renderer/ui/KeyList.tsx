import { useTranslation } from 'react-i18next';
import { Kbd } from './Kbd.tsx';

/** Every key of the window, in the order of use: the one list behind the settings page and the overlay. */
const keyList = [
  ['Mod+N', 'keys.newChat'],
  ['Mod+K', 'keys.palette'],
  ['Mod+B', 'keys.sidebar'],
  ['Mod+,', 'keys.settings'],
  ['Mod+/', 'keys.list'],
  ['F6', 'keys.regions'],
  ['Enter', 'keys.send'],
  ['Shift+Enter', 'keys.line'],
  ['@', 'keys.attach'],
  ['/', 'keys.prompt'],
  ['ArrowUp', 'keys.editLast'],
  ['Mod+.', 'keys.stop'],
  ['Mod+J', 'keys.approval'],
  ['Mod+Enter', 'keys.allow'],
  ['Escape', 'keys.escape'],
] as const;

export function KeyList() {
  const { t } = useTranslation('app');
  return (
    <dl className="flex flex-col">
      {keyList.map(([keys, text]) => (
        <div key={keys} className="flex min-h-9 items-center justify-between gap-4 py-1">
          <dt className="min-w-0 text-ui text-ink">{t(text)}</dt>
          <dd>
            <Kbd keys={keys} />
          </dd>
        </div>
      ))}
    </dl>
  );
}

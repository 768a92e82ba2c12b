import { TextSearch } from 'lucide-react';
import { useTranslation } from 'react-i18next';
import type { Hint } from '../../preload/contract/definitions.ts';
import { VisibleText } from './VisibleText.tsx';

/** Hints on a server's text: what stands there, and why one might look. They decide nothing, and say so. */
export function HintList({ hints, showPlace = false }: { hints: readonly Hint[]; showPlace?: boolean }) {
  const { t } = useTranslation('app');
  if (hints.length === 0) return null;
  return (
    <div data-hints data-outline className="rounded-control bg-write-soft px-3 py-2 text-ui text-ink">
      <ul className="flex flex-col gap-2">
        {hints.map((hint, index) => (
          <li key={index} className="flex items-start gap-2">
            <TextSearch size={16} aria-hidden className="mt-0.5 shrink-0 text-write" />
            <span className="min-w-0 flex-1 wrap-anywhere">
              <span className="text-write">
                <VisibleText text={t(`hint.${hint.kind}`, { server: hint.serverName ?? '' })} />
              </span>
              {showPlace ? (
                <span className="text-caption text-ink-2">
                  {' '}
                  · <VisibleText text={hint.at} />
                </span>
              ) : null}
              <code className="mt-0.5 block text-ui text-ink-2">
                <VisibleText text={hint.excerpt} />
              </code>
            </span>
          </li>
        ))}
      </ul>
      <p className="mt-2 text-caption text-ink-2">{t('hint.what')}</p>
    </div>
  );
}

import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { CopyButton } from './CopyButton.tsx';

/** Sunken code with its language and Copy. `children` are coloured pieces of the same text, where there are any. */
export function CodeBlock({ code, language, children }: { code: string; language?: string; children?: ReactNode }) {
  const { t } = useTranslation('app');
  return (
    <div data-outline className="overflow-hidden rounded-card bg-sunken">
      <div className="flex h-8 items-center justify-between pr-1 pl-3 text-caption text-ink-3">
        <span className="truncate">{language === undefined || language === '' ? t('code') : language}</span>
        <CopyButton text={() => code} label={t('copyCode')} />
      </div>
      <pre tabIndex={0} aria-label={t('code')} className="overflow-x-auto px-3 pb-3 text-ui">
        <code>{children ?? code}</code>
      </pre>
    </div>
  );
}

import { ChevronLeft } from 'lucide-react';
import { useTranslation } from 'react-i18next';
import type { ServersPlace } from './place.ts';

export function BackLink({ go }: { go(place: ServersPlace): void }) {
  const { t } = useTranslation('servers');
  return (
    <button
      type="button"
      className="-ml-1 mb-2 inline-flex min-h-7 items-center gap-1 self-start rounded-control pr-2 text-ui text-ink-2 hover:text-ink"
      onClick={() => go({ kind: 'list' })}
    >
      <ChevronLeft size={16} aria-hidden />
      {t('page.back')}
    </button>
  );
}

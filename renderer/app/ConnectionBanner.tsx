import { Unplug } from 'lucide-react';
import { useTranslation } from 'react-i18next';
import { useStore } from 'zustand';
import { useStores } from '../state/storesContext.tsx';

/** Says that the line to the host is broken, while it is. */
export function ConnectionBanner() {
  const { t } = useTranslation('app');
  const { app } = useStores();
  const connection = useStore(app.store, (state) => state.connection);
  return (
    <div role="status">
      {connection === 'connected' ? null : (
        <p className="flex animate-late items-center justify-center gap-2 bg-write-soft px-4 py-2 text-ui text-write">
          <Unplug size={16} aria-hidden className="shrink-0" />
          {connection === 'reconnecting' ? t('reconnecting') : t('refused')}
        </p>
      )}
    </div>
  );
}

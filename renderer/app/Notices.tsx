import { X } from 'lucide-react';
import { useTranslation } from 'react-i18next';
import { useStore } from 'zustand';
import { useStores } from '../state/storesContext.tsx';
import { IconButton } from '../ui/IconButton.tsx';
import { InlineError } from '../ui/InlineError.tsx';

/** Failures without a place of their own. They stay until they are read and sent away. */
export function Notices() {
  const { t } = useTranslation('app');
  const { notices } = useStores();
  const list = useStore(notices.store, (state) => state.notices);
  if (list.length === 0) return null;
  return (
    <div className="fixed right-4 bottom-4 z-50 flex w-[min(400px,calc(100vw-32px))] flex-col gap-2">
      {list.map((notice) => (
        <div key={notice.id} className="rounded-control border border-line shadow-float">
          <InlineError
            message={notice.message}
            detail={notice.detail}
            action={<IconButton small label={t('dismiss')} icon={<X size={16} aria-hidden />} onClick={() => notices.dismiss(notice.id)} />}
          />
        </div>
      ))}
    </div>
  );
}

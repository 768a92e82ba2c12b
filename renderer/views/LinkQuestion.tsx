import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Button } from '../ui/Button.tsx';
import { useArmed } from '../ui/useArmed.ts';
import { VisibleText } from '../ui/VisibleText.tsx';

/**
 * A view wants an address to be opened. It chooses the moment, and the question comes where the view was: a press that was meant for the view
 * opens nothing, and begins the wait anew.
 */
export function LinkQuestion({ url, host, onAnswer }: { url: string; host: string; onAnswer(open: boolean): void }) {
  const { t } = useTranslation('views');
  const [presses, setPresses] = useState(0);
  const armed = useArmed(presses);
  return (
    <div role="alert" className="mx-2 mb-2 flex flex-wrap items-center gap-2 rounded-control bg-sunken px-3 py-2">
      <p className="min-w-40 flex-1 wrap-anywhere">
        {t('wantsToOpen', { host })}{' '}
        <code className="text-caption text-ink-2">
          <VisibleText text={url} />
        </code>
      </p>
      <Button
        aria-disabled={!armed}
        className={armed ? undefined : 'opacity-50'}
        onClick={() => (armed ? onAnswer(true) : setPresses(presses + 1))}
      >
        {t('open')}
      </Button>
      <Button kind="quiet" onClick={() => onAnswer(false)}>
        {t('dontOpen')}
      </Button>
    </div>
  );
}

import { CircleAlert } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { VisibleText } from './VisibleText.tsx';

/**
 * An error in the place where it happened: the sentence, what to do, and the technical part one click away. Both may quote a server.
 */
export function InlineError({ message, detail, action }: { message: ReactNode; detail?: string | undefined; action?: ReactNode }) {
  const { t } = useTranslation('app');
  const [open, setOpen] = useState(false);
  return (
    <div role="alert" data-outline className="rounded-control bg-danger-soft px-3 py-2 text-ui text-danger">
      <div className="flex flex-wrap items-center gap-2">
        <CircleAlert size={16} aria-hidden className="shrink-0" />
        <p className="min-w-40 flex-1 wrap-anywhere">{typeof message === 'string' ? <VisibleText text={message} /> : message}</p>
        {detail === undefined ? null : (
          <button
            type="button"
            aria-expanded={open}
            className="min-h-7 shrink-0 underline underline-offset-2"
            onClick={() => setOpen(!open)}
          >
            {open ? t('hideDetail') : t('showDetail')}
          </button>
        )}
        {action}
      </div>
      {open && detail !== undefined ? (
        <pre tabIndex={0} className="mt-2 max-h-60 overflow-auto text-ui wrap-anywhere whitespace-pre-wrap">
          <VisibleText text={detail} />
        </pre>
      ) : null}
    </div>
  );
}

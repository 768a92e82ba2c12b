import { X } from 'lucide-react';
import { type ReactNode, useEffect, useId, useRef } from 'react';
import { useTranslation } from 'react-i18next';
import { IconButton } from './IconButton.tsx';
import { VisibleText } from './VisibleText.tsx';

/**
 * A form over the message field. Title and description are a server's words. It takes the focus when it comes; Escape closes it and
 * decides nothing.
 */
export function ComposerPanel({
  title,
  by,
  description,
  onClose,
  footer,
  children,
}: {
  title: string;
  /** The server whose words these are. */
  by: string;
  description?: string | undefined;
  onClose(): void;
  footer?: ReactNode;
  children: ReactNode;
}) {
  const { t } = useTranslation('app');
  const titleId = useId();
  const panel = useRef<HTMLElement>(null);
  useEffect(() => {
    // A field of the form that wants the focus has it by now.
    if (panel.current?.contains(document.activeElement) === false) panel.current.focus();
  }, []);
  return (
    <section
      ref={panel}
      tabIndex={-1}
      aria-labelledby={titleId}
      data-panel
      className="flex max-h-[min(480px,60vh)] animate-appear flex-col overflow-hidden rounded-dialog border border-line bg-surface shadow-float outline-none"
      onKeyDown={(event) => {
        if (event.key !== 'Escape' || event.defaultPrevented || event.nativeEvent.isComposing) return;
        event.preventDefault();
        event.stopPropagation();
        onClose();
      }}
    >
      <div className="flex items-start gap-2 px-4 pt-3">
        <div className="min-w-0 flex-1">
          <h2 id={titleId} className="text-title wrap-anywhere">
            <VisibleText text={title} />
          </h2>
          <p className="text-caption wrap-anywhere text-ink-3">
            <VisibleText text={description === undefined || description === '' ? by : `${by} · ${description}`} />
          </p>
        </div>
        <IconButton small label={t('close')} icon={<X size={16} aria-hidden />} onClick={onClose} />
      </div>
      <div className="flex min-h-0 flex-1 flex-col gap-3 overflow-auto px-4 py-3">{children}</div>
      {footer === undefined ? null : <div className="flex flex-wrap justify-end gap-2 border-t border-line px-4 py-3">{footer}</div>}
    </section>
  );
}

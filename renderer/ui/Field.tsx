import { type ReactNode, useId } from 'react';

/** Label, hint and error of one control, tied together for assistive technology. */
export function Field({
  label,
  hint,
  error,
  children,
}: {
  label: ReactNode;
  hint?: ReactNode;
  error?: string | undefined;
  children(ids: { id: string; 'aria-describedby'?: string; 'aria-invalid'?: true }): ReactNode;
}) {
  const id = useId();
  const described = [hint === undefined ? '' : `${id}-hint`, error === undefined ? '' : `${id}-error`].filter(Boolean).join(' ');
  return (
    <div className="flex min-w-0 flex-col gap-1">
      <label htmlFor={id} className="text-label text-ink">
        {label}
      </label>
      {children({
        id,
        ...(described === '' ? {} : { 'aria-describedby': described }),
        ...(error === undefined ? {} : { 'aria-invalid': true as const }),
      })}
      {hint === undefined ? null : (
        <p id={`${id}-hint`} className="text-caption text-ink-3">
          {hint}
        </p>
      )}
      {error === undefined ? null : (
        <p id={`${id}-error`} role="alert" className="text-caption wrap-anywhere text-danger">
          {error}
        </p>
      )}
    </div>
  );
}

export const controlClasses =
  'w-full min-w-0 rounded-control border border-line-strong bg-surface px-3 text-ui text-ink disabled:opacity-50 aria-invalid:border-danger';

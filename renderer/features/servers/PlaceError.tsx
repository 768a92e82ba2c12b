import type { RefObject } from 'react';
import { useTranslation } from 'react-i18next';
import type { Failure } from '../../../preload/contract/result.ts';
import { Button } from '../../ui/Button.tsx';
import { FailureNote } from '../../ui/FailureNote.tsx';
import { lineAt, offsetOf } from './textPlace.ts';

/** What is wrong with a typed text, with the line it stands on and a way there. */
export function PlaceError({
  failure,
  text,
  area,
}: {
  failure: Failure | undefined;
  text: string;
  area: RefObject<HTMLTextAreaElement | null>;
}) {
  const { t } = useTranslation('servers');
  if (failure === undefined) return null;
  const { at } = failure;
  if (at === undefined) return <FailureNote failure={failure} />;
  const goTo = () => {
    const field = area.current;
    if (field === null) return;
    const offset = offsetOf(field.value, at);
    field.focus();
    field.setSelectionRange(offset, Math.min(offset + 1, field.value.length));
    // A text area shows its caret by itself only while typing.
    const lineHeight = Number.parseFloat(getComputedStyle(field).lineHeight);
    field.scrollTo({ top: Math.max(0, (at.line - 3) * lineHeight) });
  };
  const line = lineAt(text, at.line);
  const from = Math.max(0, at.column - 41);
  return (
    <div className="flex flex-col gap-1">
      <FailureNote failure={failure} action={<Button onClick={goTo}>{t('paste.goTo')}</Button>} />
      {line.trim() === '' ? null : (
        <pre data-outline className="overflow-hidden rounded-control bg-sunken px-3 py-2 text-ui wrap-anywhere whitespace-pre-wrap">
          <span className="mr-3 text-caption text-ink-3 tabular-nums select-none">{at.line}</span>
          {line.slice(from, at.column - 1)}
          <mark className="bg-danger-soft text-danger underline decoration-wavy underline-offset-4">
            {line.charAt(at.column - 1) || ' '}
          </mark>
          {line.slice(at.column, at.column + 40)}
        </pre>
      )}
    </div>
  );
}

import { type ReactNode, useId, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { type CompletionQuery, useCompletion } from '../bridge/useCompletion.ts';
import { type Choice, choiceElementId, ChoiceList, movedChoice } from './ChoiceList.tsx';
import { controlClasses, Field } from './Field.tsx';

/** A text field for which a server makes suggestions while the focus is in it. They are never more than suggestions. */
export function CompletedField({
  label,
  hint,
  error,
  value,
  onChange,
  query,
  autoFocus = false,
  required = false,
}: {
  label: string;
  hint?: ReactNode;
  error?: string | undefined;
  value: string;
  onChange(value: string): void;
  /** What to ask the server for the present value. */
  query: CompletionQuery;
  autoFocus?: boolean;
  required?: boolean;
}) {
  const { t } = useTranslation('attachments');
  const listId = useId();
  const [open, setOpen] = useState(false);
  /** The chosen one by its words: the list may change under it. */
  const [chosen, setChosen] = useState<string | null>(null);
  const { values, hasMore } = useCompletion(open ? query : null);
  // What stands in the field already is no suggestion.
  const shown = values.filter((each) => each !== value);
  const choices = shown.map((each): Choice => ({ id: each, label: each }));
  const active = chosen === null ? -1 : shown.indexOf(chosen);
  const setActive = (index: number) => setChosen(shown[index] ?? null);
  const listed = open && choices.length > 0;
  const choose = (index: number) => {
    const value = shown[index];
    if (value === undefined) return;
    onChange(value);
    setOpen(false);
    setChosen(null);
  };
  return (
    <div className="relative">
      <Field label={label} hint={hint} error={error}>
        {(ids) => (
          <input
            type="text"
            role="combobox"
            spellCheck={false}
            autoComplete="off"
            aria-autocomplete="list"
            aria-expanded={listed}
            aria-controls={listed ? listId : undefined}
            aria-activedescendant={listed && active >= 0 ? choiceElementId(listId, active) : undefined}
            autoFocus={autoFocus}
            required={required}
            className={`${controlClasses} h-8`}
            value={value}
            onChange={(event) => {
              onChange(event.target.value);
              setOpen(true);
            }}
            onFocus={() => setOpen(true)}
            onBlur={() => setOpen(false)}
            onKeyDown={(event) => {
              if (event.nativeEvent.isComposing) return;
              if (event.key === 'ArrowDown' && !open) {
                event.preventDefault();
                setOpen(true);
                return;
              }
              if (!listed) return;
              const next = movedChoice(event.key, active, shown.length);
              if (next !== null) {
                event.preventDefault();
                setActive(next);
              } else if (event.key === 'Enter' && active >= 0) {
                event.preventDefault();
                choose(active);
              } else if (event.key === 'Escape') {
                event.preventDefault();
                event.stopPropagation();
                setOpen(false);
              }
            }}
            {...ids}
          />
        )}
      </Field>
      {listed ? (
        <div className="mt-1 rounded-control border border-line bg-surface">
          <ChoiceList
            id={listId}
            label={t('suggestions', { name: label })}
            choices={choices}
            active={active}
            onActive={setActive}
            onChoose={choose}
            className="max-h-40"
          />
          {hasMore ? <p className="border-t border-line px-3 py-1 text-caption text-ink-3">{t('moreSuggestions')}</p> : null}
        </div>
      ) : null}
    </div>
  );
}

import { useId, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { classes } from '../../ui/classes.ts';
import { controlClasses } from '../../ui/Field.tsx';
import { wholeNumber } from './wholeNumber.ts';

/** A whole number within bounds. It is saved when the field is left or Enter is pressed; what does not fit stays in the field with the reason. */
export function NumberField({
  label,
  hint,
  unit,
  value,
  min,
  max,
  onSave,
}: {
  label: string;
  hint: string;
  unit: string;
  value: number;
  min: number;
  max: number;
  onSave(value: number): void;
}) {
  const { t } = useTranslation('settings');
  const id = useId();
  /** What is being typed; null while the field shows the value that holds. */
  const [typed, setTyped] = useState<string | null>(null);
  const [wrong, setWrong] = useState(false);
  const save = () => {
    if (typed === null) return;
    const number = wholeNumber(typed, min, max);
    setWrong(number === null);
    if (number === null) return;
    setTyped(null);
    if (number !== value) onSave(number);
  };
  return (
    <div className="flex flex-wrap items-center gap-x-4 gap-y-2 px-4 py-3">
      <div className="min-w-0 flex-1 basis-52">
        <label htmlFor={id} className="text-label">
          {label}
        </label>
        <p id={`${id}-hint`} className="text-caption text-ink-3">
          {hint}
        </p>
        {wrong ? (
          <p id={`${id}-error`} role="alert" className="text-caption text-danger">
            {t('general.notInRange', { min, max })}
          </p>
        ) : null}
      </div>
      <div className="flex items-center gap-2">
        <input
          id={id}
          type="text"
          inputMode="numeric"
          autoComplete="off"
          aria-describedby={wrong ? `${id}-hint ${id}-error` : `${id}-hint`}
          aria-invalid={wrong || undefined}
          className={classes(controlClasses, 'h-8 max-w-20 text-right tabular-nums')}
          value={typed ?? String(value)}
          onChange={(event) => setTyped(event.target.value)}
          onBlur={save}
          onKeyDown={(event) => {
            if (event.key === 'Enter') save();
          }}
        />
        <span aria-hidden className="w-14 text-ui text-ink-3">
          {unit}
        </span>
      </div>
    </div>
  );
}

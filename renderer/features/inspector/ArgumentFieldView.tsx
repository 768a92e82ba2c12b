import { useTranslation } from 'react-i18next';
import type { FormValue } from '../../forms/formField.ts';
import { FieldLabel, FormFieldView } from '../../forms/FormFieldView.tsx';
import { useProblemText } from '../../forms/useProblemText.ts';
import { TextArea } from '../../ui/TextArea.tsx';
import { VisibleText } from '../../ui/VisibleText.tsx';
import type { FieldRow } from './writtenArguments.ts';

/** One argument of a tool. Its description is the server's words, shown as plain text. */
export function ArgumentFieldView({
  row,
  idOf,
  checked,
  onChange,
}: {
  row: FieldRow;
  /** Of the element around a row, by which its first control is found. */
  idOf(row: FieldRow): string;
  /** Problems are said. */
  checked: boolean;
  onChange(row: FieldRow, value: FormValue): void;
}) {
  const { t } = useTranslation('inspector');
  const problemText = useProblemText();
  const { field, value } = row;
  const problem = checked ? row.problem : undefined;
  if (field.kind === 'group') {
    return (
      <fieldset id={idOf(row)} className="flex min-w-0 flex-col gap-3 border-l-2 border-line pl-3">
        <legend className="text-label">
          <FieldLabel field={field} />
        </legend>
        {field.description === undefined ? null : (
          <p className="text-caption text-ink-3">
            <VisibleText text={field.description} />
          </p>
        )}
        {row.rows.map((inner) => (
          <ArgumentFieldView key={inner.key} row={inner} idOf={idOf} checked={checked} onChange={onChange} />
        ))}
      </fieldset>
    );
  }
  const text = typeof value === 'string' ? value : '';
  const isFree = field.kind === 'list' || field.kind === 'json' || (field.kind === 'text' && field.format === undefined);
  const manner = field.kind === 'list' ? t('try.onePerLine') : field.kind === 'json' ? t('try.asJson') : undefined;
  const hint = (
    <>
      {field.description === undefined ? null : <VisibleText text={field.description} />} {manner}
    </>
  );
  return (
    <div id={idOf(row)}>
      {isFree ? (
        <TextArea
          label={<FieldLabel field={field} />}
          hint={field.description === undefined && manner === undefined ? undefined : hint}
          error={problem === undefined ? undefined : problemText(problem)}
          mono={field.kind === 'json'}
          // An input of one line would drop line ends.
          rows={field.kind === 'text' && !text.includes('\n') && text.length <= 120 ? 1 : Math.min(8, text.split('\n').length + 1)}
          value={text}
          onChange={(next) => onChange(row, next)}
        />
      ) : (
        <FormFieldView
          field={field}
          value={value}
          problem={problem}
          {...(field.required ? {} : { unset: t('try.leftOut') })}
          onChange={(next) => onChange(row, next)}
        />
      )}
    </div>
  );
}

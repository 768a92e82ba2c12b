import { useTranslation } from 'react-i18next';
import { Checkbox } from '../ui/Checkbox.tsx';
import { Select } from '../ui/Select.tsx';
import { TextField } from '../ui/TextField.tsx';
import { VisibleText } from '../ui/VisibleText.tsx';
import type { FieldCommon, FieldProblem, FormField, FormValue } from './formField.ts';
import { useProblemText } from './useProblemText.ts';

const inputTypes = { email: 'email', uri: 'url', date: 'date', 'date-time': 'text' } as const;

/** The server's word for a field, and whether it must be filled in. */
export function FieldLabel({ field }: { field: FieldCommon }) {
  return (
    <>
      <VisibleText text={field.label} />
      {field.required ? ' *' : null}
    </>
  );
}

/** One field of a server's form. Its labels are the server's words, shown as plain text. */
export function FormFieldView({
  field,
  value,
  problem,
  told,
  secret = false,
  unset,
  onChange,
}: {
  field: FormField;
  value: FormValue | undefined;
  problem: FieldProblem | undefined;
  /** What the host says is wrong. */
  told?: string | undefined;
  /** It seems to ask for a secret: what is typed is not shown. */
  secret?: boolean;
  /** What a choice says when nothing is chosen. */
  unset?: string;
  onChange(value: FormValue): void;
}) {
  const { t } = useTranslation('forms');
  const problemText = useProblemText();
  const error = problem === undefined ? told : problemText(problem);
  const label = <FieldLabel field={field} />;
  const hint = field.description === undefined ? undefined : <VisibleText text={field.description} />;
  switch (field.kind) {
    case 'text':
      return (
        <TextField
          label={label}
          hint={hint}
          error={error}
          type={secret ? 'password' : field.format === undefined ? 'text' : inputTypes[field.format]}
          autoComplete={secret ? 'new-password' : 'off'}
          required={field.required}
          value={typeof value === 'string' ? value : ''}
          onChange={onChange}
        />
      );
    case 'number':
      return (
        <TextField
          label={label}
          hint={hint}
          error={error}
          inputMode={field.integer ? 'numeric' : 'decimal'}
          required={field.required}
          value={typeof value === 'string' ? value : ''}
          onChange={onChange}
        />
      );
    case 'boolean':
      return (
        <div>
          <Checkbox label={<VisibleText text={field.label} />} checked={value === true} onChange={onChange} />
          {hint === undefined ? null : <p className="text-caption text-ink-3">{hint}</p>}
          {error === undefined ? null : (
            <p role="alert" className="text-caption text-danger">
              {error}
            </p>
          )}
        </div>
      );
    case 'choice':
      return (
        <Select
          label={label}
          hint={hint}
          error={error}
          value={typeof value === 'string' ? value : ''}
          options={[{ value: '', label: unset ?? t('choose') }, ...field.choices]}
          onChange={onChange}
        />
      );
    case 'choices': {
      const chosen: readonly string[] = Array.isArray(value) ? value : [];
      return (
        <fieldset className="min-w-0">
          <legend className="text-label">{label}</legend>
          {field.choices.map((choice) => (
            <Checkbox
              key={choice.value}
              label={<VisibleText text={choice.label} />}
              checked={chosen.includes(choice.value)}
              onChange={(checked) => onChange(checked ? [...chosen, choice.value] : chosen.filter((each) => each !== choice.value))}
            />
          ))}
          {hint === undefined ? null : <p className="text-caption text-ink-3">{hint}</p>}
          {error === undefined ? null : (
            <p role="alert" className="text-caption text-danger">
              {error}
            </p>
          )}
        </fieldset>
      );
    }
  }
}

import { useTranslation } from 'react-i18next';
import { Checkbox } from '../../ui/Checkbox.tsx';
import { Select } from '../../ui/Select.tsx';
import { TextField } from '../../ui/TextField.tsx';
import { VisibleText } from '../../ui/VisibleText.tsx';
import type { FieldProblem, FormField, FormValue } from './elicitationForm.ts';

const inputTypes = { email: 'email', uri: 'url', date: 'date', 'date-time': 'text' } as const;

/** One field of a server's form. Its labels are the server's words, shown as plain text. */
export function FormFieldView({
  field,
  value,
  problem,
  told,
  secret,
  onChange,
}: {
  field: FormField;
  value: FormValue | undefined;
  problem: FieldProblem | undefined;
  /** What the host says is wrong. */
  told: string | undefined;
  /** It seems to ask for a secret: what is typed is not shown. */
  secret: boolean;
  onChange(value: FormValue): void;
}) {
  const { t } = useTranslation('approval');
  const error =
    problem === undefined
      ? told
      : problem.code === 'atLeast' || problem.code === 'atMost'
        ? t(`form.${problem.code}`, { limit: problem.limit })
        : problem.code === 'minLength' || problem.code === 'maxLength' || problem.code === 'minItems' || problem.code === 'maxItems'
          ? t(`form.${problem.code}`, { count: problem.limit })
          : t(`form.${problem.code}`);
  const label = field.required ? `${field.label} *` : field.label;
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
          options={[{ value: '', label: t('input.choose') }, ...field.choices]}
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

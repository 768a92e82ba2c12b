import { KeyRound } from 'lucide-react';
import { useId, useMemo, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { type FieldProblem, type FormField, type FormValue, type FormValues, problemOf } from '../../forms/formField.ts';
import { FormFieldView } from '../../forms/FormFieldView.tsx';
import { Button } from '../../ui/Button.tsx';
import { contentOf, initialValues, parseForm } from './elicitationForm.ts';
import { DeclineButtons, InputFrame, type InputPartProps, ServerWords, useInputAnswer } from './InputFrame.tsx';

/** A form of a server. What does not fit is said at its field, by this page at once and by the host in the end; the card stays. */
export function FormInput(props: InputPartProps) {
  const { input, titleId } = props;
  const { t } = useTranslation('approval');
  const fieldsId = useId();
  const answering = useInputAnswer(props);
  const form = useMemo(() => parseForm(input.schema ?? '{"properties":{}}'), [input.schema]);
  const fields: readonly FormField[] = form.ok ? form.fields : [];
  const secrets = input.secretFields ?? [];
  const [values, setValues] = useState<FormValues>(() => initialValues(fields, secrets));
  const [problems, setProblems] = useState<Readonly<Record<string, FieldProblem>>>({});
  /** Names of fields changed since the host spoke. */
  const [changed, setChanged] = useState<ReadonlySet<string>>(new Set());
  const told = new Map(answering.failure?.fields?.map(({ name, message }) => [name, message]));

  const accept = () => {
    const found = fields.flatMap((field) => {
      const problem = problemOf(field, values[field.name]);
      return problem === undefined ? [] : [[field.name, problem] as const];
    });
    setProblems(Object.fromEntries(found));
    setChanged(new Set());
    const first = found[0];
    if (first === undefined) return answering.accept({ content: contentOf(fields, values) });
    document.getElementById(`${fieldsId}-${first[0]}`)?.querySelector<HTMLElement>('input, select, textarea')?.focus();
  };
  const change = (name: string, value: FormValue) => {
    setValues((known) => ({ ...known, [name]: value }));
    setChanged((known) => new Set([...known, name]));
  };

  return (
    <InputFrame
      titleId={titleId}
      failure={answering.failure}
      note={
        secrets.length > 0 ? (
          <p className="flex gap-2 text-danger">
            <KeyRound size={16} aria-hidden className="mt-0.5 shrink-0" />
            <span className="min-w-0">{t('input.secretNote')}</span>
          </p>
        ) : fields.length > 0 ? (
          t('input.formNote')
        ) : undefined
      }
      onSubmit={() => {
        if (answering.ready && form.ok) accept();
      }}
      buttons={
        <>
          <DeclineButtons answering={answering} words={t('input.decline')} server={input.serverName} />
          <Button kind="primary" type="submit" disabled={!answering.ready || !form.ok}>
            {fields.length === 0 && form.ok ? t('input.confirm') : t('input.accept')}
          </Button>
        </>
      }
    >
      <ServerWords input={input} />
      {form.ok ? null : <p className="text-danger">{t('input.unreadable', { reason: form.reason })}</p>}
      {fields.map((field) => (
        <div key={field.name} id={`${fieldsId}-${field.name}`}>
          <FormFieldView
            field={field}
            value={values[field.name]}
            problem={problems[field.name]}
            told={changed.has(field.name) ? undefined : told.get(field.name)}
            secret={secrets.includes(field.name)}
            onChange={(value) => change(field.name, value)}
          />
        </div>
      ))}
    </InputFrame>
  );
}

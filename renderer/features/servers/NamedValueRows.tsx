import { Plus, X } from 'lucide-react';
import { useId } from 'react';
import { useTranslation } from 'react-i18next';
import { useStore } from 'zustand';
import { useStores } from '../../state/storesContext.tsx';
import type { NamedValue } from '../../state/newServer.ts';
import { Button } from '../../ui/Button.tsx';
import { Checkbox } from '../../ui/Checkbox.tsx';
import { classes } from '../../ui/classes.ts';
import { controlClasses } from '../../ui/Field.tsx';
import { IconButton } from '../../ui/IconButton.tsx';
import type { FormProblems } from './serverForm.ts';

/** Names that usually hold secrets are marked as such at once; the person may unmark them. */
const soundsSecret = (name: string) => /(token|key|secret|passw|auth|cookie|credential)/i.test(name);

/** Variables of the environment, or headers: a name, a value, and whether the value is a secret. */
export function NamedValueRows({
  kind,
  rows,
  problems,
  onChange,
}: {
  kind: 'env' | 'headers';
  rows: readonly NamedValue[];
  problems: FormProblems['rows'];
  onChange(rows: NamedValue[]): void;
}) {
  const { t } = useTranslation('servers');
  const { app } = useStores();
  const keychain = useStore(app.store, (state) => state.info?.keychain.available ?? true);
  const id = useId();
  const change = (index: number, patch: Partial<NamedValue>) =>
    onChange(rows.map((row, position) => (position === index ? { ...row, ...patch } : row)));
  return (
    <fieldset className="flex min-w-0 flex-col gap-2">
      <legend className="mb-1 text-label">{t(`form.${kind}`)}</legend>
      {rows.map((row, index) => {
        const problem = problems?.[index];
        const invalid = problem === undefined ? {} : { 'aria-invalid': true as const, 'aria-describedby': `${id}-${index}` };
        return (
          <div key={index} className="flex flex-col gap-1">
            <div className="flex flex-wrap items-center gap-2">
              <input
                type="text"
                spellCheck={false}
                autoComplete="off"
                placeholder={t('form.namePlaceholder')}
                aria-label={t(`form.${kind}Name`, { number: index + 1 })}
                className={classes(controlClasses, 'h-8 flex-1 basis-36 font-code')}
                value={row.name}
                onChange={(event) => {
                  const name = event.target.value;
                  change(index, soundsSecret(name) && !soundsSecret(row.name) ? { name, secret: true } : { name });
                }}
                {...invalid}
              />
              <input
                type={row.secret ? 'password' : 'text'}
                spellCheck={false}
                autoComplete="off"
                placeholder={t('form.valuePlaceholder')}
                aria-label={t(`form.${kind}Value`, { number: index + 1 })}
                className={classes(controlClasses, 'h-8 flex-2 basis-48 font-code')}
                value={row.value}
                onChange={(event) => change(index, { value: event.target.value })}
                {...invalid}
              />
              <Checkbox label={t('form.secret')} checked={row.secret} onChange={(secret) => change(index, { secret })} />
              <IconButton
                small
                label={t('form.removeRow', { number: index + 1 })}
                icon={<X size={16} aria-hidden />}
                onClick={() => onChange(rows.filter((_, position) => position !== index))}
              />
            </div>
            {problem === undefined ? null : (
              <p id={`${id}-${index}`} role="alert" className="text-caption text-danger">
                {t(`form.problems.${problem}`)}
              </p>
            )}
          </div>
        );
      })}
      {rows.some((row) => row.secret) ? (
        <p className="text-caption text-ink-3">{t(keychain ? 'form.secretHint' : 'form.secretHintMemory')}</p>
      ) : null}
      <Button className="self-start" onClick={() => onChange([...rows, { name: '', value: '', secret: false }])}>
        <Plus size={16} aria-hidden />
        {t(`form.${kind}Add`)}
      </Button>
    </fieldset>
  );
}

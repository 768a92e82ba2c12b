import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { CommandOutput } from '../../../preload/contract/commands.ts';
import type { ServerId } from '../../../preload/contract/ids.ts';
import { useBridge } from '../../bridge/bridgeContext.tsx';
import { useAction } from '../../bridge/useAction.ts';
import { Button } from '../../ui/Button.tsx';
import { CompletedField } from '../../ui/CompletedField.tsx';
import { FailureNote } from '../../ui/FailureNote.tsx';
import { VisibleText } from '../../ui/VisibleText.tsx';
import type { Prompt } from './promptChoices.ts';

/** Asks for a prompt's arguments and has the server make messages of them. A prompt without arguments needs only the button. */
export function PromptForm({
  serverId,
  prompt,
  onMade,
  onCancel,
}: {
  serverId: ServerId;
  prompt: Prompt;
  onMade(messages: CommandOutput<'prompt.get'>['messages'], values: Readonly<Record<string, string>>): void;
  onCancel?: () => void;
}) {
  const { t } = useTranslation('prompts');
  const bridge = useBridge();
  const [values, setValues] = useState<Readonly<Record<string, string>>>({});
  const [missing, setMissing] = useState(false);
  const fields = prompt.arguments ?? [];
  const given = Object.fromEntries(Object.entries(values).filter(([, value]) => value !== ''));
  const get = useAction(async () => {
    const result = await bridge.invoke('prompt.get', { serverId, name: prompt.name, values: given });
    if (result.ok) onMade(result.value.messages, given);
    return result;
  });
  const complete = fields.every((field) => field.required !== true || given[field.name] !== undefined);
  return (
    <form
      noValidate
      className="flex flex-col gap-3"
      onSubmit={(event) => {
        event.preventDefault();
        setMissing(!complete);
        if (complete) void get.run();
        else event.currentTarget.querySelector<HTMLInputElement>('input[required][value=""]')?.focus();
      }}
    >
      {fields.map((field, index) => (
        <CompletedField
          key={field.name}
          label={field.required === true ? `${field.title ?? field.name} *` : (field.title ?? field.name)}
          hint={field.description === undefined ? undefined : <VisibleText text={field.description} />}
          error={missing && field.required === true && given[field.name] === undefined ? t('required') : undefined}
          required={field.required === true}
          autoFocus={index === 0}
          value={values[field.name] ?? ''}
          onChange={(value) => setValues((known) => ({ ...known, [field.name]: value }))}
          query={{
            serverId,
            of: { kind: 'prompt', name: prompt.name },
            argument: { name: field.name, value: values[field.name] ?? '' },
            others: Object.fromEntries(Object.entries(given).filter(([name]) => name !== field.name)),
          }}
        />
      ))}
      <FailureNote failure={get.failure} />
      <div className="flex justify-end gap-2">
        {onCancel === undefined ? null : <Button onClick={onCancel}>{t('cancel')}</Button>}
        <Button kind="primary" type="submit" disabled={get.busy} autoFocus={fields.length === 0}>
          {get.busy ? t('asking') : t('preview')}
        </Button>
      </div>
    </form>
  );
}

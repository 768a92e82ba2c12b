import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { ServerId } from '../../../preload/contract/ids.ts';
import { useBridge } from '../../bridge/bridgeContext.tsx';
import { useAction } from '../../bridge/useAction.ts';
import { Button } from '../../ui/Button.tsx';
import { CompletedField } from '../../ui/CompletedField.tsx';
import { FailureNote } from '../../ui/FailureNote.tsx';
import { VisibleText } from '../../ui/VisibleText.tsx';
import type { Template } from './resourceChoices.ts';

/** Asks for the values of a template's variables and passes the filled address on. */
export function TemplateForm({
  serverId,
  template,
  submit,
  onFilled,
  onCancel,
}: {
  serverId: ServerId;
  template: Template;
  /** The word on the button. */
  submit: string;
  onFilled(uri: string): void;
  onCancel?: () => void;
}) {
  const { t } = useTranslation('attachments');
  const bridge = useBridge();
  const [values, setValues] = useState<Readonly<Record<string, string>>>({});
  const fill = useAction(async () => {
    const result = await bridge.invoke('resource.fill', { uriTemplate: template.uriTemplate, values });
    if (result.ok) onFilled(result.value.uri);
    return result;
  });
  const empty = template.variables.every((name) => (values[name] ?? '') === '');
  return (
    <form
      noValidate
      className="flex flex-col gap-3"
      onSubmit={(event) => {
        event.preventDefault();
        void fill.run();
      }}
    >
      <code className="text-caption wrap-anywhere text-ink-3">
        <VisibleText text={template.uriTemplate} />
      </code>
      {template.variables.map((name, index) => (
        <CompletedField
          key={name}
          label={name}
          autoFocus={index === 0}
          value={values[name] ?? ''}
          onChange={(value) => setValues((known) => ({ ...known, [name]: value }))}
          query={{
            serverId,
            of: { kind: 'template', uriTemplate: template.uriTemplate },
            argument: { name, value: values[name] ?? '' },
            others: filledOthers(values, name),
          }}
        />
      ))}
      <FailureNote failure={fill.failure} />
      <div className="flex justify-end gap-2">
        {onCancel === undefined ? null : <Button onClick={onCancel}>{t('cancel')}</Button>}
        <Button kind="primary" type="submit" disabled={fill.busy || (empty && template.variables.length > 0)}>
          {submit}
        </Button>
      </div>
    </form>
  );
}

const filledOthers = (values: Readonly<Record<string, string>>, name: string): Record<string, string> =>
  Object.fromEntries(Object.entries(values).filter(([other, value]) => other !== name && value !== ''));

import { TriangleAlert } from 'lucide-react';
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
  /** Where a link takes the file of these values, which the person has to see first. */
  const [leadsTo, setLeadsTo] = useState<string>();
  const fill = useAction(async (isSure: boolean) => {
    const confirmed = isSure ? { confirmed: true as const } : {};
    const result = await bridge.invoke('resource.fill', { serverId, uriTemplate: template.uriTemplate, values, ...confirmed });
    if (!result.ok) return result;
    if ('uri' in result.value) onFilled(result.value.uri);
    setLeadsTo('leadsTo' in result.value ? result.value.leadsTo : undefined);
    return result;
  });
  const empty = template.variables.every((name) => (values[name] ?? '') === '');
  return (
    <form
      noValidate
      className="flex flex-col gap-3"
      onSubmit={(event) => {
        event.preventDefault();
        void fill.run(false);
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
          onChange={(value) => {
            setValues((known) => ({ ...known, [name]: value }));
            setLeadsTo(undefined);
          }}
          query={{
            serverId,
            of: { kind: 'template', uriTemplate: template.uriTemplate },
            argument: { name, value: values[name] ?? '' },
            others: filledOthers(values, name),
          }}
        />
      ))}
      {leadsTo === undefined ? null : (
        <p role="alert" className="flex gap-2 rounded-control bg-danger-soft px-3 py-2 text-ui text-danger" data-outline>
          <TriangleAlert size={16} aria-hidden className="mt-0.5 shrink-0" />
          <span className="min-w-0 wrap-anywhere">
            <VisibleText text={t('leadsTo', { path: leadsTo })} />
          </span>
        </p>
      )}
      <FailureNote failure={fill.failure} />
      <div className="flex justify-end gap-2">
        {onCancel === undefined ? null : <Button onClick={onCancel}>{t('cancel')}</Button>}
        {leadsTo === undefined ? (
          <Button kind="primary" type="submit" disabled={fill.busy || (empty && template.variables.length > 0)}>
            {submit}
          </Button>
        ) : (
          // No Enter in a field says this.
          <Button kind="danger" disabled={fill.busy} onClick={() => void fill.run(true)}>
            {t('allTheSame')}
          </Button>
        )}
      </div>
    </form>
  );
}

const filledOthers = (values: Readonly<Record<string, string>>, name: string): Record<string, string> =>
  Object.fromEntries(Object.entries(values).filter(([other, value]) => other !== name && value !== ''));

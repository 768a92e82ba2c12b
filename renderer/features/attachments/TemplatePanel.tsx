import { useTranslation } from 'react-i18next';
import type { PickedResource } from '../../state/attachments.ts';
import { ComposerPanel } from '../../ui/ComposerPanel.tsx';
import type { ResourceChoice } from './resourceChoices.ts';
import { TemplateForm } from './TemplateForm.tsx';

/** A template on its way into a message: it asks for its values, then the filled resource is attached. */
export function TemplatePanel({
  choice: { server, template },
  onAttach,
  onClose,
}: {
  choice: Extract<ResourceChoice, { kind: 'template' }>;
  onAttach(resource: PickedResource): void;
  onClose(): void;
}) {
  const { t } = useTranslation('attachments');
  return (
    <ComposerPanel title={template.title ?? template.name} by={server.name} description={template.description} onClose={onClose}>
      <TemplateForm
        serverId={server.id}
        template={template}
        submit={t('attach')}
        onFilled={(uri) => onAttach({ serverId: server.id, serverName: server.name, uri, title: uri })}
        onCancel={onClose}
      />
    </ComposerPanel>
  );
}

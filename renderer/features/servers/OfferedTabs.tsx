import { useTranslation } from 'react-i18next';
import type { ServerDetails } from '../../../preload/contract/servers.ts';
import { Rows } from '../../ui/Page.tsx';
import { VisibleText } from '../../ui/VisibleText.tsx';

export function ResourcesTab({ details }: { details: ServerDetails }) {
  const { t } = useTranslation('servers');
  if (details.resources.length === 0) return <p className="text-ui text-ink-3">{t('page.noResources')}</p>;
  return (
    <Rows label={t('page.tabs.resources')}>
      {details.resources.map((resource) => (
        <Offered
          key={resource.uri}
          name={resource.name}
          facts={[resource.uri, resource.mimeType ?? '']}
          description={resource.description}
        />
      ))}
    </Rows>
  );
}

export function PromptsTab({ details }: { details: ServerDetails }) {
  const { t } = useTranslation('servers');
  if (details.prompts.length === 0) return <p className="text-ui text-ink-3">{t('page.noPrompts')}</p>;
  return (
    <Rows label={t('page.tabs.prompts')}>
      {details.prompts.map((prompt) => (
        <Offered key={prompt.name} name={prompt.name} facts={[]} description={prompt.description} />
      ))}
    </Rows>
  );
}

/** Name, address and description in the server's words. */
function Offered({ name, facts, description }: { name: string; facts: readonly string[]; description: string | undefined }) {
  return (
    <li className="flex min-w-0 flex-col px-4 py-2">
      <span className="text-ui wrap-anywhere">
        <VisibleText text={name} />
      </span>
      {facts
        .filter((fact) => fact !== '')
        .map((fact) => (
          <code key={fact} className="text-caption wrap-anywhere text-ink-3">
            <VisibleText text={fact} />
          </code>
        ))}
      {description === undefined ? null : (
        <span className="max-w-160 text-caption wrap-anywhere text-ink-2">
          <VisibleText text={description} />
        </span>
      )}
    </li>
  );
}

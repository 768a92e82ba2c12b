import { Braces, ChevronRight, FileText } from 'lucide-react';
import { useEffect, useId, useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { ResultBlock } from '../../../preload/contract/content.ts';
import type { ServerId } from '../../../preload/contract/ids.ts';
import type { Failure } from '../../../preload/contract/result.ts';
import type { ServerDetails } from '../../../preload/contract/servers.ts';
import { useBridge } from '../../bridge/bridgeContext.tsx';
import { Button } from '../../ui/Button.tsx';
import { FailureNote } from '../../ui/FailureNote.tsx';
import { OfferedIcon } from '../../ui/OfferedIcon.tsx';
import { Rows } from '../../ui/Page.tsx';
import { ResultBlockView } from '../../ui/ResultBlockView.tsx';
import { useBlocksSize } from '../../ui/useBlocksSize.ts';
import { useTimes } from '../../ui/useTimes.ts';
import { VisibleText } from '../../ui/VisibleText.tsx';
import type { Template } from './resourceChoices.ts';
import { TemplateForm } from './TemplateForm.tsx';

/** The resources and templates of one server, each to be read here. Nothing of what is read goes to a model. */
export function ResourcesTab({ details }: { details: ServerDetails }) {
  const { t } = useTranslation('attachments');
  const { size } = useTimes();
  const { server, resources, templates = [] } = details;
  const usable = server.status.state === 'ready';
  if (resources.length + templates.length === 0) return <p className="text-ui text-ink-3">{t('none')}</p>;
  return (
    <div className="flex flex-col gap-4">
      <p className="text-caption text-ink-3">{t('tabHint')}</p>
      {resources.length === 0 ? null : (
        <Rows label={t('resources')}>
          {resources.map((resource) => (
            <Offered
              key={resource.uri}
              icon={
                <OfferedIcon serverId={server.id} icon={resource.icon}>
                  <FileText size={16} className="text-ink-3" />
                </OfferedIcon>
              }
              name={resource.title ?? resource.name}
              facts={[resource.uri, resource.mimeType ?? '', resource.size === undefined ? '' : size(resource.size)]}
              description={resource.description}
            >
              {usable ? <Reader serverId={server.id} uri={resource.uri} name={resource.title ?? resource.name} /> : null}
            </Offered>
          ))}
        </Rows>
      )}
      {templates.length === 0 ? null : (
        <section className="flex flex-col gap-2">
          <h2 className="text-label">{t('templates')}</h2>
          <Rows label={t('templates')}>
            {templates.map((template) => (
              <Offered
                key={template.uriTemplate}
                icon={
                  <OfferedIcon serverId={server.id} icon={template.icon}>
                    <Braces size={16} className="text-ink-3" />
                  </OfferedIcon>
                }
                name={template.title ?? template.name}
                facts={[template.uriTemplate, template.mimeType ?? '']}
                description={template.description}
              >
                {template.problem === undefined ? null : <p className="text-caption text-write">{template.problem}</p>}
                {usable && template.problem === undefined ? <TemplateReader serverId={server.id} template={template} /> : null}
              </Offered>
            ))}
          </Rows>
        </section>
      )}
    </div>
  );
}

/** Name, address and description in the server's words, and under them what can be done. */
function Offered({
  icon,
  name,
  facts,
  description,
  children,
}: {
  icon: React.ReactNode;
  name: string;
  facts: readonly string[];
  description: string | undefined;
  children: React.ReactNode;
}) {
  return (
    <li className="flex min-w-0 flex-col px-4 py-2">
      <span className="flex items-start gap-2 text-ui wrap-anywhere">
        <span className="mt-0.5 flex">{icon}</span>
        <span className="min-w-0">
          <VisibleText text={name} />
        </span>
      </span>
      <span className="flex flex-wrap gap-x-3 text-caption text-ink-3">
        {facts
          .filter((fact) => fact !== '')
          .map((fact) => (
            <code key={fact} className="text-caption wrap-anywhere">
              <VisibleText text={fact} />
            </code>
          ))}
      </span>
      {description === undefined ? null : (
        <span className="max-w-160 text-caption wrap-anywhere text-ink-2">
          <VisibleText text={description} />
        </span>
      )}
      {children}
    </li>
  );
}

/** Reads one resource when asked to, or at once with `begin`, and shows what came. */
function Reader({ serverId, uri, name, begin = false }: { serverId: ServerId; uri: string; name: string; begin?: boolean }) {
  const { t } = useTranslation('attachments');
  const bridge = useBridge();
  const contentId = useId();
  const [blocks, setBlocks] = useState<readonly ResultBlock[] | null>(null);
  const [reading, setReading] = useState(begin);
  const [failure, setFailure] = useState<Failure>();
  const [hidden, setHidden] = useState(false);
  useEffect(() => {
    if (!reading) return;
    let current = true;
    void bridge.invoke('resource.read', { serverId, uri }).then((result) => {
      if (!current) return;
      setReading(false);
      setFailure(result.ok ? undefined : result.error);
      if (result.ok) setBlocks(result.value.blocks);
    });
    return () => {
      current = false;
    };
  }, [bridge, serverId, uri, reading]);
  const shown = blocks !== null && !hidden;
  return (
    <div className="mt-1 flex flex-col gap-2">
      <div className="flex gap-2">
        <Button
          kind="quiet"
          className="-ml-3"
          aria-expanded={shown}
          aria-controls={shown ? contentId : undefined}
          aria-label={t(shown ? 'hideLabel' : 'readLabel', { name })}
          disabled={reading}
          onClick={() => {
            setHidden(shown);
            if (!shown) setReading(true);
          }}
        >
          {t(reading ? 'reading' : shown ? 'hide' : 'read')}
        </Button>
        {shown ? (
          <Button kind="quiet" disabled={reading} onClick={() => setReading(true)}>
            {t('readAgain')}
          </Button>
        ) : null}
      </div>
      <FailureNote failure={failure} />
      {shown ? <Contents id={contentId} blocks={blocks} /> : null}
    </div>
  );
}

function Contents({ id, blocks }: { id: string; blocks: readonly ResultBlock[] }) {
  const size = useBlocksSize();
  return (
    <div id={id} data-contents className="flex flex-col gap-2">
      <p className="text-caption text-ink-3 tabular-nums">{size(blocks)}</p>
      {blocks.map((block, index) => (
        <ResultBlockView key={index} block={block} />
      ))}
    </div>
  );
}

function TemplateReader({ serverId, template }: { serverId: ServerId; template: Template }) {
  const { t } = useTranslation('attachments');
  const [open, setOpen] = useState(false);
  const [uri, setUri] = useState<string | null>(null);
  return (
    <div className="mt-1 flex max-w-160 flex-col gap-2">
      <Button kind="quiet" className="-ml-3 self-start" aria-expanded={open} onClick={() => setOpen(!open)}>
        <ChevronRight size={16} aria-hidden className={open ? 'rotate-90' : ''} />
        {t('fillIn')}
      </Button>
      {open ? <TemplateForm serverId={serverId} template={template} submit={t('fill')} onFilled={setUri} /> : null}
      {open && uri !== null ? (
        <div className="flex flex-col gap-1">
          <code className="text-caption wrap-anywhere text-ink-3">
            <VisibleText text={uri} />
          </code>
          <Reader key={uri} begin serverId={serverId} uri={uri} name={uri} />
        </div>
      ) : null}
    </div>
  );
}

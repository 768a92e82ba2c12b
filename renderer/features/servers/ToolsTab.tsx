import { ChevronDown, ChevronRight, Wrench } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { Effect } from '../../../preload/contract/policy.ts';
import type { Server, ServerDetails, ToolView } from '../../../preload/contract/servers.ts';
import { useBridge } from '../../bridge/bridgeContext.tsx';
import { newCommandId } from '../../bridge/newCommandId.ts';
import { useAction } from '../../bridge/useAction.ts';
import { Button } from '../../ui/Button.tsx';
import { Checkbox } from '../../ui/Checkbox.tsx';
import { CodeBlock } from '../../ui/CodeBlock.tsx';
import { EffectTags } from '../../ui/EffectTag.tsx';
import { FailureNote } from '../../ui/FailureNote.tsx';
import { OfferedIcon } from '../../ui/OfferedIcon.tsx';
import { Rows } from '../../ui/Page.tsx';
import { Tag } from '../../ui/Tag.tsx';
import { TextField } from '../../ui/TextField.tsx';
import { VisibleText } from '../../ui/VisibleText.tsx';

const searchFrom = 12;

/** The tools of a server as it describes them, and what each does as somebody responsible has said. */
export function ToolsTab({
  server,
  details,
  onChanged,
  tryTool,
}: {
  server: Server;
  details: ServerDetails;
  onChanged(): Promise<void>;
  tryTool(tool: ToolView): ReactNode;
}) {
  const { t } = useTranslation('servers');
  const [query, setQuery] = useState('');
  const wanted = query.trim().toLocaleLowerCase();
  const shown =
    wanted === ''
      ? details.tools
      : details.tools.filter((tool) => `${tool.name}\n${tool.title ?? ''}\n${tool.description ?? ''}`.toLocaleLowerCase().includes(wanted));
  return (
    <div className="flex flex-col gap-3">
      {server.status.state === 'ready' || details.tools.length === 0 ? null : (
        <p className="text-caption text-ink-3">{t('page.asLastTime')}</p>
      )}
      {details.instructions === undefined || details.instructions === '' ? null : (
        <details className="text-ui">
          <summary className="w-fit rounded-control py-1 text-ink-2 hover:text-ink">{t('page.instructions')}</summary>
          <p className="mt-1 max-h-60 overflow-auto rounded-control bg-sunken px-3 py-2 wrap-anywhere whitespace-pre-wrap" tabIndex={0}>
            <VisibleText text={details.instructions} />
          </p>
        </details>
      )}
      {details.tools.length < searchFrom ? null : <TextField label={t('tools.search')} type="search" value={query} onChange={setQuery} />}
      {details.tools.length === 0 ? (
        <p className="text-ui text-ink-3">{t(server.status.state === 'ready' ? 'page.noTools' : 'page.notConnected')}</p>
      ) : shown.length === 0 ? (
        <p role="status" className="text-ui text-ink-3">
          {t('tools.noMatch', { query: query.trim() })}
        </p>
      ) : (
        <Rows label={t('tools.list', { name: server.name })}>
          {shown.map((tool) => (
            <ToolRow
              key={tool.name}
              server={server}
              tool={tool}
              // A column of glyphs that all say "tool" would say nothing.
              pictured={details.tools.some(({ icon }) => icon !== undefined)}
              onChanged={onChanged}
              tryTool={tryTool}
            />
          ))}
        </Rows>
      )}
    </div>
  );
}

function ToolRow({
  server,
  tool,
  pictured,
  onChanged,
  tryTool,
}: {
  server: Server;
  tool: ToolView;
  /** Any tool of the server has a picture. */
  pictured: boolean;
  onChanged(): Promise<void>;
  tryTool(tool: ToolView): ReactNode;
}) {
  const { t } = useTranslation('servers');
  const [open, setOpen] = useState(false);
  return (
    <li className="flex flex-col">
      <button
        type="button"
        aria-expanded={open}
        className="flex min-h-11 flex-wrap items-center gap-x-3 gap-y-1 px-4 py-2 text-left -outline-offset-2 transition-colors duration-[120ms] hover:bg-hover"
        onClick={() => setOpen(!open)}
      >
        {open ? (
          <ChevronDown size={16} aria-hidden className="shrink-0 text-ink-3" />
        ) : (
          <ChevronRight size={16} aria-hidden className="shrink-0 text-ink-3" />
        )}
        {pictured ? (
          <OfferedIcon serverId={server.id} icon={tool.icon}>
            <Wrench size={16} className="text-ink-3" />
          </OfferedIcon>
        ) : null}
        <span className="min-w-0 flex-1 basis-52">
          <code className={`block text-ui wrap-anywhere ${tool.problem === undefined ? '' : 'line-through'}`}>
            <VisibleText text={tool.name} />
          </code>
          {open || tool.description === undefined ? null : (
            <span className="block truncate text-caption text-ink-3">
              <VisibleText text={tool.description.slice(0, 300).replaceAll(/\s+/g, ' ')} />
            </span>
          )}
        </span>
        <span className="ml-auto flex flex-wrap items-center justify-end gap-1">
          {tool.isOff ? (
            <Tag tone="plain">{t('tools.off')}</Tag>
          ) : tool.agreed === 'changed' || tool.agreed === 'new' ? (
            <Tag tone="write">{t(`tools.${tool.agreed}`)}</Tag>
          ) : null}
          {tool.problem === undefined ? <EffectTags effects={tool.effects} /> : <Tag tone="danger">{t('tools.unusable')}</Tag>}
        </span>
      </button>
      {open ? (
        <div className="flex flex-col gap-3 px-4 pt-2 pb-4 wide:pl-11">
          {tool.problem === undefined ? null : (
            <p data-outline className="rounded-control bg-danger-soft px-3 py-2 text-ui wrap-anywhere text-danger">
              <VisibleText text={tool.problem} />
            </p>
          )}
          {tool.description === undefined ? null : (
            <div>
              <p className="text-caption text-ink-3">{t('tools.saidByServer')}</p>
              <p className="max-w-160 text-ui wrap-anywhere whitespace-pre-wrap">
                <VisibleText text={tool.description} />
              </p>
            </div>
          )}
          <Classification server={server} tool={tool} onChanged={onChanged} />
          <CodeBlock code={indented(tool.inputSchema)} language={t('tools.schema')} />
          {tool.problem === undefined && server.status.state === 'ready' ? tryTool(tool) : null}
        </div>
      ) : null}
    </li>
  );
}

const allEffects: readonly Effect[] = ['reads', 'changes', 'deletes', 'sendsOut'];

function Classification({ server, tool, onChanged }: { server: Server; tool: ToolView; onChanged(): Promise<void> }) {
  const { t } = useTranslation('servers');
  const bridge = useBridge();
  // What nobody said is nobody's answer: the boxes start empty, so that saving is a decision.
  const saved = tool.effects.source === 'nobody' ? [] : tool.effects.set;
  const [chosen, setChosen] = useState<readonly Effect[]>(saved);
  const changed = allEffects.some((effect) => chosen.includes(effect) !== saved.includes(effect));
  const save = useAction((effects: Effect[]) =>
    bridge.invoke('server.classifyTool', { commandId: newCommandId(), serverId: server.id, tool: tool.name, effects }),
  );
  const submit = async () => {
    const result = await save.run(allEffects.filter((effect) => chosen.includes(effect)));
    if (result.ok) await onChanged();
  };
  return (
    <fieldset className="flex flex-col gap-1">
      <legend className="text-label">{t('tools.classify')}</legend>
      <p className="text-caption text-ink-3">
        {t(`tools.whoLong.${tool.effects.source}`)} {t('tools.classifyHint')}
      </p>
      <div className="grid grid-cols-[repeat(auto-fit,minmax(260px,1fr))] gap-x-6">
        {allEffects.map((effect) => (
          <Checkbox
            key={effect}
            label={
              <>
                {t(`tools.effects.${effect}`)} <span className="text-caption text-ink-3">{t(`tools.effectHints.${effect}`)}</span>
              </>
            }
            checked={chosen.includes(effect)}
            onChange={(next) => setChosen(next ? [...chosen, effect] : chosen.filter((each) => each !== effect))}
          />
        ))}
      </div>
      {changed ? (
        <div className="flex items-center gap-3">
          <Button kind="primary" disabled={save.busy || chosen.length === 0} onClick={() => void submit()}>
            {t('tools.save')}
          </Button>
          {chosen.length === 0 ? <span className="text-caption text-ink-3">{t('tools.chooseOne')}</span> : null}
        </div>
      ) : null}
      <FailureNote failure={save.failure} />
    </fieldset>
  );
}

/** A schema for reading. What does not parse is shown as it came. */
function indented(json: string): string {
  try {
    return JSON.stringify(JSON.parse(json), null, 2);
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    return json;
  }
}

import { useEffect, useMemo, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useStore } from 'zustand';
import type { RuleDraft } from '../../../preload/contract/policy.ts';
import type { ToolView } from '../../../preload/contract/servers.ts';
import { useBridge } from '../../bridge/bridgeContext.tsx';
import { useAction } from '../../bridge/useAction.ts';
import type { RulePreview, RulesStore } from '../../state/rules.ts';
import { useStores } from '../../state/storesContext.tsx';
import { dayIn, endOfDay } from '../../text/days.ts';
import { type PatternDraft, patternOf } from '../../text/patternDraft.ts';
import { Button } from '../../ui/Button.tsx';
import { classes } from '../../ui/classes.ts';
import { FailureNote } from '../../ui/FailureNote.tsx';
import { panelClasses } from '../../ui/Page.tsx';
import { PatternFields } from '../../ui/PatternFields.tsx';
import { Segments } from '../../ui/Segments.tsx';
import { Select } from '../../ui/Select.tsx';
import { TextField } from '../../ui/TextField.tsx';
import { argumentPointers } from './argumentPointers.ts';
import { RulePreviewList } from './RulePreviewList.tsx';

const kinds = ['exact', 'prefix', 'folder', 'glob', 'host', 'range'] as const;
const newPattern: PatternDraft = { at: '', kind: 'exact', value: '', min: '', max: '', isJson: false };
/** Most conditions of one rule, as the contract has it. */
const mostPatterns = 16;

/** A rule written by hand. Before it is saved it can be tried on the calls of the past; what it may allow the host decides. */
export function AddRule({ store, onDone }: { store: RulesStore; onDone(): void }) {
  const { t } = useTranslation('settings');
  const bridge = useBridge();
  const { servers } = useStores();
  const list = useStore(servers.store, (state) => state.servers);
  const [serverId, setServerId] = useState(list[0]?.id);
  const [tools, setTools] = useState<readonly ToolView[]>([]);
  const [tool, setTool] = useState('');
  const [verdict, setVerdict] = useState<RuleDraft['verdict']>('deny');
  const [day, setDay] = useState('');
  const [patterns, setPatterns] = useState<readonly PatternDraft[]>([]);
  const [preview, setPreview] = useState<{ of: string; found: RulePreview } | null>(null);

  useEffect(() => {
    let isOver = false;
    setTools([]);
    if (serverId === undefined) return;
    void bridge.invoke('server.details', { serverId }).then((result) => {
      if (!isOver && result.ok) setTools(result.value.details.tools);
    });
    return () => {
      isOver = true;
    };
  }, [bridge, serverId]);

  const schema = tools.find(({ name }) => name === tool)?.inputSchema;
  const pointers = useMemo(() => (schema === undefined ? [] : argumentPointers(schema)), [schema]);
  const written = patterns.map((draft) => {
    const known = pointers.find(({ at }) => at === draft.at);
    return patternOf({ ...draft, isJson: draft.isJson || known?.isText === false });
  });
  const until = day === '' ? undefined : endOfDay(day);
  const isWhole =
    serverId !== undefined && tool !== '' && written.every((pattern) => pattern !== undefined) && (day === '' || until !== undefined);
  const draft: RuleDraft | undefined = isWhole
    ? {
        serverId,
        tool,
        verdict,
        scope: until === undefined ? 'always' : 'until',
        ...(until === undefined ? {} : { until }),
        patterns: written.filter((pattern) => pattern !== undefined),
      }
    : undefined;
  const key = JSON.stringify(draft);
  const look = useAction(async () => {
    if (draft === undefined) throw new Error('There is no rule to try yet.');
    const result = await store.preview(draft);
    if (result.ok) setPreview({ of: key, found: result.value });
    return result;
  });
  const save = useAction(async () => {
    if (draft === undefined) throw new Error('There is no rule to save yet.');
    const result = await store.add(draft);
    if (result.ok) onDone();
    return result;
  });
  const allTools = tools.some(({ name }) => name === tool) || tool === '' || tool === '*' ? tools : [...tools, { name: tool }];
  return (
    <form
      aria-label={t('permissions.add')}
      className={classes(panelClasses, 'flex flex-col gap-4 p-4')}
      onSubmit={(event) => {
        event.preventDefault();
        if (draft !== undefined && !save.busy) void save.run();
      }}
    >
      <h2 className="text-title">{t('permissions.addTitle')}</h2>
      <div className="flex flex-wrap items-end gap-3">
        <div className="w-48">
          <Select
            autoFocus
            label={t('permissions.server')}
            value={serverId ?? ''}
            options={list.map(({ id, name }) => ({ value: id, label: name }))}
            onChange={(value) => {
              setServerId(list.find(({ id }) => id === value)?.id);
              setTool('');
            }}
          />
        </div>
        <div className="min-w-48 flex-1">
          <Select
            label={t('permissions.tool')}
            value={tool}
            options={[
              { value: '', label: t('permissions.chooseTool') },
              ...(verdict === 'deny' ? [{ value: '*', label: t('permissions.everyTool') }] : []),
              ...allTools.map(({ name }) => ({ value: name, label: name })),
            ]}
            onChange={setTool}
          />
        </div>
        <div>
          <Segments
            label={t('permissions.verdict')}
            value={verdict}
            onChange={(value) => {
              setVerdict(value);
              if (value === 'allow' && tool === '*') setTool('');
            }}
            options={(['deny', 'allow'] as const).map((value) => ({ value, label: t(`permissions.verdict.${value}`) }))}
          />
        </div>
        <div className="w-44">
          <TextField label={t('permissions.untilDay')} type="date" min={dayIn(0)} value={day} onChange={setDay} />
        </div>
      </div>
      {patterns.map((pattern, index) => (
        <PatternFields
          key={index}
          draft={pattern}
          kinds={kinds}
          names={pointers.map(({ at }) => at)}
          onChange={(changed) => setPatterns(patterns.with(index, changed))}
          onRemove={() => setPatterns(patterns.toSpliced(index, 1))}
        />
      ))}
      <div className="flex flex-wrap items-center gap-3">
        <Button disabled={patterns.length >= mostPatterns} onClick={() => setPatterns([...patterns, newPattern])}>
          {t('permissions.addCondition')}
        </Button>
        <p className="text-caption text-ink-3">{t(verdict === 'deny' ? 'permissions.denyHint' : 'permissions.allowHint')}</p>
      </div>
      {preview === null ? null : preview.of === key ? (
        <RulePreviewList preview={preview.found} verdict={verdict} />
      ) : (
        <p className="text-caption text-ink-3">{t('permissions.previewOld')}</p>
      )}
      <FailureNote failure={look.failure ?? save.failure} />
      <div className="flex flex-wrap justify-end gap-2">
        <Button className="mr-auto" disabled={draft === undefined || look.busy} onClick={() => void look.run()}>
          {t('permissions.preview')}
        </Button>
        <Button onClick={onDone}>{t('permissions.cancel')}</Button>
        <Button kind="primary" type="submit" disabled={draft === undefined || save.busy}>
          {t('permissions.save')}
        </Button>
      </div>
    </form>
  );
}

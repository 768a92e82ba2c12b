import { Plus } from 'lucide-react';
import { useEffect, useMemo, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useStore } from 'zustand';
import type { Rule } from '../../../preload/contract/policy.ts';
import { useBridge } from '../../bridge/bridgeContext.tsx';
import { createRulesStore, matchingRules } from '../../state/rules.ts';
import { Button } from '../../ui/Button.tsx';
import { FailureNote } from '../../ui/FailureNote.tsx';
import { Page, Rows } from '../../ui/Page.tsx';
import { Segments } from '../../ui/Segments.tsx';
import { Select } from '../../ui/Select.tsx';
import { SetByOrganisation } from '../../ui/SetByOrganisation.tsx';
import { Skeleton } from '../../ui/Skeleton.tsx';
import { TextField } from '../../ui/TextField.tsx';
import { AddRule } from './AddRule.tsx';
import { RuleRow } from './RuleRow.tsx';
import { useRestingTools } from './useRestingTools.ts';

/** Rows that are in the page at first: whoever has more looks for one. */
const rowsAtFirst = 100;

/** What the person allowed or refused for longer than one call, for finding, adding and taking back. */
export function PermissionsPage() {
  const { t } = useTranslation('settings');
  const bridge = useBridge();
  const [store] = useState(() => createRulesStore(bridge));
  const { rules, failure } = useStore(store.store);
  const [query, setQuery] = useState('');
  const [serverId, setServerId] = useState<Rule['serverId']>();
  const [verdict, setVerdict] = useState<Rule['verdict']>();
  const [adding, setAdding] = useState(false);
  const [most, setMost] = useState(rowsAtFirst);
  useEffect(() => {
    void store.load();
    return store.watch();
  }, [store]);
  const isResting = useRestingTools(rules);
  const servers = useMemo(() => [...new Map((rules ?? []).map((rule) => [rule.serverId, rule.serverName]))], [rules]);
  const shown = rules === null ? [] : matchingRules(rules, { query, serverId, verdict });
  return (
    <Page
      title={t('permissions.title')}
      intro={t('permissions.intro')}
      actions={
        adding ? undefined : (
          <Button onClick={() => setAdding(true)}>
            <Plus size={16} aria-hidden />
            {t('permissions.add')}
          </Button>
        )
      }
    >
      <div className="mt-4 flex flex-col gap-4">
        <SetByOrganisation what="standingPermissions" />
        <SetByOrganisation what="tools" />
        <SetByOrganisation what="changedDefinitions" />
        {adding ? <AddRule store={store} onDone={() => setAdding(false)} /> : null}
        <FailureNote failure={failure} action={<Button onClick={() => void store.load()}>{t('permissions.again')}</Button>} />
        {rules === null ? (
          failure === undefined && <Skeleton label={t('permissions.loading')} />
        ) : rules.length === 0 ? (
          <p className="max-w-160 text-ui text-ink-2">{t('permissions.empty')}</p>
        ) : (
          <>
            <div className="flex flex-wrap items-end gap-3">
              <div className="min-w-48 flex-1 basis-60">
                <TextField label={t('permissions.search')} type="search" value={query} onChange={setQuery} />
              </div>
              <div className="w-48">
                <Select
                  label={t('permissions.server')}
                  value={serverId ?? ''}
                  options={[{ value: '', label: t('permissions.allServers') }, ...servers.map(([value, label]) => ({ value, label }))]}
                  onChange={(value) => setServerId(servers.find(([id]) => id === value)?.[0])}
                />
              </div>
              <div>
                <Segments
                  label={t('permissions.verdict')}
                  value={verdict ?? 'all'}
                  onChange={(value) => setVerdict(value === 'all' ? undefined : value)}
                  options={(['all', 'allow', 'deny'] as const).map((value) => ({ value, label: t(`permissions.${value}`) }))}
                />
              </div>
            </div>
            {shown.length === 0 ? (
              <p role="status" className="text-ui text-ink-3">
                {query.trim() === '' ? t('permissions.noneOfThese') : t('permissions.noMatch', { query: query.trim() })}
              </p>
            ) : (
              <Rows label={t('permissions.list')}>
                {shown.slice(0, most).map((rule) => (
                  <RuleRow key={rule.id} rule={rule} store={store} isResting={isResting(rule)} />
                ))}
              </Rows>
            )}
            {shown.length > most ? (
              <Button className="self-start" onClick={() => setMost(most + rowsAtFirst)}>
                {t('permissions.more', { count: shown.length - most })}
              </Button>
            ) : null}
          </>
        )}
      </div>
    </Page>
  );
}

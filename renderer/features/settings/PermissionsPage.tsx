import { useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useStore } from 'zustand';
import type { Rule } from '../../../preload/contract/policy.ts';
import { useBridge } from '../../bridge/bridgeContext.tsx';
import { useAction } from '../../bridge/useAction.ts';
import { createRulesStore, matchingRules, type RulesStore } from '../../state/rules.ts';
import { useStores } from '../../state/storesContext.tsx';
import { Button } from '../../ui/Button.tsx';
import { FailureNote } from '../../ui/FailureNote.tsx';
import { Page, Rows } from '../../ui/Page.tsx';
import { SetByOrganisation } from '../../ui/SetByOrganisation.tsx';
import { Skeleton } from '../../ui/Skeleton.tsx';
import { Tag } from '../../ui/Tag.tsx';
import { TextField } from '../../ui/TextField.tsx';
import { VisibleText } from '../../ui/VisibleText.tsx';

/** What the person allowed or refused for longer than one call, for finding and taking back. */
export function PermissionsPage() {
  const { t } = useTranslation('settings');
  const bridge = useBridge();
  const [store] = useState(() => createRulesStore(bridge));
  const { rules, failure } = useStore(store.store);
  const [query, setQuery] = useState('');
  useEffect(() => {
    void store.load();
    return store.watch();
  }, [store]);
  const shown = rules === null ? [] : matchingRules(rules, query);
  return (
    <Page title={t('permissions.title')} intro={t('permissions.intro')}>
      <div className="mt-4 flex flex-col gap-4">
        <SetByOrganisation what="standingPermissions" />
        <SetByOrganisation what="tools" />
        <SetByOrganisation what="changedDefinitions" />
        <FailureNote failure={failure} action={<Button onClick={() => void store.load()}>{t('permissions.again')}</Button>} />
        {rules === null ? (
          failure === undefined && <Skeleton label={t('permissions.loading')} />
        ) : rules.length === 0 ? (
          <p className="max-w-160 text-ui text-ink-2">{t('permissions.empty')}</p>
        ) : (
          <>
            <div className="max-w-90">
              <TextField label={t('permissions.search')} type="search" value={query} onChange={setQuery} />
            </div>
            {shown.length === 0 ? (
              <p role="status" className="text-ui text-ink-3">
                {t('permissions.noMatch', { query: query.trim() })}
              </p>
            ) : (
              <Rows label={t('permissions.list')}>
                {shown.map((rule) => (
                  <RuleRow key={rule.id} rule={rule} store={store} />
                ))}
              </Rows>
            )}
          </>
        )}
      </div>
    </Page>
  );
}

function RuleRow({ rule, store }: { rule: Rule; store: RulesStore }) {
  const { t, i18n } = useTranslation('settings');
  const { history } = useStores();
  const title = useStore(history.store, (state) => state.conversations.find((each) => each.id === rule.conversationId)?.title);
  const remove = useAction(() => store.remove(rule.id));
  const date = (at: number) => new Intl.DateTimeFormat(i18n.language, { dateStyle: 'medium' }).format(at);
  const facts = [
    rule.scope === 'chat' && title !== undefined ? t('permissions.chatNamed', { title }) : t(`permissions.scope.${rule.scope}`),
    t('permissions.since', { date: date(rule.createdAt) }),
    t('permissions.uses', { count: rule.uses }),
    ...(rule.lastUsedAt === undefined ? [] : [t('permissions.lastUsed', { date: date(rule.lastUsedAt) })]),
  ];
  return (
    <li className="flex flex-col gap-2 px-4 py-3">
      <div className="flex flex-wrap items-center gap-x-3 gap-y-2">
        <span className="min-w-18">
          <Tag tone={rule.verdict === 'allow' ? 'read' : 'danger'}>{t(`permissions.${rule.verdict}`)}</Tag>
        </span>
        <div className="min-w-0 flex-1 basis-52">
          <p className="text-ui wrap-anywhere">
            <code>
              <VisibleText text={rule.tool} />
            </code>{' '}
            <span className="text-ink-3">· {rule.serverName}</span>
          </p>
          <p className="text-caption wrap-anywhere text-ink-3 tabular-nums">{facts.join(' · ')}</p>
        </div>
        <Button
          aria-label={t('permissions.removeLabel', { tool: rule.tool, server: rule.serverName })}
          disabled={remove.busy}
          onClick={() => void remove.run()}
        >
          {t('permissions.remove')}
        </Button>
      </div>
      <FailureNote failure={remove.failure} />
    </li>
  );
}

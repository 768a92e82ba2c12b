import { PauseCircle } from 'lucide-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useStore } from 'zustand';
import type { Rule } from '../../../preload/contract/policy.ts';
import type { RulesStore } from '../../state/rules.ts';
import { useStores } from '../../state/storesContext.tsx';
import { Button } from '../../ui/Button.tsx';
import { Question } from '../../ui/Question.tsx';
import { Tag } from '../../ui/Tag.tsx';
import { usePatternWords } from '../../ui/usePatternWords.ts';
import { VisibleText } from '../../ui/VisibleText.tsx';

/** One rule: what it allows or denies, for which arguments, how long, and how often that was used. */
export function RuleRow({ rule, store, isResting }: { rule: Rule; store: RulesStore; isResting: boolean }) {
  const { t, i18n } = useTranslation('settings');
  const { app, history } = useStores();
  const title = useStore(history.store, (state) => state.conversations.find((each) => each.id === rule.conversationId)?.title);
  const words = usePatternWords();
  const [asking, setAsking] = useState(false);
  const date = (at: number) => new Intl.DateTimeFormat(i18n.language, { dateStyle: 'medium' }).format(at);
  const tool = rule.tool === '*' ? t(rule.verdict === 'deny' ? 'permissions.everyTool' : 'permissions.everyRead') : rule.tool;
  const howLong =
    rule.scope === 'until' && rule.until !== undefined
      ? t('permissions.until', { date: date(rule.until) })
      : rule.scope === 'chat' && title !== undefined
        ? t('permissions.chatNamed', { title })
        : t(`permissions.scope.${rule.scope}`);
  const facts = [
    howLong,
    t('permissions.since', { date: date(rule.createdAt) }),
    t('permissions.uses', { count: rule.uses }),
    ...(rule.lastUsedAt === undefined ? [] : [t('permissions.lastUsed', { date: date(rule.lastUsedAt) })]),
  ];
  const patterns = rule.patterns ?? [];
  return (
    <li className="flex flex-wrap items-start gap-x-3 gap-y-2 px-4 py-3">
      <span className="min-w-18">
        <Tag tone={rule.verdict === 'allow' ? 'read' : 'danger'}>{t(`permissions.${rule.verdict}`)}</Tag>
      </span>
      <div className="flex min-w-0 flex-1 basis-52 flex-col gap-0.5">
        <p className="text-ui wrap-anywhere">
          {rule.tool === '*' ? (
            tool
          ) : (
            <code>
              <VisibleText text={tool} />
            </code>
          )}{' '}
          <span className="text-ink-3">
            · <VisibleText text={rule.serverName} />
          </span>
        </p>
        {patterns.length === 0 ? null : (
          <ul className="text-ui wrap-anywhere text-ink-2">
            {patterns.map((pattern, index) => (
              <li key={index}>
                <VisibleText text={words(pattern)} />
              </li>
            ))}
          </ul>
        )}
        <p className="text-caption wrap-anywhere text-ink-3 tabular-nums">{facts.join(' · ')}</p>
        {isResting ? (
          <p className="flex items-start gap-1.5 text-caption text-write">
            <PauseCircle size={12} aria-hidden className="mt-0.5 shrink-0" />
            <span className="min-w-0 wrap-anywhere">
              {t('permissions.rests')}{' '}
              <button
                type="button"
                className="underline underline-offset-2"
                onClick={() => app.show({ page: 'settings', settings: 'toReview', part: rule.serverId })}
              >
                {t('permissions.review')}
              </button>
            </span>
          </p>
        ) : null}
      </div>
      <Button aria-label={t('permissions.removeLabel', { tool, server: rule.serverName })} onClick={() => setAsking(true)}>
        {t('permissions.remove')}
      </Button>
      <Question
        open={asking}
        onClose={() => setAsking(false)}
        title={t('permissions.removeTitle', { tool, server: rule.serverName })}
        description={t(rule.verdict === 'allow' ? 'permissions.removeAllow' : 'permissions.removeDeny')}
        confirm={t('permissions.remove')}
        keep={t('permissions.keep')}
        onConfirm={() => store.remove(rule.id)}
      />
    </li>
  );
}

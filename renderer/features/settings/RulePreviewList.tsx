import { useTranslation } from 'react-i18next';
import type { Rule } from '../../../preload/contract/policy.ts';
import type { RulePreview } from '../../state/rules.ts';
import { VisibleText } from '../../ui/VisibleText.tsx';

/** Most calls that are listed; the number of all stands above. */
const mostListed = 50;

/** The calls of the past that a rule would have decided, newest first, and what became of each. */
export function RulePreviewList({ preview: { calls, looked }, verdict }: { preview: RulePreview; verdict: Rule['verdict'] }) {
  const { t, i18n } = useTranslation('settings');
  const time = new Intl.DateTimeFormat(i18n.language, { dateStyle: 'medium', timeStyle: 'short' });
  return (
    <div className="flex flex-col gap-2">
      <p role="status" className="text-ui text-ink-2">
        {calls.length === 0
          ? t('permissions.previewNone', { looked: looked.toLocaleString(i18n.language) })
          : t(verdict === 'allow' ? 'permissions.previewAllow' : 'permissions.previewDeny', {
              count: calls.length,
              looked: looked.toLocaleString(i18n.language),
            })}
      </p>
      {calls.length === 0 ? null : (
        <ul
          tabIndex={0}
          aria-label={t('permissions.previewList')}
          className="max-h-75 overflow-auto rounded-control bg-sunken px-3 [&>*+*]:border-t [&>*]:border-line"
        >
          {calls.slice(0, mostListed).map((call) => (
            <li key={call.callId} className="py-2">
              <p className="text-caption wrap-anywhere text-ink-3 tabular-nums">
                <code className="text-ui text-ink">
                  <VisibleText text={call.tool} />
                </code>{' '}
                · {time.format(call.at)} · <VisibleText text={call.title === '' ? t('permissions.untitled') : call.title} /> · {call.was}
              </p>
              <code className="text-caption wrap-anywhere text-ink-2">
                <VisibleText text={call.arguments} />
              </code>
            </li>
          ))}
        </ul>
      )}
      {calls.length > mostListed ? (
        <p className="text-caption text-ink-3">{t('permissions.previewMore', { count: calls.length - mostListed })}</p>
      ) : null}
    </div>
  );
}

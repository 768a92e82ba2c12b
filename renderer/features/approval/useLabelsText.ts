import { useTranslation } from 'react-i18next';
import type { ChatLabels } from '../../../preload/contract/policy.ts';

/** Most names of servers in one line. */
const mostNames = 4;

/** What the chat has read, as one line; '' where the reason has named it all. */
export function useLabelsText(): (labels: ChatLabels, reason: string) => string {
  const { t, i18n } = useTranslation('approval');
  return ({ untrusted, private: isPrivate, untrustedFrom, privateFrom }, reason) => {
    const isTold = [...(untrusted ? untrustedFrom : []), ...(isPrivate ? privateFrom : [])].every((name) => reason.includes(name));
    if (isTold && reason.includes('has read')) return '';
    const names = (from: readonly string[]) =>
      new Intl.ListFormat(i18n.language, { type: 'conjunction' }).format([
        ...from.slice(0, mostNames),
        ...(from.length > mostNames ? [t('labels.more', { count: from.length - mostNames })] : []),
      ]);
    const part = (is: boolean, from: readonly string[], kind: 'untrusted' | 'private') =>
      !is ? [] : from.length === 0 ? [t(`labels.${kind}`)] : [t(`labels.${kind}From`, { names: names(from) })];
    const parts = [...part(untrusted, untrustedFrom, 'untrusted'), ...part(isPrivate, privateFrom, 'private')];
    return parts.length === 0 ? '' : t('labels.read', { what: parts.join(t('labels.and')) });
  };
}

import { useTranslation } from 'react-i18next';
import type { DecisionReason, Effects } from '../../preload/contract/policy.ts';
import { reasons, sendsOutReason } from '../i18n/zh/reasons.ts';

/** The reason of a decision in the language of the window; the host's own sentence where there is no other. */
export function useReasonText(): (reason: DecisionReason, effects: Effects) => string {
  const { i18n } = useTranslation();
  if (!i18n.language.startsWith('zh')) return (reason) => reason.text;
  return (reason, effects) =>
    reason.code === 'changesOrSendsOut' && effects.set.includes('sendsOut') ? sendsOutReason : (reasons[reason.code] ?? reason.text);
}

import { useTranslation } from 'react-i18next';
import type { CardCalls } from '../../state/approvals.ts';
import { useToolSentence } from '../../ui/useToolSentence.ts';
import { useQuestion } from './useQuestion.ts';

/** The title of a card: the question of its only call, or what all of its calls would do, and how often. */
export function useCardTitle(approvals: CardCalls): string {
  const { t } = useTranslation('approval');
  const [first] = approvals;
  const question = useQuestion(first);
  const { base } = useToolSentence(first.tool, '{}');
  if (approvals.length === 1) return question;
  return t('group.title', { what: base.charAt(0).toUpperCase() + base.slice(1), count: approvals.length });
}

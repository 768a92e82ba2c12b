import { useTranslation } from 'react-i18next';
import type { Approval } from '../../../preload/contract/policy.ts';
import { useToolSentence } from '../../ui/useToolSentence.ts';

/** A longer object is left to the arguments below, which are whole: cut, it could seem to be another one. */
const longestObject = 80;

/** The title of a card: the host's question, which is English, or the same in the language of the window. */
export function useQuestion({ tool, question, arguments: { text } }: Pick<Approval, 'tool' | 'question' | 'arguments'>): string {
  const { t, i18n } = useTranslation('approval');
  const { base, target, whole } = useToolSentence(tool, text);
  if (i18n.language.startsWith('en')) return question;
  return target === undefined || whole !== true || target.length > longestObject
    ? t('question', { what: base })
    : t('questionOf', { what: base, object: target });
}

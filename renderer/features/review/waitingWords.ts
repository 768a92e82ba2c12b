import { useTranslation } from 'react-i18next';
import type { ToReview } from '../../../preload/contract/definitions.ts';

/** `3 tools and 1 prompt`, in the present language. */
export function useWaitingWords(): (waiting: Pick<ToReview, 'tools' | 'prompts' | 'templates'>) => string {
  const { t } = useTranslation('review');
  return ({ tools, prompts, templates }) => {
    const words = [
      ...(tools > 0 ? [t('tools', { count: tools })] : []),
      ...(prompts > 0 ? [t('prompts', { count: prompts })] : []),
      ...(templates > 0 ? [t('templates', { count: templates })] : []),
    ];
    const last = words.pop() ?? '';
    return words.length === 0 ? last : `${words.join(t('comma'))}${t('and')}${last}`;
  };
}

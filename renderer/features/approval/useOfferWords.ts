import { useTranslation } from 'react-i18next';
import type { PermissionOffer } from '../../../preload/contract/policy.ts';
import { usePatternWords } from '../../ui/usePatternWords.ts';

/** What a permission is bound to: the host's sentence, which is English, or the same in the language of the window. */
export function useOfferWords(): (offer: PermissionOffer) => string {
  const { t, i18n } = useTranslation('approval');
  const patternWords = usePatternWords();
  return ({ scope, patterns, text, covers }) => {
    // Bound to nothing but its time: that is said in full, since a sentence of the host would only repeat what is chosen.
    if (patterns.length === 0 && covers === undefined) return scope === 'once' ? t('allowOnce') : t(`allow.${scope}.caption`);
    if (text !== '' && i18n.language.startsWith('en')) return text;
    if (covers === 'reads') return t('permission.reads');
    return patterns.map(patternWords).join(t('permission.and'));
  };
}

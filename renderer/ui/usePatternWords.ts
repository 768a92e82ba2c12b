import { useTranslation } from 'react-i18next';
import type { ArgumentPattern } from '../../preload/contract/policy.ts';
import { argumentName, draftOf } from '../text/patternDraft.ts';

/** What a pattern asks of an argument, for a line: `path: inside /home/me/notes`. */
export function usePatternWords(): (pattern: ArgumentPattern) => string {
  const { t } = useTranslation('patterns');
  return (pattern) => {
    const { at, kind, value, min, max } = draftOf(pattern);
    const argument = argumentName(at, t('each'));
    if (kind !== 'range') return t(`is.${kind}`, { argument, value });
    if (max === '') return t('is.atLeast', { argument, min });
    return min === '' ? t('is.atMost', { argument, max }) : t('is.range', { argument, min, max });
  };
}

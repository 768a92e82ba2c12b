import { useTranslation } from 'react-i18next';
import type { EditProblem } from '../text/editProblem.ts';

/** Why a text is not the arguments of a call, as a sentence. */
export function useEditProblemText(): (problem: EditProblem) => string {
  const { t } = useTranslation('forms');
  return ({ kind, line, column }) => (kind === 'json' ? t('noJson', { line, column }) : t('noObject'));
}

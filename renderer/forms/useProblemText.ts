import { useTranslation } from 'react-i18next';
import type { FieldProblem } from './formField.ts';

/** What is wrong with a field, as a sentence. */
export function useProblemText(): (problem: FieldProblem) => string {
  const { t } = useTranslation('forms');
  return (problem) =>
    problem.code === 'atLeast' || problem.code === 'atMost'
      ? t(problem.code, { limit: problem.limit })
      : problem.code === 'minLength' || problem.code === 'maxLength' || problem.code === 'minItems' || problem.code === 'maxItems'
        ? t(problem.code, { count: problem.limit })
        : t(problem.code);
}

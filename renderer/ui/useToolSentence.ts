import { useMemo } from 'react';
import { useTranslation } from 'react-i18next';
import { type ToolSentence, toolSentence } from '../text/toolSentence.ts';

/** What a call does, in the language of the window. */
export function useToolSentence(tool: string, argumentsJson: string): ToolSentence {
  const { t, i18n } = useTranslation('chat');
  return useMemo(
    () =>
      toolSentence(tool, argumentsJson, i18n.language, {
        base: (name) => t('call.use', { tool: name }),
        doing: (name) => t('call.using', { tool: name }),
        done: (name) => t('call.used', { tool: name }),
      }),
    [tool, argumentsJson, i18n.language, t],
  );
}

import { useTranslation } from 'react-i18next';
import type { ResultBlock } from '../../preload/contract/content.ts';
import { ResultBlockView } from './ResultBlockView.tsx';

/** What a prompt became: every message with its side, in its server's words. */
export function PromptMessages({ messages }: { messages: readonly { role: 'user' | 'assistant'; blocks: readonly ResultBlock[] }[] }) {
  const { t } = useTranslation('prompts');
  if (messages.length === 0) return <p className="text-ui text-ink-3">{t('nothing')}</p>;
  const sides = messages.some(({ role }) => role === 'assistant');
  return (
    <ol aria-label={t('messages')} className="flex flex-col gap-3">
      {messages.map(({ role, blocks }, index) => (
        <li key={index} className="flex min-w-0 flex-col gap-1">
          {sides ? <span className="text-caption text-ink-3">{t(`role.${role}`)}</span> : null}
          {blocks.map((block, at) => (
            <ResultBlockView key={at} block={block} />
          ))}
        </li>
      ))}
    </ol>
  );
}

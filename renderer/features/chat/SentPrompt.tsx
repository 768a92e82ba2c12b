import { MessageSquareText } from 'lucide-react';
import { useTranslation } from 'react-i18next';
import type { Part } from '../../../preload/contract/conversations.ts';
import { ArgumentRows } from '../../ui/ArgumentRows.tsx';
import { PromptMessages } from '../../ui/PromptMessages.tsx';
import { SentAlong } from './SentAlong.tsx';

/** A prompt that went along with a message, as its server made it then. Its words are the server's. */
export function SentPrompt({ part }: { part: Extract<Part, { kind: 'prompt' }> }) {
  const { t } = useTranslation('chat');
  return (
    <SentAlong
      kind="prompt"
      icon={<MessageSquareText size={16} aria-hidden />}
      title={part.title}
      from={t('prompt.of', { server: part.serverName })}
    >
      {Object.keys(part.values).length === 0 ? null : <ArgumentRows json={JSON.stringify(part.values)} empty="" />}
      <PromptMessages messages={part.messages.map(({ role, content }) => ({ role, blocks: content }))} />
    </SentAlong>
  );
}

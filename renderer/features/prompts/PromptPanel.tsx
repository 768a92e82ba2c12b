import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Button } from '../../ui/Button.tsx';
import { ComposerPanel } from '../../ui/ComposerPanel.tsx';
import { type ExpandedMessage, messageOf } from './expandedPrompt.ts';
import type { PromptChoice } from './promptChoices.ts';
import { PromptForm } from './PromptForm.tsx';
import { PromptMessages } from './PromptMessages.tsx';

/** A prompt on its way into a message: its arguments, then what the server made of them. Nothing is sent from here. */
export function PromptPanel({
  choice: { server, prompt },
  onUse,
  onClose,
}: {
  choice: PromptChoice;
  /** The text for the field, and addresses of resources that the prompt brings along. */
  onUse(text: string, uris: readonly string[]): void;
  onClose(): void;
}) {
  const { t } = useTranslation('prompts');
  const [messages, setMessages] = useState<readonly ExpandedMessage[] | null>(null);
  const use = () => {
    const { text, uris } = messageOf(messages ?? [], { user: t('role.user'), assistant: t('role.assistant') });
    onUse(text, uris);
  };
  const sides = messages?.some(({ role }) => role === 'assistant') === true;
  return (
    <ComposerPanel
      title={prompt.title ?? prompt.name}
      by={server.name}
      description={prompt.description}
      onClose={onClose}
      footer={
        messages === null ? undefined : (
          <>
            <Button onClick={() => setMessages(null)}>{t('back')}</Button>
            <Button kind="primary" autoFocus disabled={messages.length === 0} onClick={use}>
              {t('use')}
            </Button>
          </>
        )
      }
    >
      {messages === null ? (
        <PromptForm serverId={server.id} prompt={prompt} onExpanded={setMessages} onCancel={onClose} />
      ) : (
        <>
          <p className="text-caption text-ink-3">{t(sides ? 'previewHintSides' : 'previewHint', { server: server.name })}</p>
          <PromptMessages messages={messages} onChange={setMessages} />
        </>
      )}
    </ComposerPanel>
  );
}

import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { ChosenPrompt } from '../../state/chosenPrompts.ts';
import { Button } from '../../ui/Button.tsx';
import { ComposerPanel } from '../../ui/ComposerPanel.tsx';
import { PromptMessages } from '../../ui/PromptMessages.tsx';
import type { PromptChoice } from './promptChoices.ts';
import { PromptForm } from './PromptForm.tsx';

/** A prompt on its way into a message: its arguments, then what the server made of them. Nothing is sent from here. */
export function PromptPanel({
  choice: { server, prompt },
  onUse,
  onClose,
}: {
  choice: PromptChoice;
  onUse(prompt: ChosenPrompt): void;
  onClose(): void;
}) {
  const { t } = useTranslation('prompts');
  const [made, setMade] = useState<Pick<ChosenPrompt, 'messages' | 'values'> | null>(null);
  const title = prompt.title ?? prompt.name;
  return (
    <ComposerPanel
      title={title}
      by={server.name}
      description={prompt.description}
      onClose={onClose}
      footer={
        made === null ? undefined : (
          <>
            <Button onClick={() => setMade(null)}>{t('back')}</Button>
            <Button
              kind="primary"
              autoFocus
              disabled={made.messages.length === 0}
              onClick={() => onUse({ serverId: server.id, serverName: server.name, name: prompt.name, title, ...made })}
            >
              {t('use')}
            </Button>
          </>
        )
      }
    >
      {made === null ? (
        <PromptForm serverId={server.id} prompt={prompt} onMade={(messages, values) => setMade({ messages, values })} onCancel={onClose} />
      ) : (
        <>
          <p className="text-caption text-ink-3">{t('previewHint', { server: server.name })}</p>
          <PromptMessages messages={made.messages} />
        </>
      )}
    </ComposerPanel>
  );
}

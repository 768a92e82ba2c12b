import { ChevronRight, MessageSquareText } from 'lucide-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { CommandOutput } from '../../../preload/contract/commands.ts';
import type { ServerId } from '../../../preload/contract/ids.ts';
import type { ServerDetails } from '../../../preload/contract/servers.ts';
import { Button } from '../../ui/Button.tsx';
import { OfferedIcon } from '../../ui/OfferedIcon.tsx';
import { Rows } from '../../ui/Page.tsx';
import { PromptMessages } from '../../ui/PromptMessages.tsx';
import { VisibleText } from '../../ui/VisibleText.tsx';
import type { Prompt } from './promptChoices.ts';
import { PromptForm } from './PromptForm.tsx';

/** The prompts of one server, each to be tried: what it becomes is shown and goes nowhere. */
export function PromptsTab({ details }: { details: ServerDetails }) {
  const { t } = useTranslation('prompts');
  const { server, prompts } = details;
  if (prompts.length === 0) return <p className="text-ui text-ink-3">{t('none')}</p>;
  return (
    <div className="flex flex-col gap-4">
      <p className="text-caption text-ink-3">{t('tabHint')}</p>
      <Rows label={t('prompts')}>
        {prompts.map((prompt) => (
          <li key={prompt.name} className="flex min-w-0 flex-col px-4 py-2">
            <span className="flex items-start gap-2 text-ui wrap-anywhere">
              <span className="mt-0.5 flex">
                <OfferedIcon serverId={server.id} icon={prompt.icon}>
                  <MessageSquareText size={16} className="text-ink-3" />
                </OfferedIcon>
              </span>
              <span className="min-w-0">
                <VisibleText text={prompt.title ?? prompt.name} />
              </span>
            </span>
            {prompt.description === undefined ? null : (
              <span className="max-w-160 text-caption wrap-anywhere text-ink-2">
                <VisibleText text={prompt.description} />
              </span>
            )}
            {server.status.state === 'ready' ? <TryPrompt serverId={server.id} prompt={prompt} /> : null}
          </li>
        ))}
      </Rows>
    </div>
  );
}

function TryPrompt({ serverId, prompt }: { serverId: ServerId; prompt: Prompt }) {
  const { t } = useTranslation('prompts');
  const [open, setOpen] = useState(false);
  const [messages, setMessages] = useState<CommandOutput<'prompt.get'>['messages'] | null>(null);
  return (
    <div className="mt-1 flex max-w-160 flex-col gap-3">
      <Button
        kind="quiet"
        className="-ml-3 self-start"
        aria-expanded={open}
        aria-label={t('tryLabel', { name: prompt.title ?? prompt.name })}
        onClick={() => {
          setOpen(!open);
          setMessages(null);
        }}
      >
        <ChevronRight size={16} aria-hidden className={open ? 'rotate-90' : ''} />
        {t('try')}
      </Button>
      {open ? <PromptForm serverId={serverId} prompt={prompt} onMade={setMessages} /> : null}
      {open && messages !== null ? <PromptMessages messages={messages} /> : null}
    </div>
  );
}

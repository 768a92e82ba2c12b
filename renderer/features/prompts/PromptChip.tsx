import { MessageSquareText, X } from 'lucide-react';
import { useId, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useStore } from 'zustand';
import type { ConversationId } from '../../../preload/contract/ids.ts';
import { promptIn } from '../../state/chosenPrompts.ts';
import { useStores } from '../../state/storesContext.tsx';
import { IconButton } from '../../ui/IconButton.tsx';
import { PromptMessages } from '../../ui/PromptMessages.tsx';
import { VisibleText } from '../../ui/VisibleText.tsx';

/** The prompt that goes along with the next message: it can be looked at and taken off. */
export function PromptChip({ conversationId, onRemoved }: { conversationId: ConversationId | null; onRemoved(): void }) {
  const { t } = useTranslation('prompts');
  const { chosenPrompts } = useStores();
  const prompt = useStore(chosenPrompts.store, (state) => promptIn(state.chosen, conversationId));
  const contentId = useId();
  const [open, setOpen] = useState(false);
  if (prompt === undefined) return null;
  return (
    <div className="flex flex-col gap-2 pb-2">
      <div
        data-outline
        data-prompt
        className="flex min-h-8 max-w-full items-center self-start rounded-control border border-line bg-sunken text-ink-2"
      >
        <button
          type="button"
          aria-expanded={open}
          aria-controls={open ? contentId : undefined}
          className="flex min-h-8 min-w-0 items-center gap-2 rounded-control pr-1 pl-2 text-left text-caption -outline-offset-2"
          onClick={() => setOpen(!open)}
        >
          <MessageSquareText size={16} aria-hidden className="shrink-0" />
          <span className="max-w-60 truncate font-strong">
            <VisibleText text={prompt.title} />
          </span>
          <span className="max-w-40 shrink-0 truncate text-ink-3">{t('from', { server: prompt.serverName })}</span>
        </button>
        <IconButton
          small
          label={t('takeOff', { name: prompt.title })}
          icon={<X size={16} aria-hidden />}
          onClick={() => {
            chosenPrompts.remove(conversationId);
            onRemoved();
          }}
        />
      </div>
      {open ? (
        <div id={contentId} className="flex max-h-[min(240px,20vh)] flex-col gap-2 overflow-auto border-t border-line pt-2 text-ui">
          <p className="text-caption text-ink-3">{t('madeAnew')}</p>
          <PromptMessages messages={prompt.messages} />
        </div>
      ) : null}
    </div>
  );
}

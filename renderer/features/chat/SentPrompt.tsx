import { MessageSquareText } from 'lucide-react';
import { useId, useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { Part } from '../../../preload/contract/conversations.ts';
import { ArgumentRows } from '../../ui/ArgumentRows.tsx';
import { PromptMessages } from '../../ui/PromptMessages.tsx';
import { VisibleText } from '../../ui/VisibleText.tsx';

/** A prompt that went along with a message, as its server made it then. Its words are the server's. */
export function SentPrompt({ part }: { part: Extract<Part, { kind: 'prompt' }> }) {
  const { t } = useTranslation('chat');
  const contentId = useId();
  const [open, setOpen] = useState(false);
  return (
    <div data-sent-prompt className="flex w-full min-w-0 flex-col items-end gap-1">
      <button
        type="button"
        data-outline
        aria-expanded={open}
        aria-controls={open ? contentId : undefined}
        className="flex min-h-7 max-w-[80%] items-center gap-2 rounded-control border border-line bg-surface px-2 text-left text-caption text-ink-2 hover:bg-hover"
        onClick={() => setOpen(!open)}
      >
        <MessageSquareText size={16} aria-hidden className="shrink-0" />
        <span className="truncate font-strong">
          <VisibleText text={part.title} />
        </span>
        <span className="max-w-40 shrink-0 truncate text-ink-3">{t('prompt.of', { server: part.serverName })}</span>
      </button>
      {open ? (
        <div id={contentId} className="flex w-full flex-col gap-3 rounded-card border border-line bg-surface px-4 py-3 text-ui">
          {Object.keys(part.values).length === 0 ? null : <ArgumentRows json={JSON.stringify(part.values)} empty="" />}
          <PromptMessages messages={part.messages.map(({ role, content }) => ({ role, blocks: content }))} />
        </div>
      ) : null}
    </div>
  );
}

import { ChevronLeft, ChevronRight, Pencil } from 'lucide-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { Message } from '../../../preload/contract/conversations.ts';
import { useAction } from '../../bridge/useAction.ts';
import { useChatActions } from '../../state/useChatActions.ts';
import { Button } from '../../ui/Button.tsx';
import { CopyButton } from '../../ui/CopyButton.tsx';
import { FailureNote } from '../../ui/FailureNote.tsx';
import { IconButton } from '../../ui/IconButton.tsx';
import { TextArea } from '../../ui/TextArea.tsx';
import { Attachment } from './Attachment.tsx';
import { SentPrompt } from './SentPrompt.tsx';

const textOf = (message: Message) => message.parts.flatMap((part) => (part.kind === 'text' ? [part.text.text] : [])).join('\n');

/** What a person wrote. Editing makes a second version beside the first. */
export function UserMessage({
  message,
  last,
  editing,
  onEdit,
}: {
  message: Message;
  last: boolean;
  editing: boolean;
  onEdit(editing: boolean): void;
}) {
  const { t } = useTranslation(['chat', 'app']);
  if (editing) return <EditMessage message={message} onEnd={() => onEdit(false)} />;
  return (
    <div className="group flex flex-col items-end gap-1">
      {textOf(message) === '' ? null : (
        <div data-outline className="max-w-[80%] rounded-dialog bg-accent-soft px-4 py-2 text-prose wrap-anywhere whitespace-pre-wrap">
          {textOf(message)}
        </div>
      )}
      {message.parts.map((part) =>
        part.kind === 'prompt' ? (
          <SentPrompt key={part.id} part={part} />
        ) : part.kind === 'attachment' ? (
          <Attachment key={part.id} part={part} sentAt={message.createdAt} />
        ) : null,
      )}
      <div className="-mr-1.5 flex min-h-7 items-center gap-1">
        <MessageActions shown={last}>
          {textOf(message) === '' ? null : <CopyButton text={() => textOf(message)} label={t('copyMessage')} />}
          <IconButton small label={t('edit')} icon={<Pencil size={16} aria-hidden />} onClick={() => onEdit(true)} />
        </MessageActions>
        <Versions message={message} />
      </div>
    </div>
  );
}

/** Controls that stay out of the way until the message is under the pointer or holds the focus. */
export function MessageActions({ shown, children }: { shown: boolean; children: React.ReactNode }) {
  return (
    <div
      className={`flex items-center gap-1 transition-opacity duration-[120ms] ${shown ? '' : 'opacity-0 group-focus-within:opacity-100 group-hover:opacity-100 pointer-coarse:opacity-100'}`}
    >
      {children}
    </div>
  );
}

/** Steps through the versions at this place of the chat. */
export function Versions({ message }: { message: Message }) {
  const { t } = useTranslation(['chat', 'app']);
  const { showBranch } = useChatActions();
  const move = useAction((index: number) => showBranch(message.conversationId, message.siblings[index] ?? message.id));
  const index = message.siblings.indexOf(message.id);
  if (message.siblings.length < 2 || index === -1) return null;
  return (
    <div className="flex items-center gap-1">
      <IconButton
        small
        label={t('previousVersion')}
        icon={<ChevronLeft size={16} aria-hidden />}
        disabled={index === 0 || move.busy}
        onClick={() => void move.run(index - 1)}
      />
      <span className="text-caption text-ink-3 tabular-nums">{t('versions', { current: index + 1, all: message.siblings.length })}</span>
      <IconButton
        small
        label={t('nextVersion')}
        icon={<ChevronRight size={16} aria-hidden />}
        disabled={index === message.siblings.length - 1 || move.busy}
        onClick={() => void move.run(index + 1)}
      />
      <FailureNote failure={move.failure} />
    </div>
  );
}

/** What stands where an attachment has its address and a prompt its name. */
const isOfView = (place: string): boolean => place.startsWith('view:');

function EditMessage({ message, onEnd }: { message: Message; onEnd(): void }) {
  const { t } = useTranslation(['chat', 'app']);
  const { send } = useChatActions();
  const [text, setText] = useState(() => textOf(message));
  // What a view said then cannot be had again: it stays with the version that it went along with.
  const prompt = message.parts.filter((part) => part.kind === 'prompt').find(({ name }) => !isOfView(name));
  const save = useAction(async () => {
    const attachments = message.parts.filter((part) => part.kind === 'attachment').filter(({ uri }) => !isOfView(uri));
    const result = await send(text, { parentId: message.parentId ?? null, attachments, prompt });
    if (result.ok) onEnd();
    return result;
  });
  return (
    <form
      className="flex flex-col gap-2"
      onSubmit={(event) => {
        event.preventDefault();
        void save.run();
      }}
      onKeyDown={(event) => {
        if (event.key === 'Escape' && !event.nativeEvent.isComposing) {
          event.stopPropagation();
          onEnd();
        }
      }}
    >
      <TextArea
        label={t('editLabel')}
        hint={t('editHint')}
        value={text}
        onChange={setText}
        rows={Math.min(12, text.split('\n').length + 1)}
        autoFocus
      />
      <FailureNote failure={save.failure} />
      <div className="flex justify-end gap-2">
        <Button onClick={onEnd}>{t('app:cancel')}</Button>
        <Button kind="primary" type="submit" disabled={(text.trim() === '' && prompt === undefined) || save.busy}>
          {t('save')}
        </Button>
      </div>
    </form>
  );
}

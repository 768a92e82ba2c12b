import { Ellipsis } from 'lucide-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { Conversation } from '../../../preload/contract/conversations.ts';
import { useBridge } from '../../bridge/bridgeContext.tsx';
import { newCommandId } from '../../bridge/newCommandId.ts';
import { useAction } from '../../bridge/useAction.ts';
import { Button } from '../../ui/Button.tsx';
import { classes } from '../../ui/classes.ts';
import { Dialog } from '../../ui/Dialog.tsx';
import { FailureNote } from '../../ui/FailureNote.tsx';
import { IconButton } from '../../ui/IconButton.tsx';
import { Menu } from '../../ui/Menu.tsx';
import { Question } from '../../ui/Question.tsx';
import { StatusDot } from '../../ui/StatusDot.tsx';
import { TextField } from '../../ui/TextField.tsx';
import { VisibleText } from '../../ui/VisibleText.tsx';

export function HistoryRow({
  conversation,
  current,
  onOpen,
  onDeleted,
}: {
  conversation: Conversation;
  current: boolean;
  onOpen(): void;
  onDeleted(): void;
}) {
  const { t } = useTranslation(['history', 'app']);
  const bridge = useBridge();
  const [asking, setAsking] = useState<'rename' | 'delete' | null>(null);
  const title = conversation.title === '' ? t('untitled') : conversation.title;
  return (
    <li
      className={classes(
        'group relative flex min-h-8 items-center rounded-control hover:bg-hover has-[:focus-visible]:bg-hover',
        current ? 'bg-hover text-ink' : 'text-ink-2',
      )}
    >
      <button
        type="button"
        aria-current={current ? 'true' : undefined}
        // Where the actions stand over its end, its words end before them.
        className="flex min-h-8 min-w-0 flex-1 items-center gap-2 rounded-control px-2 text-left -outline-offset-2 group-focus-within:pr-9 group-hover:pr-9 group-has-[[data-state=open]]:pr-9 pointer-coarse:pr-2"
        onClick={onOpen}
      >
        <span className="min-w-0 flex-1 truncate">
          <VisibleText text={title} />
        </span>
        {conversation.activity === 'idle' ? null : (
          <StatusDot
            look={conversation.activity === 'waiting' ? 'waiting' : 'busy'}
            label={conversation.activity === 'waiting' ? t('waiting') : t('running')}
          />
        )}
      </button>
      <span className="absolute right-0.5 opacity-0 group-focus-within:opacity-100 group-hover:opacity-100 has-[[data-state=open]]:opacity-100 pointer-coarse:static pointer-coarse:opacity-100">
        <Menu
          align="end"
          items={[
            { label: t('rename'), onSelect: () => setAsking('rename') },
            { label: t('delete'), danger: true, onSelect: () => setAsking('delete') },
          ]}
        >
          <IconButton small label={t('actions', { title })} icon={<Ellipsis size={16} aria-hidden />} />
        </Menu>
      </span>
      {asking === 'rename' ? <RenameDialog conversation={conversation} onClose={() => setAsking(null)} /> : null}
      <Question
        open={asking === 'delete'}
        onClose={() => setAsking(null)}
        title={t('deleteTitle', { title })}
        description={t('deleteText')}
        confirm={t('deleteConfirm')}
        keep={t('keep')}
        onConfirm={async () => {
          const result = await bridge.invoke('conversation.delete', { commandId: newCommandId(), conversationId: conversation.id });
          if (result.ok) onDeleted();
          return result;
        }}
      />
    </li>
  );
}

function RenameDialog({ conversation, onClose }: { conversation: Conversation; onClose(): void }) {
  const { t } = useTranslation(['history', 'app']);
  const bridge = useBridge();
  const [title, setTitle] = useState(conversation.title);
  const rename = useAction(async () => {
    const result = await bridge.invoke('conversation.rename', {
      commandId: newCommandId(),
      conversationId: conversation.id,
      title: title.trim(),
    });
    if (result.ok) onClose();
    return result;
  });
  return (
    <Dialog
      open
      onClose={onClose}
      title={t('renameTitle')}
      footer={
        <>
          <Button onClick={onClose}>{t('app:cancel')}</Button>
          <Button kind="primary" disabled={title.trim() === '' || rename.busy} onClick={() => void rename.run()}>
            {t('renameSave')}
          </Button>
        </>
      }
    >
      <form
        className="flex flex-col gap-2 pb-1"
        onSubmit={(event) => {
          event.preventDefault();
          if (title.trim() !== '') void rename.run();
        }}
      >
        <TextField label={t('renameLabel')} value={title} onChange={setTitle} maxLength={200} autoFocus />
        <FailureNote failure={rename.failure} />
      </form>
    </Dialog>
  );
}

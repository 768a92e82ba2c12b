import { ListTodo } from 'lucide-react';
import { Popover } from 'radix-ui';
import { useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useStore } from 'zustand';
import type { ConversationId } from '../../../preload/contract/ids.ts';
import type { Task } from '../../../preload/contract/tasks.ts';
import { useAction } from '../../bridge/useAction.ts';
import { useStores } from '../../state/storesContext.tsx';
import { Button } from '../../ui/Button.tsx';
import { FailureNote } from '../../ui/FailureNote.tsx';
import { ProgressBar } from '../../ui/ProgressBar.tsx';
import { StatusDot } from '../../ui/StatusDot.tsx';
import { useTimes } from '../../ui/useTimes.ts';
import { VisibleText } from '../../ui/VisibleText.tsx';

/** What servers are still working on for calls of any chat. Not there while there is nothing. */
export function TasksTray({ onOpenChat }: { onOpenChat(id: ConversationId): void }) {
  const { t } = useTranslation('tasks');
  const stores = useStores();
  const { tasks, failure } = useStore(stores.tasks.store);
  const kept = useStore(stores.app.store, ({ info }) => info?.keychain.available !== false);
  const [open, setOpen] = useState(false);
  if (tasks.length === 0 && failure === undefined) return null;
  const waits = tasks.some(({ state }) => state.status === 'inputRequired');
  return (
    <Popover.Root open={open} onOpenChange={setOpen}>
      <Popover.Trigger asChild>
        <Button kind="quiet" className="min-h-7 px-2 tabular-nums">
          {waits ? <StatusDot look="waiting" /> : <ListTodo size={16} aria-hidden />}
          {failure === undefined ? t('count', { count: tasks.length }) : t('unread')}
        </Button>
      </Popover.Trigger>
      <Popover.Portal>
        <Popover.Content
          align="end"
          sideOffset={4}
          collisionPadding={8}
          aria-label={t('title')}
          className="z-50 flex max-h-[min(480px,var(--radix-popover-content-available-height))] w-100 max-w-[calc(100vw-16px)] animate-appear flex-col overflow-hidden rounded-card border border-line bg-floating shadow-float"
        >
          <div className="border-b border-line px-4 py-2">
            <h2 className="text-label">{t('title')}</h2>
            <p className="text-caption text-ink-3">{t(kept ? 'hint' : 'hintNotKept')}</p>
          </div>
          <FailureNote failure={failure} />
          <ul aria-label={t('title')} className="min-h-0 overflow-auto [&>*+*]:border-t [&>*]:border-line">
            {tasks.map((task) => (
              <TaskRow
                key={task.callId}
                task={task}
                onOpenChat={() => {
                  setOpen(false);
                  onOpenChat(task.conversationId);
                }}
              />
            ))}
          </ul>
        </Popover.Content>
      </Popover.Portal>
    </Popover.Root>
  );
}

function TaskRow({ task, onOpenChat }: { task: Task; onOpenChat(): void }) {
  const { t, i18n } = useTranslation('tasks');
  const { tasks, history } = useStores();
  const { duration, seconds } = useTimes();
  const title = useStore(history.store, (state) => state.conversations.find(({ id }) => id === task.conversationId)?.title);
  const progress = useStore(tasks.store, (state) => state.progress[task.callId]) ?? task.progress;
  const passed = useNow() - task.startedAt;
  const cancel = useAction(() => tasks.cancel(task));
  const { status, message, expiresAt } = task.state;
  return (
    <li data-task={status} className="flex flex-col gap-1 px-4 py-3">
      <p className="flex items-baseline gap-2">
        <span className="min-w-0 flex-1 text-label wrap-anywhere">
          <VisibleText text={task.tool} />
        </span>
        <span className="shrink-0 text-caption text-ink-3 tabular-nums">{passed < 60_000 ? seconds(passed) : duration(passed)}</span>
      </p>
      <p className="text-caption wrap-anywhere text-ink-3">
        <VisibleText text={task.serverName} />
        {expiresAt === undefined
          ? null
          : ` · ${t('until', { time: new Intl.DateTimeFormat(i18n.language, { timeStyle: 'short' }).format(expiresAt) })}`}
      </p>
      <p className={`text-ui wrap-anywhere ${status === 'inputRequired' ? 'text-write' : 'text-ink-2'}`}>
        {t(`status.${status}`)}
        {message === undefined || message === '' ? null : (
          <>
            {': '}
            <VisibleText text={message} />
          </>
        )}
      </p>
      {progress === undefined ? null : <ProgressBar progress={progress} label={t('progress', { tool: task.tool })} />}
      <FailureNote failure={cancel.failure} />
      <div className="-ml-3 flex flex-wrap gap-1">
        <Button kind="quiet" className="min-h-7 max-w-full" onClick={onOpenChat}>
          <span className="truncate">{title === undefined || title === '' ? t('openChat') : t('openChatNamed', { title })}</span>
        </Button>
        <Button
          kind="quiet"
          className="min-h-7"
          aria-label={t('cancelLabel', { tool: task.tool })}
          disabled={cancel.busy}
          onClick={() => void cancel.run()}
        >
          {t('cancel')}
        </Button>
      </div>
    </li>
  );
}

/** The time, once a second, for what counts up. */
function useNow(): number {
  const [now, setNow] = useState(() => Date.now());
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 1000);
    return () => clearInterval(timer);
  }, []);
  return now;
}

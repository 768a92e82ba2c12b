import { PanelLeftClose, Plus, Search, Settings } from 'lucide-react';
import { type ReactNode, useMemo } from 'react';
import { useTranslation } from 'react-i18next';
import { useStore } from 'zustand';
import type { ConversationId } from '../../../preload/contract/ids.ts';
import { groupByDay } from '../../state/history.ts';
import { useStores } from '../../state/storesContext.tsx';
import { Button } from '../../ui/Button.tsx';
import { FailureNote } from '../../ui/FailureNote.tsx';
import { IconButton } from '../../ui/IconButton.tsx';
import { Kbd } from '../../ui/Kbd.tsx';
import { HistoryRow } from './HistoryRow.tsx';

/** The chats, by day, with what leads out of them. `servers` is the line on how the servers are. */
export function Sidebar({
  current,
  servers,
  onOpen,
  onSearch,
  onSettings,
  onHide,
}: {
  current: ConversationId | null;
  servers: ReactNode;
  onOpen(id: ConversationId | null): void;
  onSearch(): void;
  onSettings(): void;
  onHide(): void;
}) {
  const { t } = useTranslation(['history', 'app']);
  const { history } = useStores();
  const { conversations, hasMore, loadingMore, error } = useStore(history.store);
  const groups = useMemo(() => groupByDay(conversations, new Date()), [conversations]);
  return (
    <nav
      aria-label={t('app:sidebar')}
      data-region="sidebar"
      tabIndex={-1}
      className="flex h-full w-65 flex-col border-r border-line bg-sunken p-3 outline-none"
    >
      <div className="flex min-h-8 items-center justify-between pl-2">
        <span className="flex items-center gap-2 text-label">
          <MaitreSign />
          {t('app:maitre')}
        </span>
        <IconButton small label={t('app:hideSidebar')} keys="Mod+B" icon={<PanelLeftClose size={16} aria-hidden />} onClick={onHide} />
      </div>
      <div className="mt-2">
        <SidebarLine icon={<Plus size={16} aria-hidden />} keys="Mod+N" onClick={() => onOpen(null)}>
          {t('app:newChat')}
        </SidebarLine>
        <SidebarLine icon={<Search size={16} aria-hidden />} keys="Mod+K" onClick={onSearch}>
          {t('app:search')}
        </SidebarLine>
      </div>
      <div className="-mx-1 mt-1 min-h-0 flex-1 overflow-y-auto px-1">
        {groups.length === 0 ? <p className="px-2 pt-4 text-caption text-ink-3">{t('empty')}</p> : null}
        {groups.map(({ group, conversations: inGroup }) => (
          <section key={group} aria-labelledby={`history-${group}`}>
            <h2 id={`history-${group}`} className="px-2 pt-4 pb-1 text-caption text-ink-3">
              {t(group)}
            </h2>
            <ul>
              {inGroup.map((conversation) => (
                <HistoryRow
                  key={conversation.id}
                  conversation={conversation}
                  current={conversation.id === current}
                  onOpen={() => onOpen(conversation.id)}
                  onDeleted={() => (conversation.id === current ? onOpen(null) : undefined)}
                />
              ))}
            </ul>
          </section>
        ))}
        {hasMore ? (
          <Button kind="quiet" className="mt-2 w-full" disabled={loadingMore} onClick={() => void history.loadMore()}>
            {t('more')}
          </Button>
        ) : null}
        <FailureNote failure={error ?? undefined} />
      </div>
      <div className="pt-2">
        {servers}
        <SidebarLine icon={<Settings size={16} aria-hidden />} keys="Mod+," onClick={onSettings}>
          {t('app:settings')}
        </SidebarLine>
      </div>
    </nav>
  );
}

function SidebarLine({ icon, keys, onClick, children }: { icon: ReactNode; keys: string; onClick(): void; children: ReactNode }) {
  return (
    <button
      type="button"
      className="flex min-h-8 w-full items-center gap-2 rounded-control px-2 text-left text-ink-2 -outline-offset-2 transition-colors duration-[120ms] hover:bg-hover hover:text-ink"
      onClick={onClick}
    >
      {icon}
      <span className="flex-1 truncate">{children}</span>
      <Kbd keys={keys} />
    </button>
  );
}

/** A cloche: what a maître d' lifts only when the guest nods. */
export function MaitreSign() {
  return (
    <svg
      viewBox="0 0 16 16"
      width="16"
      height="16"
      fill="none"
      stroke="currentColor"
      strokeWidth="1.5"
      strokeLinecap="round"
      strokeLinejoin="round"
      aria-hidden
      className="text-accent"
    >
      <path d="M1.5 12.5h13M3 12.5a5 5 0 0 1 10 0M8 7.5V5.6" />
      <circle cx="8" cy="4.5" r="1.1" />
    </svg>
  );
}

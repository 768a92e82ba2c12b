import { MessageSquareText } from 'lucide-react';
import { useCallback, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Virtuoso } from 'react-virtuoso';
import type { ConversationId } from '../../../preload/contract/ids.ts';
import type { AuditEntry } from '../../state/audit.ts';
import { classes } from '../../ui/classes.ts';
import { IconButton } from '../../ui/IconButton.tsx';
import { panelClasses } from '../../ui/Page.tsx';
import { Tag } from '../../ui/Tag.tsx';
import { VisibleText } from '../../ui/VisibleText.tsx';
import { useAuditSentence } from './auditSentence.ts';

/** The rows, newest first, in the page's own scroll. Older ones are asked for when the end comes near. */
export function AuditList({
  rows,
  hasMore,
  onEnd,
  onShowChat,
}: {
  rows: readonly AuditEntry[];
  hasMore: boolean;
  onEnd(): void;
  onShowChat(id: ConversationId): void;
}) {
  const { t } = useTranslation('audit');
  const [page, setPage] = useState<HTMLElement | null>(null);
  const frame = useCallback((element: HTMLElement | null) => setPage(element?.closest<HTMLElement>('[data-region=page]') ?? null), []);
  return (
    <div ref={frame} role="list" aria-label={t('list')} className={classes(panelClasses, 'overflow-hidden')}>
      {page === null ? null : (
        <Virtuoso
          customScrollParent={page}
          data={rows}
          role="presentation"
          computeItemKey={(_, row) => row.seq}
          endReached={onEnd}
          increaseViewportBy={400}
          itemContent={(index, row) => <Row row={row} index={index} count={hasMore ? -1 : rows.length} onShowChat={onShowChat} />}
        />
      )}
    </div>
  );
}

const bad = new Set(['failed', 'interrupted']);

function Row({ row, index, count, onShowChat }: { row: AuditEntry; index: number; count: number; onShowChat(id: ConversationId): void }) {
  const { t, i18n } = useTranslation('audit');
  const sentence = useAuditSentence();
  const { conversationId, chat } = row;
  const time = new Date(row.at);
  return (
    <div
      role="listitem"
      aria-posinset={index + 1}
      aria-setsize={count}
      data-row={row.seq}
      className={classes(
        'grid grid-cols-[minmax(0,1fr)_auto] items-start gap-x-4 gap-y-1 px-4 py-1.5 wide:grid-cols-[132px_minmax(0,1fr)_auto]',
        index > 0 && 'border-t border-line',
      )}
    >
      <time
        dateTime={time.toISOString()}
        className="col-span-2 pt-0.5 text-caption leading-5 whitespace-nowrap text-ink-3 tabular-nums wide:col-span-1"
      >
        {new Intl.DateTimeFormat(i18n.language, { dateStyle: 'medium', timeStyle: 'short' }).format(time)}
      </time>
      <p className="min-w-0 pt-0.5 text-ui wrap-anywhere">
        <span className={classes(row.kind === 'log.damaged' || bad.has(row.outcome ?? '') ? 'text-danger' : 'text-ink')}>
          <VisibleText text={sentence(row)} />
        </span>{' '}
        <span className="text-caption whitespace-nowrap text-ink-3 tabular-nums">{t('row', { seq: row.seq })}</span>
      </p>
      <span className="flex min-h-7 items-center justify-end gap-1">
        {row.verdict === 'allow' || row.verdict === 'deny' ? (
          <Tag tone={row.verdict === 'allow' ? 'plain' : 'danger'}>{t(`verdict.${row.verdict}`)}</Tag>
        ) : null}
        {conversationId === undefined || chat === undefined ? null : (
          <IconButton
            small
            label={chat === '' ? t('chat') : t('chatNamed', { title: chat })}
            icon={<MessageSquareText size={16} aria-hidden />}
            onClick={() => onShowChat(conversationId)}
          />
        )}
      </span>
    </div>
  );
}

import { Paperclip } from 'lucide-react';
import { useTranslation } from 'react-i18next';
import type { Part } from '../../../preload/contract/conversations.ts';
import { VisibleText } from '../../ui/VisibleText.tsx';

/** A resource that went along with a message. Name and address are the server's words. */
export function Attachment({ part }: { part: Extract<Part, { kind: 'attachment' }> }) {
  const { t } = useTranslation('chat');
  return (
    <p className="flex items-center gap-1.5 text-caption text-ink-3" title={part.uri}>
      <Paperclip size={16} aria-hidden />
      <span className="wrap-anywhere">
        <VisibleText text={part.title} />
      </span>
      <span className="shrink-0">{t('attachment.from', { server: part.serverName })}</span>
    </p>
  );
}

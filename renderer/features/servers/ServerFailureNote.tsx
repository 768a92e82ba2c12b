import { useTranslation } from 'react-i18next';
import type { Server } from '../../../preload/contract/servers.ts';
import { VisibleText } from '../../ui/VisibleText.tsx';
import { lastLines } from './serverFacts.ts';

/** Why a server does not run, in words, and under it the last that the program wrote. */
export function ServerFailureNote({
  server,
  lines = 4,
  onShowMessage,
}: {
  server: Server;
  lines?: number;
  /** Goes to the server's own message that the sentence is about, where it is known. */
  onShowMessage?: (traceId: number) => void;
}) {
  const { t } = useTranslation('servers');
  if (server.status.state !== 'failed' || !server.enabled) return null;
  const { message, detail, traceId } = server.status.failure;
  const tail = detail === undefined ? '' : lastLines(detail, lines);
  return (
    <div data-outline className="relative flex flex-col gap-1 rounded-control bg-danger-soft px-3 py-2 text-ui text-danger">
      <p className="wrap-anywhere">{message}</p>
      {tail === '' ? null : (
        <pre tabIndex={0} aria-label={t('lastOutput')} className="max-h-32 overflow-auto wrap-anywhere whitespace-pre-wrap">
          <VisibleText text={tail} />
        </pre>
      )}
      {traceId === undefined || onShowMessage === undefined ? null : (
        <button type="button" className="min-h-7 self-start underline underline-offset-2" onClick={() => onShowMessage(traceId)}>
          {t('showMessage')}
        </button>
      )}
    </div>
  );
}

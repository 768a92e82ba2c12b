import { useTranslation } from 'react-i18next';
import type { Server } from '../../../preload/contract/servers.ts';
import { useBridge } from '../../bridge/bridgeContext.tsx';
import { newCommandId } from '../../bridge/newCommandId.ts';
import { useAction } from '../../bridge/useAction.ts';
import { Button } from '../../ui/Button.tsx';
import { FailureNote } from '../../ui/FailureNote.tsx';
import { DeniedByOrganisation } from '../../ui/SetByOrganisation.tsx';
import { VisibleText } from '../../ui/VisibleText.tsx';
import type { ServersPlace } from './place.ts';
import { lastLines } from './serverFacts.ts';

/** Why a server does not run, in words, and under it the last that the program wrote. */
export function ServerFailureNote({
  server,
  lines = 4,
  frozen,
  go,
  onShowMessage,
}: {
  server: Server;
  lines?: number;
  frozen: boolean;
  go(place: ServersPlace): void;
  /** Goes to the server's own message that the sentence is about, where it is known. */
  onShowMessage?: (traceId: number) => void;
}) {
  const { t } = useTranslation('servers');
  if (server.status.state !== 'failed' || !server.enabled) return null;
  const { code, message, detail, traceId, sandbox } = server.status.failure;
  if (code === 'managedDenies') return <DeniedByOrganisation reason={message} />;
  const tail = detail === undefined ? '' : lastLines(detail, lines);
  return (
    <div data-outline className="relative flex flex-col gap-1 rounded-control bg-danger-soft px-3 py-2 text-ui text-danger">
      <p className="wrap-anywhere">
        <VisibleText text={message} />
      </p>
      {tail === '' ? null : (
        <pre
          // A text of its own scrolls of its own: another one begins at its end too.
          key={tail}
          ref={showEnd}
          tabIndex={0}
          aria-label={t('lastOutput')}
          className="max-h-32 overflow-auto wrap-anywhere whitespace-pre-wrap"
        >
          <VisibleText text={tail} />
        </pre>
      )}
      {traceId === undefined || onShowMessage === undefined ? null : (
        <button type="button" className="min-h-7 self-start underline underline-offset-2" onClick={() => onShowMessage(traceId)}>
          {t('showMessage')}
        </button>
      )}
      {sandbox === undefined ? null : <StartWithout server={server} frozen={frozen} go={go} />}
    </div>
  );
}

/** What a program wrote last tells best why it ended. */
function showEnd(box: HTMLElement | null): void {
  if (box !== null) box.scrollTop = box.scrollHeight;
}

/** Takes the protection away and shows what would run then: it starts only after that was agreed to. */
function StartWithout({ server, frozen, go }: { server: Server; frozen: boolean; go(place: ServersPlace): void }) {
  const { t } = useTranslation('sandbox');
  const bridge = useBridge();
  const without = useAction(() => bridge.invoke('server.setSandbox', { commandId: newCommandId(), serverId: server.id, word: 'off' }));
  const start = async () => {
    const result = await without.run();
    if (result.ok) go({ kind: 'review', serverId: server.id });
  };
  return (
    <>
      <Button className="mt-1 self-start" disabled={frozen || without.busy} onClick={() => void start()}>
        {t('without')}
      </Button>
      <FailureNote failure={without.failure} />
    </>
  );
}

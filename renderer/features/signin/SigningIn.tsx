import { ExternalLink } from 'lucide-react';
import { useTranslation } from 'react-i18next';
import type { Server } from '../../../preload/contract/servers.ts';
import { useBridge } from '../../bridge/bridgeContext.tsx';
import { newCommandId } from '../../bridge/newCommandId.ts';
import { useAction } from '../../bridge/useAction.ts';
import { Button } from '../../ui/Button.tsx';
import { CopyButton } from '../../ui/CopyButton.tsx';
import { FailureNote } from '../../ui/FailureNote.tsx';
import { issuerHost } from './issuerHost.ts';

/** The wait for the browser. It can be given up, and the address taken to another one. */
export function SigningIn({ server, signingIn }: { server: Server; signingIn: NonNullable<Server['signingIn']> }) {
  const { t } = useTranslation('signin');
  const bridge = useBridge();
  const cancel = useAction(() => bridge.invoke('server.cancelSignIn', { commandId: newCommandId(), serverId: server.id }));
  const { url } = signingIn;
  return (
    <div data-signing-in data-outline className="relative flex flex-col gap-2 rounded-card border border-line bg-surface px-4 py-2">
      <div className="flex flex-wrap items-center gap-x-3 gap-y-1">
        <ExternalLink size={16} aria-hidden className="shrink-0 text-ink-3" />
        <p role="status" className="min-w-40 flex-1 text-ui wrap-anywhere text-ink-2">
          {t('waiting', { server: server.name, host: issuerHost(signingIn.issuer) })}
        </p>
        {url === undefined ? null : <CopyButton text={() => url} label={t('copyAddress')} />}
        <Button kind="quiet" disabled={cancel.busy} onClick={() => void cancel.run()}>
          {t('cancel')}
        </Button>
      </div>
      <FailureNote failure={cancel.failure} />
    </div>
  );
}

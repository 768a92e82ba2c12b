import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { Server } from '../../../preload/contract/servers.ts';
import type { ServerAccount } from '../../../preload/contract/signIn.ts';
import { useBridge } from '../../bridge/bridgeContext.tsx';
import { newCommandId } from '../../bridge/newCommandId.ts';
import { Button } from '../../ui/Button.tsx';
import { Question } from '../../ui/Question.tsx';
import { VisibleText } from '../../ui/VisibleText.tsx';
import { issuerHost } from './issuerHost.ts';

/** Where the person is signed in for a server and what he allowed it, with the way out. */
export function Account({ server, account }: { server: Server; account: ServerAccount }) {
  const { t } = useTranslation('signin');
  const bridge = useBridge();
  const [asking, setAsking] = useState(false);
  const host = issuerHost(account.issuer);
  const provider = account.identityProvider === undefined ? undefined : issuerHost(account.identityProvider);
  return (
    <div
      data-signin
      data-outline
      className="flex flex-wrap items-center gap-x-4 gap-y-2 rounded-card border border-line bg-surface px-4 py-2"
    >
      <div className="flex min-w-40 flex-1 flex-col gap-1">
        <p className="text-ui wrap-anywhere">
          {provider === undefined ? t('signedIn', { host }) : t('signedInThrough', { host, provider })}
        </p>
        {account.scopes.length === 0 ? null : <Scopes scopes={account.scopes} />}
      </div>
      <Button onClick={() => setAsking(true)}>{t('signOut')}</Button>
      <Question
        open={asking}
        onClose={() => setAsking(false)}
        title={t('signOutTitle', { server: server.name })}
        description={provider === undefined ? t('signOutWhat', { host }) : t('signOutWhatThrough', { host, provider })}
        confirm={t('signOut')}
        keep={t('stay')}
        onConfirm={() => bridge.invoke('server.signOut', { commandId: newCommandId(), serverId: server.id })}
      />
    </div>
  );
}

/** Names of permissions, in the words of whoever invented them. */
function Scopes({ scopes }: { scopes: readonly string[] }) {
  const { t } = useTranslation('signin');
  return (
    <div className="flex flex-wrap items-baseline gap-2 text-caption text-ink-3">
      {t('allowed')}
      <ul className="flex flex-wrap gap-2">
        {scopes.map((scope) => (
          <li key={scope}>
            <code data-outline className="rounded-control bg-sunken px-2 py-1 text-caption wrap-anywhere text-ink-2">
              <VisibleText text={scope} />
            </code>
          </li>
        ))}
      </ul>
    </div>
  );
}

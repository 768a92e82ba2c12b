import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { Server, ServerState } from '../../../preload/contract/servers.ts';
import { useBridge } from '../../bridge/bridgeContext.tsx';
import { newCommandId } from '../../bridge/newCommandId.ts';
import { useAction } from '../../bridge/useAction.ts';
import { Button } from '../../ui/Button.tsx';
import { classes } from '../../ui/classes.ts';
import { FailureNote } from '../../ui/FailureNote.tsx';
import { InlineError } from '../../ui/InlineError.tsx';
import { Select } from '../../ui/Select.tsx';
import { VisibleText } from '../../ui/VisibleText.tsx';
import { Account } from './Account.tsx';
import { ClientForm } from './ClientForm.tsx';
import { issuerHost } from './issuerHost.ts';
import { SigningIn } from './SigningIn.tsx';

/** All of a server's sign-in: what it would ask for, the wait for the browser, who is signed in. `brief` is for its row in a list. */
export function SignIn({ server, brief = false }: { server: Server; brief?: boolean }) {
  if (server.signingIn !== undefined) return <SigningIn server={server} signingIn={server.signingIn} />;
  if (server.status.state === 'needsSignIn') return <Needed server={server} asked={server.status} brief={brief} />;
  return server.account?.signedIn === true && !brief ? <Account server={server} account={server.account} /> : null;
}

/** What would be asked for stands here before any browser opens. */
function Needed({ server, asked, brief }: { server: Server; asked: Extract<ServerState, { state: 'needsSignIn' }>; brief: boolean }) {
  const { t } = useTranslation('signin');
  const bridge = useBridge();
  const issuers = asked.issuers ?? [];
  const [chosen, setChosen] = useState<string>();
  const [editing, setEditing] = useState(false);
  const issuer = chosen ?? asked.issuer;
  const host = issuer === asked.issuer && asked.page !== undefined ? asked.page.host : issuerHost(issuer);
  const begin = useAction(() =>
    bridge.invoke('server.signIn', {
      commandId: newCommandId(),
      serverId: server.id,
      ...(chosen === undefined ? {} : { issuer: chosen }),
    }),
  );
  const byOrganization = asked.identityProvider !== undefined && issuer === asked.issuer;
  const button = begin.busy
    ? t('preparing')
    : byOrganization
      ? t('buttonOrganization')
      : host === ''
        ? t('button')
        : t('buttonAt', { host });
  const clientMissing = asked.needsClient === true;
  const words = asked.words === undefined || asked.words === '' ? t('unknown', { server: server.name }) : asked.words;
  return (
    <div
      data-signin
      data-outline={brief ? undefined : true}
      className={classes('relative flex flex-col', brief ? 'gap-2' : 'gap-3 rounded-card border border-line bg-surface px-4 py-3')}
    >
      <p className="max-w-160 text-ui wrap-anywhere text-ink-2">
        <VisibleText text={words} />
      </p>
      {brief || asked.resource === undefined ? null : (
        <p className="text-caption wrap-anywhere text-ink-3">
          {t('resource')}{' '}
          <code>
            <VisibleText text={asked.resource} />
          </code>
        </p>
      )}
      {brief || issuers.length < 2 ? null : (
        <div className="max-w-100">
          <Select
            label={t('whose')}
            value={issuer ?? ''}
            options={issuers.map((value) => ({ value, label: issuerHost(value) }))}
            onChange={setChosen}
          />
        </div>
      )}
      {asked.problem === undefined ? null : <InlineError message={<VisibleText text={asked.problem} />} />}
      <FailureNote failure={begin.failure} />
      <div className="flex flex-wrap items-center gap-3">
        <Button
          kind={clientMissing ? 'secondary' : 'primary'}
          aria-label={t('buttonLabel', { button, server: server.name })}
          disabled={begin.busy}
          onClick={() => void begin.run()}
        >
          {button}
        </Button>
        {brief ? null : (
          <Button kind={clientMissing ? 'primary' : 'quiet'} aria-expanded={editing} onClick={() => setEditing(!editing)}>
            {t(byOrganization ? 'changeClient' : 'ownClient')}
          </Button>
        )}
        <span className="text-caption text-ink-3">
          {t(clientMissing ? 'clientMissing' : byOrganization ? 'passwordUnseen' : 'browserOpens')}
        </span>
      </div>
      {editing && !brief ? (
        <ClientForm server={server} issuer={issuer} kind={byOrganization ? 'organization' : 'person'} onDone={() => setEditing(false)} />
      ) : null}
    </div>
  );
}

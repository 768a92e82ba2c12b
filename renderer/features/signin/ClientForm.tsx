import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useStore } from 'zustand';
import type { Server } from '../../../preload/contract/servers.ts';
import { useBridge } from '../../bridge/bridgeContext.tsx';
import { newCommandId } from '../../bridge/newCommandId.ts';
import { useAction } from '../../bridge/useAction.ts';
import { useStores } from '../../state/storesContext.tsx';
import { Button } from '../../ui/Button.tsx';
import { FailureNote } from '../../ui/FailureNote.tsx';
import { Segments } from '../../ui/Segments.tsx';
import { Select } from '../../ui/Select.tsx';
import { TextArea } from '../../ui/TextArea.tsx';
import { TextField } from '../../ui/TextField.tsx';
import { type ClientDraft, type ClientProblems, emptyClientDraft, readClientDraft } from './clientDraft.ts';
import { issuerHost } from './issuerHost.ts';

const kinds = ['person', 'machine', 'organization'] as const;
const proofs = ['secret', 'key'] as const;

/** Takes what an authorization server was told about this application by hand. Secrets go in and never come back. */
export function ClientForm({
  server,
  issuer,
  kind,
  onDone,
}: {
  server: Server;
  issuer: string | undefined;
  kind: ClientDraft['kind'];
  onDone(): void;
}) {
  const { t } = useTranslation('signin');
  const bridge = useBridge();
  const { app } = useStores();
  const hasKeychain = useStore(app.store, (state) => state.info?.keychain.available ?? true);
  const [draft, setDraft] = useState<ClientDraft>({ ...emptyClientDraft, kind });
  const [problems, setProblems] = useState<ClientProblems>({});
  const about = { serverId: server.id, ...(issuer === undefined || issuer === '' ? {} : { issuer }) };
  const save = useAction(async () => {
    const read = readClientDraft(draft);
    setProblems(read.ok ? {} : read.problems);
    if (!read.ok) return { ok: true as const, value: {} };
    const result = await bridge.invoke('server.setClient', { commandId: newCommandId(), ...about, client: read.client });
    if (result.ok) {
      // Nothing of a secret stays in the window.
      setDraft(emptyClientDraft);
      onDone();
    }
    return result;
  });
  const forget = useAction(() => bridge.invoke('server.setClient', { commandId: newCommandId(), ...about, client: null }));
  type Field = Exclude<keyof ClientDraft, 'kind' | 'proof'>;
  const bind = (field: Field) => {
    const problem = problems[field];
    return {
      label: t(`client.${field}`),
      error: problem === undefined ? undefined : t(`client.problems.${problem}`),
      value: draft[field],
      onChange: (value: string) => setDraft((known) => ({ ...known, [field]: value })),
    };
  };
  const secret = <TextField {...bind('clientSecret')} type="password" mono maxLength={16_384} />;
  const port = <TextField {...bind('redirectPort')} inputMode="numeric" hint={t('client.redirectPortHint')} />;
  return (
    <form
      noValidate
      className="flex max-w-160 flex-col gap-4 border-t border-line pt-3"
      onSubmit={(event) => {
        event.preventDefault();
        void save.run();
      }}
    >
      <p className="text-caption text-ink-3">
        {t('client.hint', { host: issuerHost(issuer) || server.name })} {t(hasKeychain ? 'client.stored' : 'client.storedMemory')}
      </p>
      <Segments
        label={t('client.kind')}
        value={draft.kind}
        options={kinds.map((value) => ({ value, label: t(`client.kinds.${value}`) }))}
        onChange={(kind) => setDraft((known) => ({ ...known, kind }))}
      />
      <p className="text-caption text-ink-3">{t(`client.kindHints.${draft.kind}`)}</p>
      {draft.kind === 'organization' ? (
        <>
          <TextField {...bind('idpIssuer')} mono inputMode="url" hint={t('client.idpIssuerHint')} />
          <TextField {...bind('idpClientId')} mono maxLength={2000} />
          <TextField {...bind('idpClientSecret')} type="password" mono maxLength={16_384} hint={t('client.idpClientSecretHint')} />
          {port}
          <p className="text-caption text-ink-3">{t('client.clientIdThere', { host: issuerHost(issuer) || server.name })}</p>
        </>
      ) : null}
      <TextField {...bind('clientId')} mono maxLength={2000} />
      {draft.kind === 'machine' ? (
        <>
          <Segments
            label={t('client.proof')}
            value={draft.proof}
            options={proofs.map((value) => ({ value, label: t(`client.proofs.${value}`) }))}
            onChange={(proof) => setDraft((known) => ({ ...known, proof }))}
          />
          {draft.proof === 'secret' ? (
            secret
          ) : (
            <>
              <TextArea {...bind('privateKey')} mono rows={5} hint={t('client.privateKeyHint')} />
              <Select {...bind('algorithm')} options={['ES256', 'RS256', 'PS256', 'EdDSA'].map((value) => ({ value, label: value }))} />
            </>
          )}
        </>
      ) : (
        secret
      )}
      {draft.kind === 'person' ? port : null}
      <FailureNote failure={save.failure ?? forget.failure} />
      <div className="flex flex-wrap gap-2">
        <Button kind="primary" type="submit" disabled={save.busy}>
          {t('client.save')}
        </Button>
        <Button disabled={forget.busy} onClick={() => void forget.run().then((result) => (result.ok ? onDone() : undefined))}>
          {t('client.forget')}
        </Button>
      </div>
    </form>
  );
}

import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { Server, ServerDetails } from '../../../preload/contract/servers.ts';
import { useBridge } from '../../bridge/bridgeContext.tsx';
import { newCommandId } from '../../bridge/newCommandId.ts';
import { useAction } from '../../bridge/useAction.ts';
import { Rows } from '../../ui/Page.tsx';
import { SecretField } from '../../ui/SecretField.tsx';
import { Button } from '../../ui/Button.tsx';
import { FailureNote } from '../../ui/FailureNote.tsx';
import { Tag } from '../../ui/Tag.tsx';

type Secret = NonNullable<ServerDetails['secrets']>[number];

/** The secrets that an entry names: whether each is set, a new value, or none. Values are never shown. */
export function ServerSecrets({ server, secrets, onChanged }: { server: Server; secrets: readonly Secret[]; onChanged(): Promise<void> }) {
  const { t } = useTranslation('servers');
  return (
    <section className="flex flex-col gap-2">
      <h2 className="text-label">{t('configuration.secrets')}</h2>
      <p className="text-caption text-ink-3">{t('configuration.secretsHint')}</p>
      <Rows label={t('configuration.secrets')}>
        {secrets.map((secret) => (
          <SecretRow key={secret.name} server={server} secret={secret} onChanged={onChanged} />
        ))}
      </Rows>
      <p className="text-caption text-ink-3">{t('configuration.restartHint')}</p>
    </section>
  );
}

function SecretRow({ server, secret, onChanged }: { server: Server; secret: Secret; onChanged(): Promise<void> }) {
  const { t } = useTranslation('servers');
  const bridge = useBridge();
  const [editing, setEditing] = useState(false);
  const owner = { kind: 'server', serverId: server.id, name: secret.name } as const;
  const store = useAction((value: string) => bridge.invoke('secret.set', { commandId: newCommandId(), owner, value }));
  const remove = useAction(() => bridge.invoke('secret.remove', { commandId: newCommandId(), owner }));
  return (
    <li className="flex flex-col gap-2 px-4 py-2">
      <div className="flex flex-wrap items-center gap-2">
        <code className="min-w-0 flex-1 text-ui wrap-anywhere">{secret.name}</code>
        <Tag tone={secret.isSet ? 'plain' : 'write'}>{t(secret.isSet ? 'configuration.isSet' : 'configuration.isMissing')}</Tag>
        {editing ? null : (
          <Button onClick={() => setEditing(true)}>{t(secret.isSet ? 'configuration.replace' : 'configuration.set')}</Button>
        )}
        {secret.isSet && !editing ? (
          <Button
            kind="quiet"
            disabled={remove.busy}
            onClick={() => void remove.run().then((result) => (result.ok ? onChanged() : undefined))}
          >
            {t('configuration.removeSecret')}
          </Button>
        ) : null}
      </div>
      {editing ? (
        <SecretField
          label={t('configuration.valueOf', { name: secret.name })}
          save={t('configuration.store')}
          cancel={t('page.cancel')}
          onCancel={() => setEditing(false)}
          onSave={async (value) => {
            const result = await store.run(value);
            if (!result.ok) return;
            setEditing(false);
            await onChanged();
          }}
        />
      ) : null}
      <FailureNote failure={store.failure ?? remove.failure} />
    </li>
  );
}

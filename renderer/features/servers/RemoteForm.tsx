import { useTranslation } from 'react-i18next';
import { useStore } from 'zustand';
import type { Server } from '../../../preload/contract/servers.ts';
import { emptyRemoteDraft, type RemoteDraft } from '../../state/newServer.ts';
import { useStores } from '../../state/storesContext.tsx';
import { Select } from '../../ui/Select.tsx';
import { TextField } from '../../ui/TextField.tsx';
import { NamedValueRows } from './NamedValueRows.tsx';
import { NewServerForm } from './NewServerForm.tsx';
import { readRemoteDraft } from './serverForm.ts';

/** A server at an address, described by hand. */
export function RemoteForm({ takenNames, onAdded }: { takenNames: ReadonlySet<string>; onAdded(server: Server): void }) {
  const { t } = useTranslation('servers');
  const { newServer } = useStores();
  const draft = useStore(newServer.store, (state) => state.remote);
  const change = (patch: Partial<RemoteDraft>) => newServer.set({ remote: { ...newServer.store.getState().remote, ...patch } });
  return (
    <NewServerForm
      name={draft.name}
      onName={(name) => change({ name })}
      read={() => readRemoteDraft(draft, takenNames)}
      onAdded={(server) => {
        newServer.set({ remote: emptyRemoteDraft });
        onAdded(server);
      }}
    >
      {(problems) => (
        <>
          <TextField
            label={t('form.url')}
            hint={t('form.urlHint')}
            error={problems.url && t(`form.problems.${problems.url}`)}
            mono
            inputMode="url"
            value={draft.url}
            onChange={(url) => change({ url })}
          />
          <Select
            label={t('form.type')}
            value={draft.type}
            options={(['http', 'sse'] as const).map((value) => ({ value, label: t(`form.types.${value}`) }))}
            onChange={(type) => change({ type: type === 'sse' ? 'sse' : 'http' })}
          />
          <NamedValueRows kind="headers" rows={draft.headers} problems={problems.rows} onChange={(headers) => change({ headers })} />
        </>
      )}
    </NewServerForm>
  );
}

import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useStore } from 'zustand';
import type { Server } from '../../../preload/contract/servers.ts';
import { emptyRemoteDraft, type RemoteDraft } from '../../state/newServer.ts';
import { useStores } from '../../state/storesContext.tsx';
import { Button } from '../../ui/Button.tsx';
import { FailureNote } from '../../ui/FailureNote.tsx';
import { Select } from '../../ui/Select.tsx';
import { TextField } from '../../ui/TextField.tsx';
import { NamedValueRows } from './NamedValueRows.tsx';
import { type FormProblems, readRemoteDraft } from './serverForm.ts';
import { useAddServer } from './useAddServer.ts';
import { useFocusOnProblem } from './useFocusOnProblem.ts';

/** A server at an address, described by hand. */
export function RemoteForm({ takenNames, onAdded }: { takenNames: ReadonlySet<string>; onAdded(server: Server): void }) {
  const { t } = useTranslation('servers');
  const { newServer } = useStores();
  const draft = useStore(newServer.store, (state) => state.remote);
  const [problems, setProblems] = useState<FormProblems>({});
  const add = useAddServer();
  const form = useFocusOnProblem(problems);
  const change = (patch: Partial<RemoteDraft>) => newServer.set({ remote: { ...newServer.store.getState().remote, ...patch } });
  const submit = async () => {
    const read = readRemoteDraft(draft, takenNames);
    setProblems(read.ok ? {} : read.problems);
    if (!read.ok) return;
    const result = await add.run(read.name, read.config, read.secrets);
    if (!result.ok) return;
    newServer.set({ remote: emptyRemoteDraft });
    onAdded(result.value);
  };
  return (
    <form
      ref={form}
      noValidate
      className="flex max-w-160 flex-col gap-4"
      onSubmit={(event) => {
        event.preventDefault();
        void submit();
      }}
    >
      <TextField
        label={t('form.name')}
        hint={t('form.nameHint')}
        error={problems.name && t(`form.problems.${problems.name}`)}
        maxLength={128}
        value={draft.name}
        onChange={(name) => change({ name })}
      />
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
      <FailureNote failure={add.failure} />
      <Button kind="primary" type="submit" className="self-start" disabled={add.busy}>
        {t(add.busy ? 'adding.submitting' : 'adding.submit')}
      </Button>
    </form>
  );
}

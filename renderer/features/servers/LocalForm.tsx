import { useTranslation } from 'react-i18next';
import { useStore } from 'zustand';
import type { Server } from '../../../preload/contract/servers.ts';
import { emptyLocalDraft, type LocalDraft } from '../../state/newServer.ts';
import { useStores } from '../../state/storesContext.tsx';
import { Button } from '../../ui/Button.tsx';
import { TextArea } from '../../ui/TextArea.tsx';
import { TextField } from '../../ui/TextField.tsx';
import { looksLikeCommandLine, splitCommandLine } from './commandLine.ts';
import { NamedValueRows } from './NamedValueRows.tsx';
import { NewServerForm } from './NewServerForm.tsx';
import { readLocalDraft } from './serverForm.ts';

/** A program on this computer, described by hand. What was typed stays until it was added. */
export function LocalForm({ takenNames, onAdded }: { takenNames: ReadonlySet<string>; onAdded(server: Server): void }) {
  const { t } = useTranslation('servers');
  const { newServer } = useStores();
  const draft = useStore(newServer.store, (state) => state.local);
  const change = (patch: Partial<LocalDraft>) => newServer.set({ local: { ...newServer.store.getState().local, ...patch } });
  const split = () => {
    const [command = '', ...args] = splitCommandLine(draft.command);
    change({ command, args: [...args, ...(draft.args === '' ? [] : [draft.args])].join('\n') });
  };
  return (
    <NewServerForm
      name={draft.name}
      onName={(name) => change({ name })}
      read={() => readLocalDraft(draft, takenNames)}
      onAdded={(server) => {
        newServer.set({ local: emptyLocalDraft });
        onAdded(server);
      }}
    >
      {(problems) => (
        <>
          <div className="flex flex-col gap-2">
            <TextField
              label={t('form.command')}
              hint={t('form.commandHint')}
              error={problems.command && t(`form.problems.${problems.command}`)}
              mono
              value={draft.command}
              onChange={(command) => change({ command })}
            />
            {looksLikeCommandLine(draft.command) ? (
              <div
                role="status"
                data-outline
                className="flex flex-wrap items-center gap-2 rounded-control bg-write-soft px-3 py-2 text-ui text-write"
              >
                <span className="min-w-40 flex-1">{t('form.split')}</span>
                <Button onClick={split}>{t('form.splitAction')}</Button>
              </div>
            ) : null}
          </div>
          <TextArea label={t('form.args')} hint={t('form.argsHint')} mono value={draft.args} onChange={(args) => change({ args })} />
          <NamedValueRows kind="env" rows={draft.env} problems={problems.rows} onChange={(env) => change({ env })} />
          <TextField label={t('form.cwd')} hint={t('form.cwdHint')} mono value={draft.cwd} onChange={(cwd) => change({ cwd })} />
        </>
      )}
    </NewServerForm>
  );
}

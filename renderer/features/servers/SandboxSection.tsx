import { useId, useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { CommandInput } from '../../../preload/contract/commands.ts';
import type { SandboxWord, Server, ServerDetails } from '../../../preload/contract/servers.ts';
import { useBridge } from '../../bridge/bridgeContext.tsx';
import { newCommandId } from '../../bridge/newCommandId.ts';
import { useAction } from '../../bridge/useAction.ts';
import { FolderList } from '../../folders/FolderList.tsx';
import { Button } from '../../ui/Button.tsx';
import { FailureNote } from '../../ui/FailureNote.tsx';
import { SetByOrganisation } from '../../ui/SetByOrganisation.tsx';
import { TextArea } from '../../ui/TextArea.tsx';

type Patch = Omit<CommandInput<'server.setSandbox'>, 'commandId' | 'serverId'>;

const words: readonly SandboxWord[] = ['protected', 'strict', 'off'];

/** What a server on this computer is held to: one of three words, and the lists that go with it. */
export function SandboxSection({
  server,
  lists,
  frozen,
  onChanged,
}: {
  server: Server;
  lists: ServerDetails['sandbox'];
  frozen: boolean;
  onChanged(): Promise<void>;
}) {
  const { t } = useTranslation('sandbox');
  const bridge = useBridge();
  const id = useId();
  const change = useAction(async (patch: Patch) => {
    const result = await bridge.invoke('server.setSandbox', { commandId: newCommandId(), serverId: server.id, ...patch });
    if (result.ok) await onChanged();
    return result;
  });
  const { sandbox } = server;
  if (sandbox === undefined) return null;
  const { word, obstacles } = sandbox;
  const isBundled = server.kind === 'bundled';
  const disabled = frozen || change.busy;
  return (
    <section aria-labelledby={id} className="flex flex-col gap-3">
      <h2 id={id} className="text-label">
        {t('title')}
      </h2>
      <SetByOrganisation what="sandbox" />
      <div role="radiogroup" aria-labelledby={id} className="flex flex-col gap-2">
        {words
          .filter((each) => !isBundled || each !== 'strict')
          .map((each) => {
            const obstacle = each === 'off' ? undefined : obstacles[each];
            const does = isBundled && each !== 'strict' ? t(`bundled.${each}`) : t(`does.${each}`);
            return (
              <div key={each} className="flex min-w-0 items-start gap-2 text-ui text-ink">
                <input
                  id={`${id}-${each}`}
                  type="radio"
                  name={id}
                  className="mt-0.5 size-4 shrink-0 accent-accent-fill"
                  checked={word === each}
                  disabled={disabled || (obstacle !== undefined && word !== each) || (each === 'off' && sandbox.managed === true)}
                  aria-describedby={`${id}-${each}-does`}
                  onChange={() => void change.run({ word: each })}
                />
                <div className="flex min-w-0 flex-col">
                  <label htmlFor={`${id}-${each}`}>{t(`word.${each}`)}</label>
                  <p id={`${id}-${each}-does`} className="text-caption text-ink-3">
                    {obstacle === undefined ? does : t(`obstacle.${obstacle}`)}
                  </p>
                </div>
              </div>
            );
          })}
      </div>
      <FailureNote failure={change.failure} />
      {lists === undefined || word === 'off' ? null : (
        <>
          <div className="flex flex-col gap-2">
            <h3 className="text-label">{t('writable.label')}</h3>
            <FolderList
              folders={lists.writable}
              empty={lists.told.length === 0 ? t('writable.none') : ''}
              disabled={disabled}
              onChange={(folders) => void change.run({ folderIds: folders.map((folder) => folder.id) })}
            />
            {lists.told.length === 0 ? null : (
              <p className="text-caption wrap-anywhere text-ink-3">{t('writable.told', { folders: lists.told.join(', ') })}</p>
            )}
          </div>
          {word === 'strict' ? <Hosts hosts={lists.network} disabled={disabled} onSave={(network) => change.run({ network })} /> : null}
        </>
      )}
      {word === 'off' && obstacles.protected !== undefined ? null : <p className="text-caption text-ink-3">{t('consent')}</p>}
    </section>
  );
}

const linesOf = (text: string): string[] =>
  text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');

function Hosts({ hosts, disabled, onSave }: { hosts: readonly string[]; disabled: boolean; onSave(hosts: string[]): Promise<unknown> }) {
  const { t } = useTranslation('sandbox');
  const saved = hosts.join('\n');
  const [base, setBase] = useState(saved);
  const [text, setText] = useState(saved);
  // A list that was not touched follows the entry.
  if (base !== saved && text === base) {
    setBase(saved);
    setText(saved);
  }
  const changed = linesOf(text).join('\n') !== saved;
  return (
    <div className="flex flex-col gap-2">
      <TextArea
        label={t('hosts.label')}
        hint={linesOf(text).length === 0 ? `${t('hosts.none')} ${t('hosts.hint')}` : t('hosts.hint')}
        mono
        rows={Math.min(12, Math.max(3, text.split('\n').length + 1))}
        readOnly={disabled}
        value={text}
        onChange={setText}
      />
      {changed ? (
        <div className="flex gap-2">
          <Button kind="primary" disabled={disabled} onClick={() => void onSave(linesOf(text))}>
            {t('hosts.save')}
          </Button>
          <Button disabled={disabled} onClick={() => (setBase(saved), setText(saved))}>
            {t('hosts.revert')}
          </Button>
        </div>
      ) : null}
    </div>
  );
}

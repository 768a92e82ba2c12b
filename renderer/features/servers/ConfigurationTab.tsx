import { useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { Server, ServerDetails } from '../../../preload/contract/servers.ts';
import { useBridge } from '../../bridge/bridgeContext.tsx';
import { newCommandId } from '../../bridge/newCommandId.ts';
import { useAction } from '../../bridge/useAction.ts';
import { Button } from '../../ui/Button.tsx';
import { FailureNote } from '../../ui/FailureNote.tsx';
import { TextArea } from '../../ui/TextArea.tsx';
import { FolderList } from '../../folders/FolderList.tsx';
import { BundleSettings } from './BundleSettings.tsx';
import { ClientFeaturesSection } from './ClientFeaturesSection.tsx';
import { ContentSection } from './ContentSection.tsx';
import { PlaceError } from './PlaceError.tsx';
import { ProtocolChoice } from './ProtocolChoice.tsx';
import { SandboxSection } from './SandboxSection.tsx';
import { ServerSecrets } from './ServerSecrets.tsx';
import type { PickedFolder } from '../../folders/FolderDialog.tsx';

/** Folders, secrets and the entry itself. */
export function ConfigurationTab({
  server,
  details,
  frozen,
  onChanged,
}: {
  server: Server;
  details: ServerDetails;
  frozen: boolean;
  onChanged(): Promise<void>;
}) {
  const { t } = useTranslation('servers');
  return (
    <div className="flex max-w-160 flex-col gap-6">
      {server.bundle === undefined ? null : (
        <BundleSettings key={server.bundle.version} server={server} frozen={frozen} onChanged={onChanged} />
      )}
      {server.bundled === 'files' ? <Folders server={server} frozen={frozen} /> : null}
      {details.secrets === undefined || details.secrets.length === 0 ? null : (
        <ServerSecrets server={server} secrets={details.secrets} onChanged={onChanged} />
      )}
      <SandboxSection server={server} lists={details.sandbox} frozen={frozen} onChanged={onChanged} />
      {details.content === undefined ? null : <ContentSection server={server} content={details.content} onChanged={onChanged} />}
      <ClientFeaturesSection server={server} />
      {details.era === undefined ? null : <ProtocolChoice server={server} era={details.era} frozen={frozen} />}
      <EntryEditor server={server} configJson={details.configJson} frozen={frozen} />
      {server.kind === 'bundled' ? <p className="text-caption text-ink-3">{t('configuration.bundled')}</p> : null}
    </div>
  );
}

function Folders({ server, frozen }: { server: Server; frozen: boolean }) {
  const { t } = useTranslation(['servers', 'sandbox']);
  const bridge = useBridge();
  const held = server.sandbox !== undefined && server.sandbox.word !== 'off';
  const saved = server.folders ?? [];
  const [folders, setFolders] = useState<readonly PickedFolder[]>(saved);
  const key = (list: readonly PickedFolder[]) => JSON.stringify(list.map((folder) => folder.path));
  const save = useAction(() =>
    bridge.invoke('server.setFolders', { commandId: newCommandId(), serverId: server.id, folderIds: folders.map((folder) => folder.id) }),
  );
  return (
    <section className="flex flex-col gap-2">
      <h2 className="text-label">{t('folder.label')}</h2>
      <FolderList folders={folders} onChange={setFolders} disabled={frozen || save.busy} />
      <p className="text-caption text-ink-3">{held ? t('sandbox:folders.held') : t('folder.honest')}</p>
      <FailureNote failure={save.failure} />
      {key(folders) === key(saved) ? null : (
        <Button kind="primary" className="self-start" disabled={frozen || save.busy} onClick={() => void save.run()}>
          {t('folder.save')}
        </Button>
      )}
    </section>
  );
}

function EntryEditor({ server, configJson, frozen }: { server: Server; configJson: string; frozen: boolean }) {
  const { t } = useTranslation('servers');
  const bridge = useBridge();
  const area = useRef<HTMLTextAreaElement>(null);
  const [base, setBase] = useState(configJson);
  const [text, setText] = useState(configJson);
  const save = useAction((next: string) =>
    bridge.invoke('server.update', { commandId: newCommandId(), serverId: server.id, configJson: next }),
  );
  const changed = text !== configJson;
  // A text that was not touched follows the file; a touched one stays, and its writer is told.
  if (base !== configJson && text === base) {
    setBase(configJson);
    setText(configJson);
  }
  return (
    <section className="flex flex-col gap-2">
      <TextArea
        ref={area}
        label={t('configuration.label')}
        hint={t('configuration.hint')}
        mono
        wrap="off"
        rows={Math.min(20, Math.max(6, text.split('\n').length + 1))}
        readOnly={frozen}
        value={text}
        aria-invalid={save.failure === undefined ? undefined : true}
        onChange={(next) => {
          setText(next);
          save.clear();
        }}
      />
      <PlaceError failure={save.failure} text={text} area={area} />
      {changed && base !== configJson ? (
        <p role="status" data-outline className="rounded-control bg-write-soft px-3 py-2 text-ui text-write">
          {t('configuration.changedMeanwhile')}
        </p>
      ) : null}
      {changed ? (
        <div className="flex gap-2">
          <Button kind="primary" disabled={frozen || save.busy} onClick={() => void save.run(text)}>
            {t('configuration.save')}
          </Button>
          <Button
            disabled={save.busy}
            onClick={() => {
              setBase(configJson);
              setText(configJson);
              save.clear();
            }}
          >
            {t('configuration.revert')}
          </Button>
        </div>
      ) : null}
    </section>
  );
}

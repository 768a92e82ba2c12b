import { Brain, FlaskConical, FolderOpen, type LucideIcon } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { FolderId } from '../../../preload/contract/ids.ts';
import type { Server } from '../../../preload/contract/servers.ts';
import { useBridge } from '../../bridge/bridgeContext.tsx';
import { newCommandId } from '../../bridge/newCommandId.ts';
import { useAction } from '../../bridge/useAction.ts';
import { Button } from '../../ui/Button.tsx';
import { FailureNote } from '../../ui/FailureNote.tsx';
import { panelClasses } from '../../ui/Page.tsx';
import { Tag } from '../../ui/Tag.tsx';
import { FolderList } from '../../folders/FolderList.tsx';
import type { PickedFolder } from '../../folders/FolderDialog.tsx';
import { useFolderPicker } from '../../folders/useFolderPicker.tsx';

type Bundled = NonNullable<Server['bundled']>;

/** The servers that come with the application. Adding one is agreeing to it, so it starts at once. */
export function BundledServers({ servers, onAdded }: { servers: readonly Server[]; onAdded(server: Server): void }) {
  const { t } = useTranslation('servers');
  const bridge = useBridge();
  const add = useAction((bundled: Bundled, folderIds: FolderId[]) =>
    bridge.invoke('server.addBundled', { commandId: newCommandId(), bundled, folderIds }),
  );
  const addAndGo = async (bundled: Bundled, folderIds: FolderId[] = []) => {
    const result = await add.run(bundled, folderIds);
    if (result.ok) onAdded(result.value.server);
  };
  const isAdded = (bundled: Bundled) => servers.some((server) => server.bundled === bundled);
  const oneClick = (bundled: 'memory' | 'everything') =>
    isAdded(bundled) ? (
      <Tag tone="read">{t('adding.added')}</Tag>
    ) : (
      <Button disabled={add.busy} onClick={() => void addAndGo(bundled)}>
        {t(`adding.${bundled}.action`)}
      </Button>
    );
  return (
    <div className="flex flex-col gap-3">
      <div className="grid grid-cols-[repeat(auto-fit,minmax(260px,1fr))] gap-3">
        <FilesCard
          busy={add.busy}
          added={isAdded('files')}
          onAdd={(folders) =>
            void addAndGo(
              'files',
              folders.map((folder) => folder.id),
            )
          }
        />
        <Card icon={Brain} title={t('adding.memory.name')} text={t('adding.memory.text')}>
          {oneClick('memory')}
        </Card>
      </div>
      <details className="text-ui">
        <summary className="w-fit rounded-control py-1 text-ink-2 hover:text-ink">{t('adding.developer')}</summary>
        <div className="mt-2 grid grid-cols-[repeat(auto-fit,minmax(260px,1fr))] gap-3">
          <Card icon={FlaskConical} title={t('adding.everything.name')} text={t('adding.everything.text')}>
            {oneClick('everything')}
          </Card>
        </div>
      </details>
      <FailureNote failure={add.failure} />
    </div>
  );
}

/** Files needs at least one folder; the picked ones are shown before it is added. */
function FilesCard({ busy, added, onAdd }: { busy: boolean; added: boolean; onAdd(folders: PickedFolder[]): void }) {
  const { t } = useTranslation('servers');
  const [folders, setFolders] = useState<PickedFolder[]>([]);
  const first = useFolderPicker((folder) => setFolders([folder]));
  return (
    <Card icon={FolderOpen} title={t('adding.files.name')} text={t('adding.files.text')}>
      {added ? <Tag tone="read">{t('adding.added')}</Tag> : null}
      {folders.length === 0 ? (
        <Button onClick={first.pick}>{t('adding.files.action')}</Button>
      ) : (
        <div className="flex w-full flex-col gap-3">
          <FolderList folders={folders} onChange={setFolders} disabled={busy} />
          <Button kind="primary" className="self-start" disabled={busy} onClick={() => onAdd(folders)}>
            {t('folder.done')}
          </Button>
        </div>
      )}
      <FailureNote failure={first.failure} />
      {first.dialog}
    </Card>
  );
}

function Card({ icon: Icon, title, text, children }: { icon: LucideIcon; title: string; text: string; children: ReactNode }) {
  return (
    <div className={`flex min-w-0 flex-col gap-1 px-4 py-3 ${panelClasses}`}>
      <h3 className="flex items-center gap-2 text-label">
        <Icon size={16} aria-hidden className="text-ink-3" />
        {title}
      </h3>
      <p className="flex-1 text-ui text-ink-2">{text}</p>
      <div className="mt-2 flex flex-wrap items-center gap-2">{children}</div>
    </div>
  );
}

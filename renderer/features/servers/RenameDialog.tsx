import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { Server } from '../../../preload/contract/servers.ts';
import { useBridge } from '../../bridge/bridgeContext.tsx';
import { newCommandId } from '../../bridge/newCommandId.ts';
import { useAction } from '../../bridge/useAction.ts';
import { Button } from '../../ui/Button.tsx';
import { Dialog } from '../../ui/Dialog.tsx';
import { FailureNote } from '../../ui/FailureNote.tsx';
import { TextField } from '../../ui/TextField.tsx';

export function RenameDialog({ server, open, onClose }: { server: Server; open: boolean; onClose(): void }) {
  const { t } = useTranslation('servers');
  const bridge = useBridge();
  const [name, setName] = useState(server.name);
  const rename = useAction((next: string) =>
    bridge.invoke('server.update', { commandId: newCommandId(), serverId: server.id, name: next }),
  );
  const close = () => {
    setName(server.name);
    rename.clear();
    onClose();
  };
  const submit = async () => {
    if ((await rename.run(name.trim())).ok) onClose();
  };
  return (
    <Dialog
      open={open}
      onClose={close}
      title={t('page.renameTitle', { name: server.name })}
      footer={
        <>
          <Button onClick={close}>{t('page.cancel')}</Button>
          <Button kind="primary" type="submit" form="rename-server" disabled={rename.busy || name.trim() === ''}>
            {t('page.renameSave')}
          </Button>
        </>
      }
    >
      <form
        id="rename-server"
        className="flex flex-col gap-2"
        onSubmit={(event) => {
          event.preventDefault();
          void submit();
        }}
      >
        <TextField label={t('form.name')} maxLength={128} value={name} onChange={setName} />
        <FailureNote failure={rename.failure} />
      </form>
    </Dialog>
  );
}

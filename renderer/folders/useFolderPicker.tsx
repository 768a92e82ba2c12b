import { type ReactNode, useState } from 'react';
import { useStore } from 'zustand';
import type { Failure } from '../../preload/contract/result.ts';
import { useBridge } from '../bridge/bridgeContext.tsx';
import { newCommandId } from '../bridge/newCommandId.ts';
import { useStores } from '../state/storesContext.tsx';
import { FolderDialog, type PickedFolder } from './FolderDialog.tsx';

/**
 * Picks a folder by the system's dialog where the shell has one, else by our own. `dialog` has to be rendered;
 * `onPick` gets the folder, and is not called when the person closed it.
 */
export function useFolderPicker(onPick: (folder: PickedFolder) => void): { pick(): void; dialog: ReactNode; failure: Failure | undefined } {
  const bridge = useBridge();
  const { app } = useStores();
  const hasSystemDialog = useStore(app.store, (state) => state.info?.hasFolderDialog ?? false);
  const [open, setOpen] = useState(false);
  const [failure, setFailure] = useState<Failure>();
  const pick = async () => {
    setFailure(undefined);
    if (!hasSystemDialog) {
      setOpen(true);
      return;
    }
    const result = await bridge.invoke('folder.pick', { commandId: newCommandId() });
    if (!result.ok) setFailure(result.error);
    else if (result.value.folder !== null) onPick(result.value.folder);
  };
  const dialog = hasSystemDialog ? null : (
    <FolderDialog
      open={open}
      onClose={() => setOpen(false)}
      onChoose={(folder) => {
        setOpen(false);
        onPick(folder);
      }}
    />
  );
  return { pick: () => void pick(), dialog, failure };
}

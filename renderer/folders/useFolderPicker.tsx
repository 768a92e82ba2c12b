import { useBridge } from '../bridge/bridgeContext.tsx';
import { newCommandId } from '../bridge/newCommandId.ts';
import { FolderDialog, type PickedFolder } from './FolderDialog.tsx';
import { type Picker, usePathPicker } from './usePathPicker.tsx';

/** Picks one folder. `dialog` has to be rendered; `onPick` is not called when the person closed it. */
export function useFolderPicker(onPick: (folder: PickedFolder) => void): Picker {
  const bridge = useBridge();
  return usePathPicker(
    async () => {
      const result = await bridge.invoke('folder.pick', { commandId: newCommandId() });
      return result.ok ? { ok: true, value: result.value.folder } : result;
    },
    (own) => <FolderDialog picks="folder" {...own} />,
    onPick,
  );
}

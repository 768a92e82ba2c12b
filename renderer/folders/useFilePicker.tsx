import { useBridge } from '../bridge/bridgeContext.tsx';
import { newCommandId } from '../bridge/newCommandId.ts';
import { FolderDialog } from './FolderDialog.tsx';
import { type Picker, usePathPicker } from './usePathPicker.tsx';

/** Picks one file by its path. `dialog` has to be rendered; `onPick` is not called when the person closed it. */
export function useFilePicker(onPick: (path: string) => void): Picker {
  const bridge = useBridge();
  return usePathPicker(
    async () => {
      const result = await bridge.invoke('folder.pickFile', { commandId: newCommandId() });
      return result.ok ? { ok: true, value: result.value.path } : result;
    },
    (own) => <FolderDialog picks="file" {...own} />,
    onPick,
  );
}

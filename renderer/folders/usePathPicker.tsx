import { type ReactNode, useState } from 'react';
import { useStore } from 'zustand';
import type { Failure, Result } from '../../preload/contract/result.ts';
import { useStores } from '../state/storesContext.tsx';

/** What of a picker of our own is put into its dialog. */
export interface OwnDialog<Picked> {
  open: boolean;
  onClose(): void;
  onChoose(picked: Picked): void;
}

/** `dialog` has to be rendered. */
export interface Picker {
  pick(): void;
  dialog: ReactNode;
  failure: Failure | undefined;
}

/**
 * Picks by the system's dialog (`ask`; null where the person closed it) where the shell has one, else by our own. `onPick` is not called when
 * the person closed it.
 */
export function usePathPicker<Picked>(
  ask: () => Promise<Result<Picked | null>>,
  own: (dialog: OwnDialog<Picked>) => ReactNode,
  onPick: (picked: Picked) => void,
): Picker {
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
    const result = await ask();
    if (!result.ok) setFailure(result.error);
    else if (result.value !== null) onPick(result.value);
  };
  const choose = (picked: Picked) => {
    setOpen(false);
    onPick(picked);
  };
  const dialog = hasSystemDialog ? null : own({ open, onClose: () => setOpen(false), onChoose: choose });
  return { pick: () => void pick(), dialog, failure };
}

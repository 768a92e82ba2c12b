import { createStore, type StoreApi } from 'zustand/vanilla';
import type { Bridge } from '../../preload/contract/bridge.ts';
import type { BundleProposal } from '../../preload/contract/bundleProposal.ts';
import type { Failure } from '../../preload/contract/result.ts';
import { newCommandId } from '../bridge/newCommandId.ts';

/** A piece of a file in one message, before base64: with it the message stays well below the bridge's limit. */
const pieceBytes = 524_288;

/** The bundle that the person opened, on its way to be added. */
export type OpenedBundle =
  | { status: 'none' }
  /** `part`: how much of the file has gone over, from 0 to 1; at 1 the host reads it. */
  | { status: 'reading'; name: string; part: number }
  | { status: 'open'; proposal: BundleProposal }
  | { status: 'failed'; name: string; failure: Failure };

export interface OpenedBundleStore {
  store: StoreApi<OpenedBundle>;
  /** Sends the file over in pieces and has it read. A later file takes the place of an earlier one. */
  open(file: Pick<File, 'name' | 'size' | 'slice'>): Promise<void>;
  /** Forgets it here and in the host. */
  discard(): void;
  /** It was added: its files are the host's now. */
  added(): void;
}

export function createOpenedBundleStore(bridge: Bridge): OpenedBundleStore {
  const store = createStore<OpenedBundle>(() => ({ status: 'none' }));
  const replace = (next: OpenedBundle) => store.setState(next, true);
  /** Counts what was opened: an answer for an earlier file that comes late is dropped. */
  let newest = 0;

  const discard = () => {
    newest += 1;
    const before = store.getState();
    replace({ status: 'none' });
    // Nothing depends on it: what stays behind is gone with the host's next start.
    if (before.status === 'open') void bridge.invoke('bundle.discard', { commandId: newCommandId(), bundleId: before.proposal.bundleId });
  };

  return {
    store,
    discard,
    added: () => replace({ status: 'none' }),
    async open(file) {
      discard();
      const mine = newest;
      const uploadId = newCommandId();
      const isMine = () => mine === newest;
      const failed = (failure: Failure) => (isMine() ? replace({ status: 'failed', name: file.name, failure }) : undefined);
      replace({ status: 'reading', name: file.name, part: 0 });
      for (let offset = 0; offset === 0 || offset < file.size; offset += pieceBytes) {
        const piece = await base64Of(file.slice(offset, offset + pieceBytes));
        if (!isMine()) return;
        if (piece === undefined)
          return failed({
            code: 'notFound',
            message: 'The file cannot be read any more. It may have been moved or deleted; choose it again.',
          });
        const sent = await bridge.invoke('bundle.upload', { uploadId, offset, data: piece });
        if (!sent.ok) return failed(sent.error);
        if (isMine()) replace({ status: 'reading', name: file.name, part: Math.min(1, (offset + pieceBytes) / Math.max(1, file.size)) });
      }
      const opened = await bridge.invoke('bundle.open', { commandId: newCommandId(), uploadId });
      if (!opened.ok) return failed(opened.error);
      if (isMine()) return replace({ status: 'open', proposal: opened.value.proposal });
      void bridge.invoke('bundle.discard', { commandId: newCommandId(), bundleId: opened.value.proposal.bundleId });
    },
  };
}

/** Undefined where the system does not give the bytes any more. */
function base64Of(piece: Blob): Promise<string | undefined> {
  return new Promise((resolve) => {
    const reader = new FileReader();
    reader.onload = () => resolve(String(reader.result).replace(/^[^,]*,/, ''));
    reader.onerror = () => resolve(undefined);
    reader.readAsDataURL(piece);
  });
}

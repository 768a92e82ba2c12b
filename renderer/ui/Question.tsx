import { useState, type ReactNode } from 'react';
import type { Failure, Result } from '../../preload/contract/result.ts';
import { Button } from './Button.tsx';
import { Dialog } from './Dialog.tsx';
import { FailureNote } from './FailureNote.tsx';

/** Asks before something goes away. It stays open, with the reason, when it could not be done. */
export function Question({
  open,
  onClose,
  title,
  description,
  confirm,
  keep,
  onConfirm,
}: {
  open: boolean;
  onClose(): void;
  title: string;
  description: ReactNode;
  confirm: string;
  keep: string;
  onConfirm(): Promise<Result<unknown>>;
}) {
  const [busy, setBusy] = useState(false);
  const [failure, setFailure] = useState<Failure>();
  const close = () => {
    setFailure(undefined);
    onClose();
  };
  const run = async () => {
    setBusy(true);
    setFailure(undefined);
    const result = await onConfirm();
    setBusy(false);
    if (result.ok) close();
    else setFailure(result.error);
  };
  return (
    <Dialog
      open={open}
      onClose={close}
      title={title}
      description={description}
      footer={
        <>
          <Button onClick={close}>{keep}</Button>
          <Button kind="danger" disabled={busy} onClick={() => void run()}>
            {confirm}
          </Button>
        </>
      }
    >
      {failure === undefined ? undefined : <FailureNote failure={failure} />}
    </Dialog>
  );
}

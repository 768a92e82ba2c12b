import { useState } from 'react';
import { Button } from './Button.tsx';
import { TextField } from './TextField.tsx';

/** Takes a secret once. The value lives in this field alone and goes with it. */
export function SecretField({
  label,
  hint,
  save,
  cancel,
  onSave,
  onCancel,
}: {
  label: string;
  hint?: string;
  save: string;
  cancel: string;
  onSave(value: string): Promise<void>;
  onCancel(): void;
}) {
  const [value, setValue] = useState('');
  const [busy, setBusy] = useState(false);
  const submit = async () => {
    setBusy(true);
    try {
      await onSave(value.trim());
    } finally {
      setBusy(false);
    }
  };
  return (
    <form
      className="flex flex-wrap items-end gap-2"
      onSubmit={(event) => {
        event.preventDefault();
        void submit();
      }}
    >
      <div className="min-w-0 flex-1 basis-60">
        <TextField
          label={label}
          hint={hint}
          type="password"
          mono
          autoFocus
          maxLength={16_384}
          value={value}
          onChange={setValue}
          onKeyDown={(event) => {
            if (event.key !== 'Escape') return;
            event.stopPropagation();
            onCancel();
          }}
        />
      </div>
      <Button onClick={onCancel}>{cancel}</Button>
      <Button kind="primary" type="submit" disabled={busy || value.trim() === ''}>
        {save}
      </Button>
    </form>
  );
}

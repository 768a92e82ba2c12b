import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Button } from '../../ui/Button.tsx';
import { TextField } from '../../ui/TextField.tsx';

/** No, with a sentence that the model is told. */
export function DenyReason({ busy, onDeny, onBack }: { busy: boolean; onDeny(reason?: string): void; onBack(): void }) {
  const { t } = useTranslation('approval');
  const [why, setWhy] = useState('');
  return (
    <form
      className="flex shrink-0 flex-wrap items-end justify-end gap-2 px-4 py-3 [@media(max-height:640px)]:py-2"
      onSubmit={(event) => {
        event.preventDefault();
        if (!busy) onDeny(why.trim() === '' ? undefined : why.trim());
      }}
    >
      <div className="min-w-50 flex-1">
        <TextField label={t('reasonLabel')} value={why} onChange={setWhy} maxLength={2000} autoFocus spellCheck />
      </div>
      <Button onClick={onBack}>{t('back')}</Button>
      <Button type="submit" disabled={busy}>
        {t('reasonSend')}
      </Button>
    </form>
  );
}

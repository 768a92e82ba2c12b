import { useTranslation } from 'react-i18next';

/** Says of a call that it would send what the person wrote, and takes that back. */
export function EditedNote({ onTakeBack }: { onTakeBack(): void }) {
  const { t } = useTranslation('approval');
  return (
    <p className="pb-1 text-caption text-ink-2">
      {t('edit.done')}{' '}
      <button type="button" className="underline underline-offset-2" onClick={onTakeBack}>
        {t('edit.takeBack')}
      </button>
    </p>
  );
}

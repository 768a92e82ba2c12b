import { Folder, FolderPlus, X } from 'lucide-react';
import { useTranslation } from 'react-i18next';
import { Button } from '../ui/Button.tsx';
import { FailureNote } from '../ui/FailureNote.tsx';
import { IconButton } from '../ui/IconButton.tsx';
import type { PickedFolder } from './FolderDialog.tsx';
import { useFolderPicker } from './useFolderPicker.tsx';

/** The folders that a server is told, for adding and taking away. Saves nothing by itself. */
export function FolderList({
  folders,
  onChange,
  empty,
  disabled = false,
}: {
  folders: readonly PickedFolder[];
  /** What an empty list means. */
  empty?: string;
  onChange(folders: PickedFolder[]): void;
  disabled?: boolean;
}) {
  const { t } = useTranslation('servers');
  const picker = useFolderPicker((folder) => {
    if (!folders.some((each) => each.path === folder.path)) onChange([...folders, folder]);
  });
  return (
    <div className="flex min-w-0 flex-col items-start gap-2">
      {folders.length === 0 ? (
        <p className="text-ui text-ink-3">{empty ?? t('folder.none')}</p>
      ) : (
        <ul aria-label={t('folder.label')} className="flex w-full flex-col">
          {folders.map((folder) => (
            <li key={folder.id} className="flex min-h-8 items-center gap-2">
              <Folder size={16} aria-hidden className="shrink-0 text-ink-3" />
              <code className="min-w-0 flex-1 text-ui wrap-anywhere">{folder.path}</code>
              <IconButton
                small
                disabled={disabled}
                label={t('folder.remove', { path: folder.path })}
                icon={<X size={16} aria-hidden />}
                onClick={() => onChange(folders.filter((each) => each.id !== folder.id))}
              />
            </li>
          ))}
        </ul>
      )}
      <Button disabled={disabled} onClick={picker.pick}>
        <FolderPlus size={16} aria-hidden />
        {t('folder.addFolder')}
      </Button>
      <FailureNote failure={picker.failure} />
      {picker.dialog}
    </div>
  );
}

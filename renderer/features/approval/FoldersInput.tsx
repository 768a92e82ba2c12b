import { FolderGit2 } from 'lucide-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { FolderList } from '../../folders/FolderList.tsx';
import type { PickedFolder } from '../../folders/FolderDialog.tsx';
import { Button } from '../../ui/Button.tsx';
import { DeclineButtons, InputFrame, type InputPartProps, useInputAnswer } from './InputFrame.tsx';

/** A server asks which folders it is to work in. It is told their paths, and nothing more; the choice is kept for this server. */
export function FoldersInput(props: InputPartProps) {
  const { input, titleId } = props;
  const { t } = useTranslation('approval');
  const answering = useInputAnswer(props);
  const [folders, setFolders] = useState<readonly PickedFolder[]>([]);
  const suggested = (input.suggestedFolders ?? []).filter(({ path }) => !folders.some((folder) => folder.path === path));

  return (
    <InputFrame
      titleId={titleId}
      failure={answering.failure}
      note={t('input.rootsNote')}
      onSubmit={() => {
        if (answering.ready && folders.length > 0) answering.accept({ content: { folderIds: folders.map(({ id }) => id) } });
      }}
      buttons={
        <>
          <DeclineButtons answering={answering} words={t('input.noFolder')} server={input.serverName} />
          <Button kind="primary" type="submit" disabled={!answering.ready || folders.length === 0}>
            {folders.length === 0 ? t('input.shareNone') : t('input.share', { count: folders.length })}
          </Button>
        </>
      }
    >
      <FolderList folders={folders} empty={t('input.noFolderYet')} onChange={setFolders} />
      {suggested.map((folder) => (
        <Button
          key={folder.id}
          kind="quiet"
          className="h-auto self-start text-left whitespace-normal"
          onClick={() => setFolders([...folders, folder])}
        >
          <FolderGit2 size={16} aria-hidden className="shrink-0" />
          <span className="min-w-0 wrap-anywhere">{t('input.addSuggested', { path: folder.path })}</span>
        </Button>
      ))}
    </InputFrame>
  );
}

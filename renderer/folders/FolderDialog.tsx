import { CornerLeftUp, File, Folder } from 'lucide-react';
import { type KeyboardEvent, useCallback, useEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { CommandOutput } from '../../preload/contract/commands.ts';
import type { FolderId } from '../../preload/contract/ids.ts';
import type { Failure, Result } from '../../preload/contract/result.ts';
import { useBridge } from '../bridge/bridgeContext.tsx';
import { Button } from '../ui/Button.tsx';
import { classes } from '../ui/classes.ts';
import { Dialog } from '../ui/Dialog.tsx';
import { FailureNote } from '../ui/FailureNote.tsx';
import { IconButton } from '../ui/IconButton.tsx';
import { Skeleton } from '../ui/Skeleton.tsx';
import { findByTyping } from './typeAhead.ts';

type Listing = CommandOutput<'folder.browse'>;

/** Typing that pauses this long begins anew, as in every list of the system. */
const typingPauseMs = 800;

export interface PickedFolder {
  id: FolderId;
  path: string;
}

/** One line of the list: a folder to go into, or a file to choose. */
type Row = { name: string; folder: FolderId } | { name: string; file: string };

const rowsOf = ({ entries, files = [] }: Listing): Row[] => [
  ...entries.map(({ id, name }) => ({ name, folder: id })),
  ...files.map(({ name, path }) => ({ name, file: path })),
];

/** The last part of a path of this computer, whose system may be any; the path itself for the root of a disk. */
const nameOf = (path = ''): string => /[^/\\]+(?=[/\\]*$)/.exec(path)?.[0] ?? path;

/**
 * Chooses a folder, or a file by its path, where the shell has no dialog of the system: an own list over what the host shows, all of it by
 * keyboard.
 */
export function FolderDialog({
  open,
  onClose,
  ...choice
}: {
  open: boolean;
  onClose(): void;
} & ({ picks: 'folder'; onChoose(folder: PickedFolder): void } | { picks: 'file'; onChoose(path: string): void })) {
  const { picks } = choice;
  const { t } = useTranslation('servers');
  const bridge = useBridge();
  const [listing, setListing] = useState<Listing>();
  const [failure, setFailure] = useState<Failure>();
  const [current, setCurrent] = useState(0);
  const list = useRef<HTMLUListElement>(null);
  const wanted = useRef(0);
  const typed = useRef({ text: '', at: 0 });

  const take = useCallback((mine: number, result: Result<Listing>, from?: FolderId) => {
    // A slow folder that was left meanwhile must not come back over the one that is shown.
    if (mine !== wanted.current) return;
    setFailure(result.ok ? undefined : result.error);
    if (!result.ok) return;
    setListing(result.value);
    setCurrent(
      Math.max(
        0,
        rowsOf(result.value).findIndex((row) => 'folder' in row && row.folder === from),
      ),
    );
  }, []);
  const words = picks === 'file' ? 'pickFile' : 'folder';
  const wish = picks === 'file' ? { files: true as const } : {};
  const go = async (folderId: FolderId, from?: FolderId) => {
    wanted.current += 1;
    take(wanted.current, await bridge.invoke('folder.browse', { folderId, ...wish }), from);
  };
  // Each time it opens it begins in the home folder.
  useEffect(() => {
    if (!open) return;
    wanted.current += 1;
    const mine = wanted.current;
    void bridge.invoke('folder.browse', picks === 'file' ? { files: true } : {}).then((result) => take(mine, result));
    return () => {
      wanted.current += 1;
    };
  }, [open, bridge, take, picks]);
  const listed = listing !== undefined;
  useEffect(() => {
    if (open && listed) list.current?.focus();
  }, [open, listed]);
  useEffect(() => {
    document.getElementById(`folder-row-${current}`)?.scrollIntoView({ block: 'nearest' });
  }, [current, listing]);

  const rows = listing === undefined ? [] : rowsOf(listing);
  const row = rows[current];
  const chooseRow = (chosen: Row) => {
    if ('folder' in chosen) void go(chosen.folder);
    else if (choice.picks === 'file') choice.onChoose(chosen.file);
  };
  const choose = () => {
    if (choice.picks === 'file') {
      if (row !== undefined) chooseRow(row);
    } else if (listing !== undefined) choice.onChoose(listing.folder);
  };
  const up = () => {
    if (listing?.parentId !== undefined) void go(listing.parentId, listing.folder.id);
  };
  const keyDown = (event: KeyboardEvent) => {
    if (listing === undefined || event.nativeEvent.isComposing || event.metaKey || event.ctrlKey) return;
    const last = rows.length - 1;
    const move = (index: number) => setCurrent(Math.max(0, Math.min(last, index)));
    if (event.key === 'ArrowDown') move(current + 1);
    else if (event.key === 'ArrowUp' && event.altKey) up();
    else if (event.key === 'ArrowUp') move(current - 1);
    else if (event.key === 'PageDown') move(current + 8);
    else if (event.key === 'PageUp') move(current - 8);
    else if (event.key === 'Home') move(0);
    else if (event.key === 'End') move(last);
    else if (event.key === 'Backspace' || event.key === 'ArrowLeft') up();
    else if (event.key === 'Enter' && row !== undefined) chooseRow(row);
    else if (event.key === 'ArrowRight' && row !== undefined && 'folder' in row) void go(row.folder);
    else if (event.key.length === 1) {
      const goesOn = event.timeStamp - typed.current.at < typingPauseMs;
      typed.current = { text: (goesOn ? typed.current.text : '') + event.key, at: event.timeStamp };
      const found = findByTyping(
        rows.map((each) => each.name),
        typed.current.text,
        current,
      );
      if (found >= 0) setCurrent(found);
    } else return;
    event.preventDefault();
  };

  return (
    <Dialog
      open={open}
      onClose={onClose}
      title={t(`${words}.title`)}
      description={t(`${words}.keys`)}
      footer={
        <>
          <Button onClick={onClose}>{t('folder.cancel')}</Button>
          <Button
            kind="primary"
            className="max-w-full min-w-0"
            disabled={picks === 'folder' ? listing === undefined : row === undefined || !('file' in row)}
            onClick={choose}
          >
            <span className="truncate">
              {picks === 'file' ? t('pickFile.choose') : t('folder.choose', { name: nameOf(listing?.folder.path) })}
            </span>
          </Button>
        </>
      }
    >
      <div className="flex flex-col gap-2">
        <FailureNote failure={failure} />
        {listing === undefined ? (
          failure === undefined && <Skeleton label={t('folder.loading')} />
        ) : (
          <>
            <div className="flex items-center gap-2">
              <IconButton
                small
                label={t('folder.up')}
                icon={<CornerLeftUp size={16} aria-hidden />}
                disabled={listing.parentId === undefined}
                onClick={up}
              />
              <code className="min-w-0 flex-1 text-ui wrap-anywhere">{listing.folder.path}</code>
            </div>
            <ul
              ref={list}
              role="listbox"
              aria-label={t(`${words}.entries`, { path: listing.folder.path })}
              aria-activedescendant={row === undefined ? undefined : `folder-row-${current}`}
              tabIndex={0}
              onKeyDown={keyDown}
              className="group h-64 overflow-auto rounded-control border border-line bg-surface p-1"
            >
              {rows.map((each, index) => (
                <li
                  key={'folder' in each ? each.folder : each.file}
                  id={`folder-row-${index}`}
                  role="option"
                  aria-selected={index === current}
                  onClick={({ detail }) => {
                    if (detail > 1) return;
                    // A folder is gone into at once, so that the one that would be chosen is always the one whose path is shown; the second
                    // click of a habit lands on whatever stands there by then, and means nothing.
                    if ('folder' in each) void go(each.folder);
                    else setCurrent(index);
                  }}
                  onDoubleClick={() => {
                    if ('file' in each && index === current) chooseRow(each);
                  }}
                  className={classes(
                    'flex min-h-8 items-center gap-2 rounded-control px-2 text-ui',
                    index === current && 'bg-hover group-focus:bg-accent-soft',
                  )}
                >
                  {'folder' in each ? (
                    <Folder
                      size={16}
                      // Among folders alone there is nothing to tell apart.
                      {...(picks === 'file' ? { role: 'img', 'aria-label': t('pickFile.isFolder') } : { 'aria-hidden': true })}
                      className="shrink-0 text-ink-3"
                    />
                  ) : (
                    <File size={16} aria-hidden className="shrink-0 text-ink-3" />
                  )}
                  <span className="truncate">{each.name}</span>
                </li>
              ))}
            </ul>
            {rows.length === 0 ? <p className="text-caption text-ink-3">{t(`${words}.empty`)}</p> : null}
            {listing.more ? <p className="text-caption text-ink-3">{t(`${words}.more`)}</p> : null}
          </>
        )}
      </div>
    </Dialog>
  );
}

import { CornerLeftUp, Folder } from 'lucide-react';
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

/** Chooses a folder where the shell has no dialog of the system: an own list over what the host shows, all of it by keyboard. */
export function FolderDialog({ open, onChoose, onClose }: { open: boolean; onChoose(folder: PickedFolder): void; onClose(): void }) {
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
        result.value.entries.findIndex((entry) => entry.id === from),
      ),
    );
  }, []);
  const go = async (folderId: FolderId, from?: FolderId) => {
    wanted.current += 1;
    take(wanted.current, await bridge.invoke('folder.browse', { folderId }), from);
  };
  // Each time it opens it begins in the home folder.
  useEffect(() => {
    if (!open) return;
    wanted.current += 1;
    const mine = wanted.current;
    void bridge.invoke('folder.browse', {}).then((result) => take(mine, result));
    return () => {
      wanted.current += 1;
    };
  }, [open, bridge, take]);
  const listed = listing !== undefined;
  useEffect(() => {
    if (open && listed) list.current?.focus();
  }, [open, listed]);
  useEffect(() => {
    const shown = listing?.entries[current];
    if (shown !== undefined) document.getElementById(`folder-${shown.id}`)?.scrollIntoView({ block: 'nearest' });
  }, [current, listing]);

  const up = () => {
    if (listing?.parentId !== undefined) void go(listing.parentId, listing.folder.id);
  };
  const keyDown = (event: KeyboardEvent) => {
    if (listing === undefined || event.nativeEvent.isComposing || event.metaKey || event.ctrlKey) return;
    const last = listing.entries.length - 1;
    const entry = listing.entries[current];
    const move = (index: number) => setCurrent(Math.max(0, Math.min(last, index)));
    if (event.key === 'ArrowDown') move(current + 1);
    else if (event.key === 'ArrowUp' && event.altKey) up();
    else if (event.key === 'ArrowUp') move(current - 1);
    else if (event.key === 'PageDown') move(current + 8);
    else if (event.key === 'PageUp') move(current - 8);
    else if (event.key === 'Home') move(0);
    else if (event.key === 'End') move(last);
    else if (event.key === 'Backspace' || event.key === 'ArrowLeft') up();
    else if ((event.key === 'Enter' || event.key === 'ArrowRight') && entry !== undefined) void go(entry.id);
    else if (event.key.length === 1) {
      const goesOn = event.timeStamp - typed.current.at < typingPauseMs;
      typed.current = { text: (goesOn ? typed.current.text : '') + event.key, at: event.timeStamp };
      const found = findByTyping(
        listing.entries.map((each) => each.name),
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
      title={t('folder.title')}
      description={t('folder.keys')}
      footer={
        <>
          <Button onClick={onClose}>{t('folder.cancel')}</Button>
          <Button kind="primary" disabled={listing === undefined} onClick={() => listing && onChoose(listing.folder)}>
            {t('folder.choose')}
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
              aria-label={t('folder.entries', { path: listing.folder.path })}
              aria-activedescendant={listing.entries[current] === undefined ? undefined : `folder-${listing.entries[current].id}`}
              tabIndex={0}
              onKeyDown={keyDown}
              className="group h-64 overflow-auto rounded-control border border-line bg-surface p-1"
            >
              {listing.entries.map((entry, index) => (
                <li
                  key={entry.id}
                  id={`folder-${entry.id}`}
                  role="option"
                  aria-selected={index === current}
                  onClick={() => setCurrent(index)}
                  onDoubleClick={() => void go(entry.id)}
                  className={classes(
                    'flex min-h-8 items-center gap-2 rounded-control px-2 text-ui',
                    index === current && 'bg-hover group-focus:bg-accent-soft',
                  )}
                >
                  <Folder size={16} aria-hidden className="shrink-0 text-ink-3" />
                  <span className="truncate">{entry.name}</span>
                </li>
              ))}
            </ul>
            {listing.entries.length === 0 ? <p className="text-caption text-ink-3">{t('folder.empty')}</p> : null}
            {listing.more ? <p className="text-caption text-ink-3">{t('folder.more')}</p> : null}
          </>
        )}
      </div>
    </Dialog>
  );
}

import { Command } from 'cmdk';
import { Dialog as Radix } from 'radix-ui';
import { type ReactNode, useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useStore } from 'zustand';
import type { SearchHit } from '../../../preload/contract/conversations.ts';
import type { ConversationId, MessageId } from '../../../preload/contract/ids.ts';
import type { Failure } from '../../../preload/contract/result.ts';
import { useBridge } from '../../bridge/bridgeContext.tsx';
import { useStores } from '../../state/storesContext.tsx';
import { FailureNote } from '../../ui/FailureNote.tsx';
import { Kbd } from '../../ui/Kbd.tsx';
import { VisibleText } from '../../ui/VisibleText.tsx';

export interface PaletteCommand {
  id: string;
  label: string;
  keys?: string;
  run(): void;
}

const groupLook =
  '**:[[cmdk-group-heading]]:px-3 **:[[cmdk-group-heading]]:pt-2 **:[[cmdk-group-heading]]:pb-1 **:[[cmdk-group-heading]]:text-caption **:[[cmdk-group-heading]]:text-ink-3';

/** Chats by name, messages by their words, and commands, from one field. */
export function Palette({
  open,
  onClose,
  commands,
  onOpenChat,
}: {
  open: boolean;
  onClose(): void;
  commands: readonly PaletteCommand[];
  onOpenChat(id: ConversationId, messageId?: MessageId): void;
}) {
  const { t } = useTranslation('history');
  return (
    <Radix.Root open={open} onOpenChange={(next) => (next ? undefined : onClose())}>
      <Radix.Portal>
        <Radix.Overlay className="fixed inset-0 z-40 animate-appear bg-scrim" />
        <Radix.Content
          aria-describedby={undefined}
          className="fixed top-[12vh] left-1/2 z-40 flex max-h-[70vh] w-[min(560px,calc(100vw-32px))] -translate-x-1/2 animate-appear flex-col overflow-hidden rounded-dialog border border-line bg-floating shadow-float"
        >
          <Radix.Title className="sr-only">{t('palette.label')}</Radix.Title>
          <Entries commands={commands} onClose={onClose} onOpenChat={onOpenChat} />
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  );
}

function Entries({
  commands,
  onClose,
  onOpenChat,
}: {
  commands: readonly PaletteCommand[];
  onClose(): void;
  onOpenChat(id: ConversationId, messageId?: MessageId): void;
}) {
  const { t } = useTranslation('history');
  const { history } = useStores();
  const chats = useStore(history.store, (state) => state.conversations);
  const [query, setQuery] = useState('');
  const { hits, failure, searching } = useSearch(query);
  const words = query.trim().toLocaleLowerCase();
  const fits = (text: string) => words === '' || words.split(/\s+/).every((word) => text.toLocaleLowerCase().includes(word));
  const run = (action: () => void) => () => {
    onClose();
    action();
  };
  const named = chats.filter((chat) => fits(chat.title)).slice(0, words === '' ? 5 : 8);
  const fitting = commands.filter((command) => fits(command.label));
  return (
    <Command label={t('palette.label')} shouldFilter={false} loop className="flex min-h-0 flex-col">
      <Command.Input
        autoFocus
        value={query}
        onValueChange={setQuery}
        placeholder={t('palette.placeholder')}
        className="min-h-12 border-b border-line bg-transparent px-4 text-prose text-ink outline-none"
      />
      <Command.List tabIndex={-1} className="min-h-0 flex-1 overflow-auto p-1">
        {named.length === 0 ? null : (
          <Command.Group heading={t('palette.chats')} className={groupLook}>
            {named.map((chat) => (
              <Entry key={chat.id} value={`chat ${chat.id}`} onSelect={run(() => onOpenChat(chat.id))}>
                <span className="truncate">
                  <VisibleText text={chat.title === '' ? t('untitled') : chat.title} />
                </span>
              </Entry>
            ))}
          </Command.Group>
        )}
        {fitting.length === 0 ? null : (
          <Command.Group heading={t('palette.commands')} className={groupLook}>
            {fitting.map((command) => (
              <Entry key={command.id} value={`command ${command.id}`} onSelect={run(command.run)}>
                <span className="flex-1 truncate">{command.label}</span>
                {command.keys === undefined ? null : <Kbd keys={command.keys} />}
              </Entry>
            ))}
          </Command.Group>
        )}
        {hits.length === 0 ? null : (
          <Command.Group heading={t('palette.found')} className={groupLook}>
            {hits.map((hit, index) => (
              <Entry
                key={`${hit.conversationId} ${hit.messageId ?? ''} ${index}`}
                value={`hit ${hit.conversationId} ${index}`}
                onSelect={run(() => onOpenChat(hit.conversationId, hit.messageId))}
              >
                <span className="min-w-0 py-1">
                  <span className="block truncate">
                    <VisibleText text={hit.title === '' ? t('untitled') : hit.title} />
                  </span>
                  <Snippet hit={hit} />
                </span>
              </Entry>
            ))}
          </Command.Group>
        )}
        {searching ? <p className="animate-late px-3 py-2 text-caption text-ink-3">{t('palette.searching')}</p> : null}
        {!searching && named.length + fitting.length + hits.length === 0 ? (
          <p className="px-3 py-2 text-ink-3">{t('palette.none')}</p>
        ) : null}
        <FailureNote failure={failure} />
      </Command.List>
    </Command>
  );
}

function Entry({ value, onSelect, children }: { value: string; onSelect(): void; children: ReactNode }) {
  return (
    <Command.Item
      value={value}
      onSelect={onSelect}
      className="flex min-h-8 items-center gap-2 rounded-control px-3 text-ui text-ink data-[selected=true]:bg-hover"
    >
      {children}
    </Command.Item>
  );
}

/** The words around a hit, with the found ones set off. The text is data: never markup. */
function Snippet({ hit }: { hit: SearchHit }) {
  const pieces: ReactNode[] = [];
  let from = 0;
  for (const [start, end] of hit.ranges) {
    pieces.push(hit.snippet.slice(from, start));
    pieces.push(
      <mark key={start} className="rounded-[4px] bg-accent-soft text-accent">
        {hit.snippet.slice(start, end)}
      </mark>,
    );
    from = end;
  }
  pieces.push(hit.snippet.slice(from));
  return <span className="line-clamp-2 block text-caption wrap-anywhere text-ink-3">{pieces}</span>;
}

/** Hits in the messages for what is typed; an answer for an earlier query is dropped. */
function useSearch(query: string): { hits: readonly SearchHit[]; failure: Failure | undefined; searching: boolean } {
  const bridge = useBridge();
  const [found, setFound] = useState<{ query: string; hits: readonly SearchHit[]; failure: Failure | undefined }>({
    query: '',
    hits: [],
    failure: undefined,
  });
  const wanted = query.trim();
  useEffect(() => {
    if (wanted === '') return;
    let current = true;
    const timer = setTimeout(() => {
      void bridge.invoke('conversation.search', { query: wanted.slice(0, 500), limit: 30 }).then((result) => {
        if (current) setFound({ query: wanted, hits: result.ok ? result.value.hits : [], failure: result.ok ? undefined : result.error });
      });
    }, 120);
    return () => {
      current = false;
      clearTimeout(timer);
    };
  }, [bridge, wanted]);
  if (wanted === '') return { hits: [], failure: undefined, searching: false };
  return {
    hits: found.query === wanted ? found.hits : [],
    failure: found.query === wanted ? found.failure : undefined,
    searching: found.query !== wanted,
  };
}

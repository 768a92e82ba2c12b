import { AppWindow, X } from 'lucide-react';
import { useEffect, useId, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useStore } from 'zustand';
import type { ResultBlock } from '../../../preload/contract/content.ts';
import type { ConversationId } from '../../../preload/contract/ids.ts';
import { useBridge } from '../../bridge/bridgeContext.tsx';
import { useAction } from '../../bridge/useAction.ts';
import { useStores } from '../../state/storesContext.tsx';
import { type WordsOfView, wordsIn } from '../../state/views.ts';
import { FailureNote } from '../../ui/FailureNote.tsx';
import { IconButton } from '../../ui/IconButton.tsx';
import { ResultBlockView } from '../../ui/ResultBlockView.tsx';
import { VisibleText } from '../../ui/VisibleText.tsx';

/** What views want said with the next message, in the names of their servers: each can be looked at and taken off. */
export function ViewWordsChips({ conversationId, onRemoved }: { conversationId: ConversationId | null; onRemoved(): void }) {
  const { t } = useTranslation('views');
  const { views } = useStores();
  const words = useStore(views.store, (state) => wordsIn(state.words, conversationId));
  if (conversationId === null || words.length === 0) return null;
  return (
    <ul aria-label={t('along')} className="flex flex-col gap-2 pb-2">
      {words.map((each) => (
        <li key={`${each.kind} ${each.callId}`}>
          <Words
            conversationId={conversationId}
            words={each}
            onTakeOff={() => {
              views.takeOff(conversationId, each);
              onRemoved();
            }}
          />
        </li>
      ))}
    </ul>
  );
}

function Words({ conversationId, words, onTakeOff }: { conversationId: ConversationId; words: WordsOfView; onTakeOff(): void }) {
  const { t } = useTranslation(['views', 'prompts']);
  const bridge = useBridge();
  const contentId = useId();
  const [blocks, setBlocks] = useState<readonly ResultBlock[] | null>(null);
  const look = useAction(async () => {
    const { callId, kind } = words;
    const result = await bridge.invoke('view.words', { conversationId, words: { callId, kind } });
    if (result.ok) setBlocks(result.value.blocks);
    return result;
  });
  const { run } = look;
  const isOpen = blocks !== null;
  useEffect(() => {
    // The view has said something else: what stands open is what goes along.
    if (isOpen) void run();
    // `run` is another function on every rendering, and opening it reads them by itself.
    // eslint-disable-next-line react-hooks/exhaustive-deps
  }, [words]);
  const name = t(`words.${words.kind}`);
  return (
    <div className="flex flex-col gap-2">
      <div
        data-outline
        data-words={words.kind}
        className="flex min-h-8 max-w-full items-center self-start rounded-control border border-line bg-sunken text-ink-2"
      >
        <button
          type="button"
          aria-expanded={blocks !== null}
          aria-controls={blocks === null ? undefined : contentId}
          className="flex min-h-8 min-w-0 items-center gap-2 rounded-control pr-1 pl-2 text-left text-caption -outline-offset-2"
          onClick={() => (blocks === null ? void look.run() : setBlocks(null))}
        >
          <AppWindow size={16} aria-hidden className="shrink-0" />
          <span className="max-w-60 truncate font-strong">{name}</span>
          <span className="max-w-40 shrink-0 truncate text-ink-3">
            <VisibleText text={t('prompts:from', { server: words.serverName })} />
          </span>
        </button>
        <IconButton small label={t('prompts:takeOff', { name })} icon={<X size={16} aria-hidden />} onClick={onTakeOff} />
      </div>
      <FailureNote failure={look.failure} />
      {blocks === null ? null : (
        <div id={contentId} className="flex max-h-[min(240px,20vh)] flex-col gap-2 overflow-auto border-t border-line pt-2 text-ui">
          <p className="text-caption text-ink-3">{t('wordsHint', { server: words.serverName })}</p>
          {blocks.map((block, index) => (
            <ResultBlockView key={index} block={block} />
          ))}
        </div>
      )}
    </div>
  );
}

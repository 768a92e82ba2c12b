import { useEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useStore } from 'zustand';
import type { Turn } from '../../preload/contract/conversations.ts';
import { useStores } from '../state/storesContext.tsx';

/** Tells a screen reader that an answer began and what it was when it is there, never the words one by one. */
export function LiveStatus() {
  const { t } = useTranslation('chat');
  const { conversation } = useStores();
  const last = useStore(conversation.store, (state) => state.branch.messages.at(-1));
  const [words, setWords] = useState('');
  const before = useRef<{ id: string; state: Turn['state'] } | null>(null);
  const turn = last?.turn;
  useEffect(() => {
    if (turn === undefined) return;
    const known = before.current;
    before.current = { id: turn.id, state: turn.state };
    // What had ended before this chat was opened is no news.
    if (known !== null && known.id === turn.id && known.state === turn.state) return;
    if (turn.state === 'running') setWords(t('live.replying'));
    else if (known?.id === turn.id) {
      const text = last?.parts.flatMap((part) => (part.kind === 'text' ? [part.text.text] : [])).at(-1) ?? '';
      setWords(
        turn.state === 'failed'
          ? t('live.failed', { text: turn.error?.message ?? '' })
          : turn.state === 'stopped'
            ? t('live.stopped')
            : t('live.done', { text: text.slice(0, 2000) }),
      );
    }
  }, [turn, last, t]);
  return (
    <div role="status" className="sr-only">
      {words}
    </div>
  );
}

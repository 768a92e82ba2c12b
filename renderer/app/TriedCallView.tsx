import { useEffect, useRef } from 'react';
import { useTranslation } from 'react-i18next';
import { useStore } from 'zustand';
import type { CallId, ConversationId } from '../../preload/contract/ids.ts';
import { ApprovalDock } from '../features/approval/ApprovalDock.tsx';
import { ToolRow } from '../features/chat/ToolRow.tsx';
import { waitingIn } from '../state/approvals.ts';
import { useStores } from '../state/storesContext.tsx';
import { useShortcuts } from './useShortcuts.ts';

/** A call that was tried by hand: its card while it waits, and its row, the same ones as in a chat. */
export function TriedCallView({ conversationId, callId }: { conversationId: ConversationId; callId: CallId }) {
  const { t } = useTranslation('inspector');
  const { bench, approvals } = useStores();
  const card = useRef<HTMLElement>(null);
  const row = useRef<HTMLDivElement>(null);
  useShortcuts({ 'Mod+J': () => card.current?.focus() });
  useEffect(() => void bench.open(conversationId), [bench, conversationId]);
  const call = useStore(bench.store, ({ id, branch }) => {
    if (id !== conversationId) return undefined;
    for (const { parts } of branch.messages)
      for (const part of parts) if (part.kind === 'call' && part.call.id === callId) return part.call;
    return undefined;
  });
  const waits = useStore(approvals.store, (state) => waitingIn(state, conversationId).length);
  useEffect(() => {
    // The place where it was asked for may be far above: a card that nobody sees cannot be answered.
    if (waits > 0) row.current?.scrollIntoView({ block: 'nearest' });
  }, [waits]);
  return (
    <div ref={row} tabIndex={-1} role="group" aria-label={t('try.call')} className="flex flex-col gap-3 outline-none">
      <ApprovalDock
        conversationId={conversationId}
        card={card}
        onDecided={() => row.current?.focus()}
        onLeave={() => row.current?.focus()}
      />
      {call === undefined ? null : <ToolRow call={call} onShowWaiting={() => card.current?.focus()} />}
    </div>
  );
}

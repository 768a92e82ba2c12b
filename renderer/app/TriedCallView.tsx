import { useEffect, useRef } from 'react';
import { useTranslation } from 'react-i18next';
import { useStore } from 'zustand';
import type { CallId, ConversationId } from '../../preload/contract/ids.ts';
import { ApprovalDock } from '../features/approval/ApprovalDock.tsx';
import { ToolRow } from '../features/chat/ToolRow.tsx';
import { useStores } from '../state/storesContext.tsx';

/** A call that was tried by hand: its card while it waits, and its row, the same ones as in a chat. */
export function TriedCallView({ conversationId, callId }: { conversationId: ConversationId; callId: CallId }) {
  const { t } = useTranslation('inspector');
  const { bench } = useStores();
  const card = useRef<HTMLElement>(null);
  const row = useRef<HTMLDivElement>(null);
  useEffect(() => void bench.open(conversationId), [bench, conversationId]);
  const call = useStore(bench.store, ({ id, branch }) => {
    if (id !== conversationId) return undefined;
    for (const { parts } of branch.messages)
      for (const part of parts) if (part.kind === 'call' && part.call.id === callId) return part.call;
    return undefined;
  });
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

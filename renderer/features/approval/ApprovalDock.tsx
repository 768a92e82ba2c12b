import { ChevronLeft, ChevronRight } from 'lucide-react';
import { type RefObject, useMemo, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useStore } from 'zustand';
import type { ConversationId } from '../../../preload/contract/ids.ts';
import { useAction } from '../../bridge/useAction.ts';
import { ok } from '../../../preload/contract/result.ts';
import { type CallAnswer, type CardCalls, cardId, waitingIn } from '../../state/approvals.ts';
import { useStores } from '../../state/storesContext.tsx';
import { Button } from '../../ui/Button.tsx';
import { effectsShown } from '../../ui/EffectTag.tsx';
import { FailureNote } from '../../ui/FailureNote.tsx';
import { IconButton } from '../../ui/IconButton.tsx';
import { keysText } from '../../ui/keys.ts';
import { ApprovalCard } from './ApprovalCard.tsx';
import { InputCard } from './InputCard.tsx';
import { useCardTitle } from './useCardTitle.ts';

/** What waits in the shown chat, one card at a time, above the composer. It takes no focus by itself and says once that it is there. */
export function ApprovalDock({
  conversationId,
  wanted = null,
  card,
  onDecided,
  onLeave,
}: {
  conversationId: ConversationId | null;
  /** The card to begin with, by its name, instead of the first one. */
  wanted?: string | null | undefined;
  card: RefObject<HTMLElement | null>;
  onDecided(): void;
  onLeave(): void;
}) {
  const { t } = useTranslation(['approval', 'app']);
  const { approvals } = useStores();
  const state = useStore(approvals.store);
  const waiting = useMemo(() => waitingIn(state, conversationId), [state, conversationId]);
  const [chosen, setChosen] = useState(wanted);
  const ids = waiting.map(cardId);
  const index = Math.max(
    0,
    ids.findIndex((id) => id === chosen),
  );
  const denyAll = useAction(async () => {
    for (const each of waiting) {
      if (each.kind !== 'approval') continue;
      const [first, ...others] = each.approvals;
      const denied = (approval: CallAnswer['approval']): CallAnswer => ({ approval, decision: { kind: 'deny' } });
      const result = await approvals.decide([denied(first), ...others.map(denied)]);
      if (!result.ok && result.error.code !== 'alreadyAnswered') return result;
    }
    return ok({});
  });
  const current = waiting[index];
  const cards = waiting.filter((each) => each.kind === 'approval');
  const calls = cards.reduce((sum, each) => sum + each.approvals.length, 0);
  const position =
    current === undefined ? null : (
      <span className="flex shrink-0 items-center gap-1">
        {waiting.length > 1 ? (
          <IconButton
            small
            label={t('previous')}
            icon={<ChevronLeft size={16} aria-hidden />}
            disabled={index === 0}
            onClick={() => setChosen(ids[index - 1] ?? null)}
          />
        ) : null}
        <span className="text-caption text-ink-3 tabular-nums">{t('position', { current: index + 1, all: waiting.length })}</span>
        {waiting.length > 1 ? (
          <IconButton
            small
            label={t('next')}
            icon={<ChevronRight size={16} aria-hidden />}
            disabled={index === waiting.length - 1}
            onClick={() => setChosen(ids[index + 1] ?? null)}
          />
        ) : null}
        {cards.length > 1 ? (
          <Button kind="quiet" className="min-h-7" disabled={denyAll.busy} onClick={() => void denyAll.run()}>
            {t('denyAll', { count: calls })}
          </Button>
        ) : null}
      </span>
    );

  return (
    <>
      <div role="alert" className="sr-only">
        {current === undefined ? null : current.kind === 'approval' ? (
          <Announcement key={cardId(current)} approvals={current.approvals} />
        ) : (
          t(current.inputs[0].kind === 'modelGuard' ? 'announceGuard' : 'announceInput', {
            server: current.inputs[0].serverName,
            keys: keysText('Mod+J'),
          })
        )}
      </div>
      <FailureNote failure={denyAll.failure} />
      {current === undefined ? null : current.kind === 'approval' ? (
        <ApprovalCard
          key={cardId(current)}
          approvals={current.approvals}
          card={card}
          position={position}
          first={index === 0}
          onDecided={onDecided}
          onLeave={onLeave}
        />
      ) : (
        // A form that somebody has begun keeps its place when something else comes that would stand before it.
        <div className="contents" onFocusCapture={() => setChosen(cardId(current))}>
          <InputCard
            key={cardId(current)}
            inputs={current.inputs}
            card={card}
            position={position}
            onDecided={onDecided}
            onLeave={onLeave}
          />
        </div>
      )}
    </>
  );
}

/** Said once for each card, also where more calls join it. */
function Announcement({ approvals }: { approvals: CardCalls }) {
  const { t } = useTranslation(['approval', 'app']);
  const [first] = approvals;
  const question = useCardTitle(approvals);
  const effects = effectsShown(first.effects).map((effect) => t(`app:effect.${effect}`));
  const [said] = useState(() =>
    t('announce', { question, effects: effects.join(', '), server: first.serverName, keys: keysText('Mod+J') }),
  );
  return said;
}

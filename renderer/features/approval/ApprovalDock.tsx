import { ChevronLeft, ChevronRight } from 'lucide-react';
import { type RefObject, useMemo, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useStore } from 'zustand';
import type { ConversationId } from '../../../preload/contract/ids.ts';
import type { Approval } from '../../../preload/contract/policy.ts';
import { useAction } from '../../bridge/useAction.ts';
import { ok } from '../../../preload/contract/result.ts';
import { cardId, waitingIn } from '../../state/approvals.ts';
import { useStores } from '../../state/storesContext.tsx';
import { Button } from '../../ui/Button.tsx';
import { effectsShown } from '../../ui/EffectTag.tsx';
import { FailureNote } from '../../ui/FailureNote.tsx';
import { IconButton } from '../../ui/IconButton.tsx';
import { keysText } from '../../ui/keys.ts';
import { ApprovalCard } from './ApprovalCard.tsx';
import { InputCard } from './InputCard.tsx';
import { useQuestion } from './useQuestion.ts';

/** What waits in the shown chat, one card at a time, above the composer. It takes no focus by itself and says once that it is there. */
export function ApprovalDock({
  conversationId,
  card,
  onDecided,
  onLeave,
}: {
  conversationId: ConversationId | null;
  card: RefObject<HTMLElement | null>;
  onDecided(): void;
  onLeave(): void;
}) {
  const { t } = useTranslation(['approval', 'app']);
  const { approvals } = useStores();
  const state = useStore(approvals.store);
  const waiting = useMemo(() => waitingIn(state, conversationId), [state, conversationId]);
  const [chosen, setChosen] = useState<string | null>(null);
  const ids = waiting.map(cardId);
  const index = Math.max(
    0,
    ids.findIndex((id) => id === chosen),
  );
  const denyAll = useAction(async () => {
    for (const each of waiting) {
      if (each.kind !== 'approval') continue;
      const result = await approvals.decide(each.approval, { kind: 'deny' });
      if (!result.ok && result.error.code !== 'alreadyAnswered') return result;
    }
    return ok({});
  });
  const current = waiting[index];
  const waitingApprovals = waiting.filter(({ kind }) => kind === 'approval').length;
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
        {waitingApprovals > 1 ? (
          <Button kind="quiet" className="min-h-7" disabled={denyAll.busy} onClick={() => void denyAll.run()}>
            {t('denyAll', { count: waitingApprovals })}
          </Button>
        ) : null}
      </span>
    );

  return (
    <>
      <div role="alert" className="sr-only">
        {current === undefined ? null : current.kind === 'approval' ? (
          <Announcement approval={current.approval} />
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
          key={current.approval.id}
          approval={current.approval}
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

function Announcement({ approval }: { approval: Approval }) {
  const { t } = useTranslation(['approval', 'app']);
  const question = useQuestion(approval);
  const effects = effectsShown(approval.effects).map((effect) => t(`app:effect.${effect}`));
  return t('announce', { question, effects: effects.join(', '), server: approval.serverName, keys: keysText('Mod+J') });
}

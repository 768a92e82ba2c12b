import { CirclePause } from 'lucide-react';
import { useTranslation } from 'react-i18next';
import type { Message, Turn } from '../../../preload/contract/conversations.ts';
import { useAction } from '../../bridge/useAction.ts';
import { useChatActions } from '../../state/useChatActions.ts';
import { Button } from '../../ui/Button.tsx';
import { FailureNote } from '../../ui/FailureNote.tsx';
import { InlineError } from '../../ui/InlineError.tsx';

/** How a turn stands, where that needs a word, and the one thing to do about it. */
export function TurnFooter({ message, turn }: { message: Message; turn: Turn }) {
  const { t } = useTranslation('chat');
  const { continueTurn } = useChatActions();
  const again = useAction(() => continueTurn(turn.id));
  const action = (label: string) => (
    <Button disabled={again.busy} onClick={() => void again.run()}>
      {label}
    </Button>
  );
  if (turn.state === 'done') return null;
  if (turn.state === 'running') {
    const silent = message.parts.every((part) => (part.kind === 'call' ? 'endedAt' in part.call : !('open' in part) || !part.open));
    return silent ? (
      <p className="animate-late text-ui text-ink-3">
        <span className="animate-shimmer">{t('turn.working')}</span>
      </p>
    ) : null;
  }
  if (turn.state === 'failed') {
    return (
      <div className="flex flex-col gap-2">
        <InlineError message={turn.error?.message ?? t('turn.failed')} detail={turn.error?.detail} action={action(t('retry'))} />
        <FailureNote failure={again.failure} />
      </div>
    );
  }
  const words =
    turn.state === 'stepLimit'
      ? t('turn.stepLimit', { count: turn.steps })
      : turn.state === 'stopped'
        ? t('turn.stopped')
        : t('turn.interrupted');
  return (
    <div className="flex flex-col gap-2">
      <div className="flex flex-wrap items-center gap-2 text-ui text-ink-2">
        <CirclePause size={16} aria-hidden className="shrink-0 text-ink-3" />
        <p className="min-w-0 flex-1">{words}</p>
        {action(t('continue'))}
      </div>
      <FailureNote failure={again.failure} />
    </div>
  );
}

import { RotateCcw } from 'lucide-react';
import { memo, useMemo } from 'react';
import { useTranslation } from 'react-i18next';
import type { Message, Part } from '../../../preload/contract/conversations.ts';
import type { TurnId } from '../../../preload/contract/ids.ts';
import { useAction } from '../../bridge/useAction.ts';
import { Markdown } from '../../markdown/Markdown.tsx';
import { useChatActions } from '../../state/useChatActions.ts';
import { CopyButton } from '../../ui/CopyButton.tsx';
import { Fallback } from '../../ui/Fallback.tsx';
import { FailureNote } from '../../ui/FailureNote.tsx';
import { IconButton } from '../../ui/IconButton.tsx';
import { InlineError } from '../../ui/InlineError.tsx';
import { LongTextView } from '../../ui/LongTextView.tsx';
import { foldParts } from './foldParts.ts';
import { Thinking } from './Thinking.tsx';
import { ToolGroup } from './ToolGroup.tsx';
import { ToolRow } from './ToolRow.tsx';
import { TurnFooter } from './TurnFooter.tsx';
import { MessageActions, Versions } from './UserMessage.tsx';

export const answerText = (message: Message): string =>
  message.parts.flatMap((part) => (part.kind === 'text' && part.text.text !== '' ? [part.text.text] : [])).join('\n\n');

/** What a model said and did, in order. */
export function AssistantMessage({ message, last, onShowWaiting }: { message: Message; last: boolean; onShowWaiting(): void }) {
  const { t } = useTranslation('chat');
  const { regenerate } = useChatActions();
  const shown = useMemo(() => foldParts(message.parts), [message.parts]);
  const { turn } = message;
  const again = useAction(async (turnId: TurnId) => regenerate(turnId));
  return (
    <div className="group flex flex-col gap-3">
      {shown.map((each) =>
        each.kind === 'calls' ? (
          <Fallback key={each.parts[0]?.id} of={each} instead={<InlineError message={t('cannotBeShown')} />}>
            <ToolGroup calls={each.parts.map(({ call }) => call)} onShowWaiting={onShowWaiting} />
          </Fallback>
        ) : (
          <Fallback key={each.part.id} of={each.part} instead={<InlineError message={t('cannotBeShown')} />}>
            <PartView part={each.part} onShowWaiting={onShowWaiting} />
          </Fallback>
        ),
      )}
      {turn === undefined ? null : <TurnFooter message={message} turn={turn} />}
      {turn !== undefined && turn.state !== 'running' ? (
        <div className="-mt-2 -ml-1.5 flex min-h-7 items-center gap-1">
          <MessageActions shown={last}>
            <CopyButton text={() => answerText(message)} label={t('copyAnswer')} />
            <IconButton
              small
              label={t('regenerate')}
              icon={<RotateCcw size={16} aria-hidden />}
              disabled={again.busy}
              onClick={() => void again.run(turn.id)}
            />
          </MessageActions>
          <Versions message={message} />
        </div>
      ) : null}
      <FailureNote failure={again.failure} />
    </div>
  );
}

/** Memoised, since of an answer that grows all parts but the last stay as they are. */
const PartView = memo(function PartView({ part, onShowWaiting }: { part: Part; onShowWaiting(): void }) {
  const { t } = useTranslation('chat');
  switch (part.kind) {
    case 'text':
      return part.text.text.length < part.text.length && !part.open ? (
        <LongTextView text={part.text} label={t('call.text')} />
      ) : (
        <Markdown text={part.text.text} growing={part.open} />
      );
    case 'reasoning':
      return <Thinking part={part} />;
    case 'call':
      return <ToolRow call={part.call} onShowWaiting={onShowWaiting} />;
    case 'attachment':
    case 'prompt':
      // Only a person attaches or chooses something.
      return null;
  }
});

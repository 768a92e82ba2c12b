import {
  Ban,
  Check,
  ChevronDown,
  CircleAlert,
  CircleStop,
  LoaderCircle,
  MessageCircleQuestion,
  Pencil,
  ShieldQuestion,
  Unplug,
} from 'lucide-react';
import { type ReactNode, useId, useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { CallFailureCode, ToolCall } from '../../../preload/contract/calls.ts';
import { useBridge } from '../../bridge/bridgeContext.tsx';
import { newCommandId } from '../../bridge/newCommandId.ts';
import { useAction } from '../../bridge/useAction.ts';
import type { ToolSentence } from '../../text/toolSentence.ts';
import { Button } from '../../ui/Button.tsx';
import { Chip } from '../../ui/Chip.tsx';
import { classes } from '../../ui/classes.ts';
import { FailureNote } from '../../ui/FailureNote.tsx';
import { InlineError } from '../../ui/InlineError.tsx';
import { useToolSentence } from '../../ui/useToolSentence.ts';
import { ProgressBar } from '../../ui/ProgressBar.tsx';
import { VisibleText } from '../../ui/VisibleText.tsx';
import { CallView } from '../../views/CallView.tsx';
import { MessagesLink } from './MessagesLink.tsx';
import { ToolDetails } from './ToolDetails.tsx';
import { useTimes } from '../../ui/useTimes.ts';

const icons: Record<ToolCall['state'], ReactNode> = {
  proposed: <LoaderCircle size={16} aria-hidden className="animate-turning text-ink-3" />,
  awaitingApproval: <ShieldQuestion size={16} aria-hidden className="text-write" />,
  running: <LoaderCircle size={16} aria-hidden className="animate-turning text-accent" />,
  awaitingInput: <MessageCircleQuestion size={16} aria-hidden className="text-write" />,
  succeeded: <Check size={16} aria-hidden className="text-read" />,
  failed: <CircleAlert size={16} aria-hidden className="text-danger" />,
  denied: <Ban size={16} aria-hidden className="text-ink-3" />,
  cancelled: <CircleStop size={16} aria-hidden className="text-ink-3" />,
  interrupted: <Unplug size={16} aria-hidden className="text-write" />,
};

const brokeProtocol: ReadonlySet<CallFailureCode> = new Set(['protocolError', 'invalidResult']);

/** One call as a line that opens. A failure stands open from the beginning, with its reason. */
export function ToolRow({ call, onShowWaiting }: { call: ToolCall; onShowWaiting(): void }) {
  const { t } = useTranslation('chat');
  const { duration } = useTimes();
  const id = useId();
  const failed = call.state === 'failed';
  const [chosen, setChosen] = useState<boolean | null>(null);
  const open = chosen ?? false;
  const sentence = useToolSentence(call.tool, call.arguments.text);
  const struck = call.state === 'denied';
  return (
    <div data-outline data-call={call.state} className="rounded-card border border-line bg-surface">
      <div className="flex min-h-8 items-center">
        <button
          type="button"
          data-bare
          aria-expanded={open}
          aria-controls={id}
          className="flex min-h-8 min-w-0 flex-1 items-center gap-2 rounded-card px-3 text-left"
          onClick={() => setChosen(!open)}
        >
          <span className="shrink-0">{icons[call.state]}</span>
          <span className={classes('min-w-0 flex-1 truncate', struck && 'text-ink-3 line-through')}>
            <Words call={call} sentence={sentence} />
          </span>
          {call.proposedArguments === undefined ? null : (
            <span className="inline-flex shrink-0 items-center gap-1 text-caption text-ink-2">
              <Pencil size={12} aria-hidden />
              {t('call.wasEdited')}
            </span>
          )}
          <Chip small className="max-w-40 shrink-0">
            <span className="truncate">
              <VisibleText text={call.serverName} />
            </span>
          </Chip>
          {'durationMs' in call && call.state !== 'denied' && call.state !== 'interrupted' ? (
            <span className="shrink-0 text-caption text-ink-3 tabular-nums">{duration(call.durationMs)}</span>
          ) : null}
          <ChevronDown
            size={16}
            aria-hidden
            className={classes('shrink-0 text-ink-3 transition-transform duration-[180ms]', open && 'rotate-180')}
          />
        </button>
        {call.state === 'awaitingApproval' || call.state === 'awaitingInput' ? (
          <Button kind="quiet" className="mr-1 min-h-7" onClick={onShowWaiting}>
            {t('call.show')}
          </Button>
        ) : null}
      </div>
      {call.state === 'running' && call.progress !== undefined ? (
        <div className="px-3 pb-2">
          <ProgressBar progress={call.progress} label={t('progress.label', { what: sentence.base })} />
        </div>
      ) : null}
      {failed ? (
        <div className="px-3 pb-3">
          <InlineError
            message={call.error.message}
            detail={call.error.detail}
            // The message that broke the protocol tells more than any sentence about it.
            action={brokeProtocol.has(call.error.code) ? <MessagesLink call={call} /> : undefined}
          />
        </div>
      ) : null}
      <EndedBy call={call} />
      <CallView call={call} />
      <div id={id}>{open ? <ToolDetails call={call} /> : null}</div>
    </div>
  );
}

function Words({ call, sentence }: { call: ToolCall; sentence: ToolSentence }) {
  const { t } = useTranslation('chat');
  const target =
    sentence.target === undefined ? null : (
      <>
        {' '}
        <code className="text-ink-2">
          <VisibleText text={sentence.target} />
        </code>
      </>
    );
  const capital = sentence.base.charAt(0).toUpperCase() + sentence.base.slice(1);
  switch (call.state) {
    case 'succeeded':
      return (
        <>
          {<VisibleText text={sentence.done} />}
          {target}
        </>
      );
    case 'running':
      return (
        <>
          {<VisibleText text={sentence.doing} />}
          {target}…
        </>
      );
    case 'proposed':
      return (
        <>
          {<VisibleText text={t('call.proposed', { what: sentence.base })} />}
          {target}
        </>
      );
    case 'awaitingApproval':
      return (
        <>
          {<VisibleText text={t('call.waiting', { what: sentence.base })} />}
          {target}
        </>
      );
    case 'awaitingInput':
      return <VisibleText text={t('call.waitingInput', { server: call.serverName })} />;
    case 'failed':
      return (
        <>
          {<VisibleText text={t('call.failed', { what: sentence.base })} />}
          {target}
        </>
      );
    case 'denied':
    case 'cancelled':
    case 'interrupted':
      return (
        <>
          {<VisibleText text={capital} />}
          {target}
        </>
      );
  }
}

/** Why a call never had a result. */
function EndedBy({ call }: { call: ToolCall }) {
  const { t } = useTranslation('chat');
  const bridge = useBridge();
  const again = useAction(() => bridge.invoke('call.askAgain', { commandId: newCommandId(), callId: call.id }));
  const line = (text: ReactNode, action?: ReactNode) => (
    <div className="flex flex-col gap-2 pr-3 pb-2 pl-9">
      <div className="flex flex-wrap items-center gap-2 text-caption text-ink-2">
        <span className="min-w-0 flex-1 wrap-anywhere">{text}</span>
        {action}
      </div>
      <FailureNote failure={again.failure} />
    </div>
  );
  if (call.state === 'denied') {
    return line(
      <>
        {t(`call.denied.${call.by}`)}
        {call.message === undefined || call.message === '' ? null : (
          <VisibleText text={call.by === 'user' ? ` · ${t('call.said', { message: call.message })}` : ` · ${call.message}`} />
        )}
      </>,
    );
  }
  if (call.state === 'cancelled') return line(t('call.cancelled'));
  if (call.state === 'interrupted') {
    return line(
      t(`call.interrupted.${call.was}`),
      call.was === 'awaitingApproval' ? (
        <Button disabled={again.busy} onClick={() => void again.run()}>
          {t('call.askAgain')}
        </Button>
      ) : undefined,
    );
  }
  return null;
}

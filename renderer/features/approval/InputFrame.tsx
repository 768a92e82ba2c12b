import { MoreHorizontal } from 'lucide-react';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import type { InputAnswer, InputRequest } from '../../../preload/contract/policy.ts';
import type { Failure } from '../../../preload/contract/result.ts';
import { useAction } from '../../bridge/useAction.ts';
import { useStores } from '../../state/storesContext.tsx';
import { Button } from '../../ui/Button.tsx';
import { FailureNote } from '../../ui/FailureNote.tsx';
import { IconButton } from '../../ui/IconButton.tsx';
import { LongTextView } from '../../ui/LongTextView.tsx';
import { Menu } from '../../ui/Menu.tsx';
import { useArmed } from '../../ui/useArmed.ts';
import { VisibleText } from '../../ui/VisibleText.tsx';

export interface InputPartProps {
  input: InputRequest;
  /** Of the element that names the card. */
  titleId: string;
  onDecided(): void;
}

/** Sends answers to one question. `armed` is false for the first moments of each stage. */
export function useInputAnswer({ input, onDecided }: InputPartProps) {
  const { approvals } = useStores();
  const armed = useArmed(`${input.id} ${input.stage ?? ''}`);
  const action = useAction((answer: InputAnswer) => approvals.answer(input, answer));
  const send = async (answer: InputAnswer): Promise<void> => {
    const result = await action.run(answer);
    const goesOn = answer.action === 'accept' && (input.sampling !== undefined || input.url !== undefined) && input.stage === undefined;
    if ((result.ok && !goesOn) || (!result.ok && result.error.code === 'alreadyAnswered')) onDecided();
  };
  return {
    ready: armed && !action.busy,
    failure: action.failure,
    /** Names the stage that the answer is given to. */
    accept: (more: Omit<Extract<InputAnswer, { action: 'accept' }>, 'action' | 'stage'> = {}) =>
      void send({ action: 'accept', ...(input.stage === undefined ? {} : { stage: input.stage }), ...more }),
    decline: (block: boolean) => void send({ action: 'decline', ...(block ? { block } : {}) }),
    cancel: () => void send({ action: 'cancel' }),
  };
}

type Answering = ReturnType<typeof useInputAnswer>;

/** The body scrolls; the note, the reason of a failure and the buttons stay in sight. */
export function InputFrame({
  titleId,
  children,
  note,
  failure,
  buttons,
  onSubmit,
}: {
  titleId: string;
  children?: ReactNode;
  note?: ReactNode;
  failure?: Failure | undefined;
  buttons: ReactNode;
  onSubmit?: () => void;
}) {
  return (
    <form
      noValidate
      className="flex min-h-0 flex-1 flex-col"
      onSubmit={(event) => {
        event.preventDefault();
        onSubmit?.();
      }}
    >
      <div
        tabIndex={0}
        role="group"
        aria-labelledby={titleId}
        data-scroll
        className="flex min-h-12 flex-1 flex-col gap-3 overflow-auto px-4 py-3 -outline-offset-2"
      >
        {children}
      </div>
      {note === undefined ? null : <div className="border-t border-line bg-sunken px-4 py-2 wrap-anywhere text-ink-2">{note}</div>}
      {failure === undefined ? null : (
        <div className="px-4 pt-3">
          <FailureNote failure={failure} />
        </div>
      )}
      <div className="flex flex-wrap items-center justify-end gap-2 border-t border-line px-4 py-3">{buttons}</div>
    </form>
  );
}

/** Words of the server: quoted, plain, and never a link. */
export function ServerWords({ input }: { input: InputRequest }) {
  const { t } = useTranslation('approval');
  const { message } = input;
  if (message.length === 0) return null;
  if (message.text.length < message.length || message.length > 1000) return <LongTextView text={message} label={t('input.words')} />;
  return (
    <figure>
      <figcaption className="text-caption text-ink-3">{t('input.words')}</figcaption>
      <blockquote className="mt-1 border-l border-line-strong pl-3 text-prose wrap-anywhere whitespace-pre-wrap">
        <VisibleText text={message.text} />
      </blockquote>
    </figure>
  );
}

/** No is one click away, and so is no for good. */
export function DeclineButtons({
  answering,
  words,
  server,
  mayCancel = true,
  children,
}: {
  answering: Answering;
  words: string;
  server: string;
  mayCancel?: boolean;
  /** Beside the menu, before the buttons. */
  children?: ReactNode;
}) {
  const { t } = useTranslation('approval');
  return (
    <>
      <Menu
        align="start"
        items={[
          {
            label: t('input.block', { server }),
            caption: t('input.blockCaption'),
            disabled: !answering.ready,
            onSelect: () => answering.decline(true),
          },
        ]}
      >
        <IconButton label={t('input.more')} icon={<MoreHorizontal size={16} aria-hidden />} />
      </Menu>
      <div className="min-w-0 flex-1">{children}</div>
      {mayCancel ? (
        <Button kind="quiet" disabled={!answering.ready} onClick={answering.cancel}>
          {t('input.cancel')}
        </Button>
      ) : null}
      <Button disabled={!answering.ready} onClick={() => answering.decline(false)}>
        {words}
      </Button>
    </>
  );
}

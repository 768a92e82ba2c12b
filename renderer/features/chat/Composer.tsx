import { ArrowUp, Square } from 'lucide-react';
import { type AriaAttributes, type KeyboardEvent, type ReactNode, type RefObject, useLayoutEffect } from 'react';
import { useTranslation } from 'react-i18next';
import { useStore } from 'zustand';
import type { TurnId } from '../../../preload/contract/ids.ts';
import { useAction } from '../../bridge/useAction.ts';
import { promptIn } from '../../state/chosenPrompts.ts';
import { draftOf } from '../../state/drafts.ts';
import { useStores } from '../../state/storesContext.tsx';
import { wordsIn } from '../../state/views.ts';
import { useChatActions } from '../../state/useChatActions.ts';
import { FailureNote } from '../../ui/FailureNote.tsx';
import { Tooltip } from '../../ui/Tooltip.tsx';

/** As the contract's `maxUserText`, which cannot be imported here: its file brings the schemas along. */
const longest = 200_000;

/** Where a person writes. What stands in it is kept until the host has taken it. */
export function Composer({
  field,
  running,
  facts,
  above,
  picking,
  onEditLast,
}: {
  field: RefObject<HTMLTextAreaElement | null>;
  /** The turn that runs, which Stop stops. */
  running: TurnId | null;
  facts: ReactNode;
  /** Stands in the frame over the text: what goes along with it. */
  above: ReactNode;
  /** Whoever offers something for what is being typed. */
  picking: {
    /** Null: the field has lost the focus. */
    onCaret(caret: number | null): void;
    /** True when the key was meant for the offer. */
    onKeyDown(event: KeyboardEvent<HTMLTextAreaElement>): boolean;
    describe: AriaAttributes;
  };
  onEditLast(): void;
}) {
  const { t } = useTranslation('chat');
  const { chosenPrompts, conversation, drafts, views } = useStores();
  const { send, stop } = useChatActions();
  const id = useStore(conversation.store, (state) => state.id);
  const text = useStore(drafts.store, (state) => draftOf(state.texts, id));
  const hasPrompt = useStore(chosenPrompts.store, (state) => promptIn(state.chosen, id) !== undefined);
  const hasMessage = useStore(views.store, (state) => wordsIn(state.words, id).some(({ kind }) => kind === 'message'));
  const sending = useAction(() => send(text.trim()));
  const stopping = useAction((turnId: TurnId) => stop(turnId));
  const tooLong = text.length > longest;
  const ready = (text.trim() !== '' || hasPrompt || hasMessage) && !tooLong && running === null && !sending.busy;

  useLayoutEffect(() => {
    const element = field.current;
    if (element === null) return;
    element.style.height = 'auto';
    element.style.height = `${element.scrollHeight}px`;
  }, [field, text]);

  return (
    <form
      className="flex flex-col gap-2"
      onSubmit={(event) => {
        event.preventDefault();
        if (ready) void sending.run();
      }}
    >
      <FailureNote failure={sending.failure ?? stopping.failure} />
      <div data-outline className="rounded-dialog border border-line-strong bg-surface pt-3 pr-3 pb-2 pl-4 focus-within:border-accent">
        {above}
        <textarea
          ref={field}
          data-region-focus
          rows={1}
          aria-label={t('composer.label')}
          aria-invalid={tooLong ? true : undefined}
          placeholder={id === null ? t('composer.placeholder') : t('composer.placeholderReply')}
          className="block max-h-[40vh] w-full resize-none bg-transparent text-prose outline-none"
          value={text}
          {...picking.describe}
          onChange={(event) => {
            drafts.set(id, event.target.value);
            picking.onCaret(event.target.selectionStart);
          }}
          onSelect={(event) => picking.onCaret(event.currentTarget.selectionStart)}
          onFocus={(event) => picking.onCaret(event.currentTarget.selectionStart)}
          onBlur={() => picking.onCaret(null)}
          onKeyDown={(event) => {
            if (event.nativeEvent.isComposing || picking.onKeyDown(event)) return;
            if (event.key === 'Enter' && !event.shiftKey && !event.altKey && !event.ctrlKey && !event.metaKey) {
              event.preventDefault();
              if (ready) void sending.run();
            } else if (event.key === 'ArrowUp' && text === '') {
              event.preventDefault();
              onEditLast();
            }
          }}
        />
        <div className="mt-2 flex min-h-8 items-center gap-2 text-caption text-ink-3">
          {facts}
          {tooLong ? (
            <span role="alert" className="text-danger">
              {t('composer.tooLong', { limit: longest, length: text.length })}
            </span>
          ) : null}
          <span className="flex-1" />
          {running === null ? (
            <Tooltip text={t('composer.send')} keys="Enter">
              <button
                type="submit"
                aria-label={t('composer.send')}
                disabled={!ready}
                className="flex size-8 items-center justify-center rounded-full bg-accent-fill text-on-accent disabled:bg-hover disabled:text-ink-3"
              >
                <ArrowUp size={16} aria-hidden />
              </button>
            </Tooltip>
          ) : (
            <Tooltip text={t('composer.stop')} keys="Mod+.">
              <button
                type="button"
                aria-label={t('composer.stop')}
                disabled={stopping.busy}
                className="flex size-8 items-center justify-center rounded-full bg-ink text-canvas disabled:opacity-50"
                onClick={() => void stopping.run(running)}
              >
                <Square size={12} aria-hidden fill="currentColor" />
              </button>
            </Tooltip>
          )}
        </div>
      </div>
    </form>
  );
}

import { Check, ChevronLeft, ChevronRight, MessageCircleQuestion, Minus, X } from 'lucide-react';
import { type ReactNode, type Ref, useId, useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { AnsweredInput, InputRequest } from '../../../preload/contract/policy.ts';
import { IconButton } from '../../ui/IconButton.tsx';
import { Tag } from '../../ui/Tag.tsx';
import { VisibleText } from '../../ui/VisibleText.tsx';
import { AskingServer } from './AskingServer.tsx';
import { FoldersInput } from './FoldersInput.tsx';
import { FormInput } from './FormInput.tsx';
import type { InputPartProps } from './InputFrame.tsx';
import { ModelGuardInput } from './ModelGuardInput.tsx';
import { PageInput } from './PageInput.tsx';
import { SamplingInput } from './SamplingInput.tsx';
import { SignInInput } from './SignInInput.tsx';

/**
 * Everything that a server asks of the person within one call: the card grows by the server's rounds. Who asks is the host's word and
 * stands at the top; the server's own words stand apart below. Nothing is answered by itself; Escape leaves the card and decides nothing.
 */
export function InputCard({
  inputs,
  card,
  position,
  onDecided,
  onLeave,
}: {
  inputs: readonly [InputRequest, ...InputRequest[]];
  card: Ref<HTMLElement>;
  position: ReactNode;
  onDecided(): void;
  onLeave(): void;
}) {
  const { t } = useTranslation('approval');
  const titleId = useId();
  const [chosen, setChosen] = useState<string | null>(null);
  const index = Math.max(
    0,
    inputs.findIndex(({ id }) => id === chosen),
  );
  const shown = inputs[index] ?? inputs[0];
  const server = shown.serverName;
  const title =
    shown.url !== undefined
      ? t('input.title.url', { server })
      : shown.stage === 'result'
        ? t('input.title.result', { server })
        : t(`input.title.${shown.kind}`, { server });

  return (
    <section
      ref={card}
      tabIndex={-1}
      aria-labelledby={titleId}
      data-card="input"
      className="flex max-h-[min(560px,calc(100vh-180px))] animate-appear flex-col overflow-hidden rounded-dialog border border-line bg-surface shadow-float"
      onKeyDown={(event) => {
        if (event.key === 'Escape' && !event.nativeEvent.isComposing && !event.defaultPrevented) {
          event.stopPropagation();
          onLeave();
        }
      }}
    >
      <div className="flex items-center gap-2 px-4 pt-3">
        <Tag tone="plain" icon={<MessageCircleQuestion size={12} aria-hidden />}>
          {t(`input.${shown.kind}`)}
        </Tag>
        <span className="min-w-0 flex-1 text-caption wrap-anywhere text-ink-3">
          {t(shown.kind === 'modelGuard' ? 'goesTo' : shown.kind === 'signIn' ? 'neededBy' : 'askedBy')}{' '}
          {shown.serverId === undefined ? null : <AskingServer id={shown.serverId} />}
          <b className="font-strong text-ink-2">
            <VisibleText text={server} />
          </b>
        </span>
        {position}
      </div>
      <h2 id={titleId} className="px-4 pt-2 text-title wrap-anywhere">
        <VisibleText text={title} />
      </h2>
      {shown.earlier === undefined ? null : <Earlier answered={shown.earlier} />}
      {inputs.length === 1 ? null : (
        <div className="flex items-center gap-1 px-4 pt-2 text-caption text-ink-3">
          <IconButton
            small
            label={t('input.previousQuestion')}
            icon={<ChevronLeft size={16} aria-hidden />}
            disabled={index === 0}
            onClick={() => setChosen(inputs[index - 1]?.id ?? null)}
          />
          <span className="tabular-nums">{t('input.question', { current: index + 1, all: inputs.length })}</span>
          <IconButton
            small
            label={t('input.nextQuestion')}
            icon={<ChevronRight size={16} aria-hidden />}
            disabled={index === inputs.length - 1}
            onClick={() => setChosen(inputs[index + 1]?.id ?? null)}
          />
          <span className="pl-1">{t('input.together')}</span>
        </div>
      )}
      {inputs.map((input) => (
        // All stay in the page: what was entered in one is not lost by looking at another.
        <div key={input.id} hidden={input.id !== shown.id} className={input.id === shown.id ? 'flex min-h-0 flex-1 flex-col' : ''}>
          <InputPart input={input} titleId={titleId} onDecided={inputs.length === 1 ? onDecided : () => setChosen(null)} />
        </div>
      ))}
    </section>
  );
}

function InputPart(props: InputPartProps) {
  switch (props.input.kind) {
    case 'elicitation':
      return props.input.url === undefined ? <FormInput {...props} /> : <PageInput {...props} />;
    case 'sampling':
      return <SamplingInput {...props} />;
    case 'roots':
      return <FoldersInput {...props} />;
    case 'signIn':
      return <SignInInput {...props} />;
    case 'modelGuard':
      return <ModelGuardInput {...props} />;
  }
}

const icons = {
  accept: <Check size={12} aria-hidden className="text-read" />,
  decline: <X size={12} aria-hidden className="text-ink-3" />,
  cancel: <Minus size={12} aria-hidden className="text-ink-3" />,
};

/** What the same call asked before. */
function Earlier({ answered }: { answered: readonly AnsweredInput[] }) {
  const { t } = useTranslation('approval');
  return (
    <ol
      aria-label={t('input.earlier')}
      className="mx-4 mt-2 max-h-20 shrink-0 overflow-auto border-l border-line pl-3 text-caption text-ink-3"
    >
      {answered.map((each, index) => (
        <li key={index} className="flex items-start gap-1.5">
          <span className="mt-0.5 shrink-0">{icons[each.action]}</span>
          <span className="min-w-0 flex-1 wrap-anywhere">
            {t(`input.earlier.${each.action}`)}{' '}
            {each.message === '' ? (
              t(`input.what.${each.kind}`)
            ) : (
              <q className="text-ink-2">
                <VisibleText text={each.message} />
              </q>
            )}
          </span>
        </li>
      ))}
    </ol>
  );
}

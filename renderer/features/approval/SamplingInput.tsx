import { Cpu, Wrench } from 'lucide-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { LongText } from '../../../preload/contract/content.ts';
import type { SamplingBlock, SamplingView } from '../../../preload/contract/policy.ts';
import { Button } from '../../ui/Button.tsx';
import { Checkbox } from '../../ui/Checkbox.tsx';
import { InlineError } from '../../ui/InlineError.tsx';
import { LongTextView } from '../../ui/LongTextView.tsx';
import { VisibleText } from '../../ui/VisibleText.tsx';
import { DeclineButtons, InputFrame, type InputPartProps, useInputAnswer } from './InputFrame.tsx';

/** A server wants to ask the model: first what it would ask, then what the model said, before the server gets it. */
export function SamplingInput(props: InputPartProps) {
  const { input, titleId } = props;
  const { t } = useTranslation('approval');
  const answering = useInputAnswer(props);
  const [waive, setWaive] = useState(false);
  const view = input.sampling;
  if (view === undefined) return null;
  const { stage } = input;

  return (
    <InputFrame
      titleId={titleId}
      failure={answering.failure}
      note={stage === 'result' ? t('input.resultNote') : <Facts view={view} />}
      onSubmit={() => {
        if (answering.ready && stage !== 'working') answering.accept(waive ? { waiveResult: true } : {});
      }}
      buttons={
        stage === 'working' ? (
          <Button disabled={!answering.ready} onClick={answering.cancel}>
            {t('input.cancel')}
          </Button>
        ) : (
          <>
            <DeclineButtons
              answering={answering}
              words={stage === 'result' ? t('input.keepBack') : t('input.decline')}
              server={input.serverName}
              mayCancel={false}
            >
              {input.conversationId === undefined ? null : <Checkbox label={t('input.waive')} checked={waive} onChange={setWaive} />}
            </DeclineButtons>
            <Button kind="primary" type="submit" disabled={!answering.ready}>
              {stage === 'result' ? t('input.sendResult') : view.problem === undefined ? t('input.askModel') : t('input.askAgain')}
            </Button>
          </>
        )
      }
    >
      {view.problem === undefined || stage === 'working' ? null : <InlineError message={view.problem} />}
      {stage === 'result' && view.result !== undefined ? (
        <Turn role={t('input.modelSays', { model: view.model.name })} blocks={view.result.blocks} />
      ) : (
        <>
          {view.systemPrompt === undefined ? null : <Words label={t('input.systemPrompt')} text={view.systemPrompt} />}
          {view.messages.map(({ role, blocks }, index) => (
            <Turn key={index} role={t(`input.role.${role}`)} blocks={blocks} />
          ))}
          {view.tools.length === 0 ? null : (
            <p className="flex gap-2 text-ink-2">
              <Wrench size={16} aria-hidden className="mt-0.5 shrink-0" />
              <span className="min-w-0 wrap-anywhere">
                {t('input.tools')}{' '}
                <code>
                  <VisibleText text={view.tools.join(', ')} />
                </code>
              </span>
            </p>
          )}
          {stage === 'working' ? (
            <p role="status" className="animate-shimmer text-ink-2">
              <VisibleText text={t('input.working', { model: view.model.name })} />
            </p>
          ) : null}
        </>
      )}
    </InputFrame>
  );
}

/** Which model and why, and what it costs: the host's own words. */
function Facts({ view }: { view: SamplingView }) {
  const { t, i18n } = useTranslation('approval');
  const count = (tokens: number) => tokens.toLocaleString(i18n.language);
  return (
    <div className="flex gap-2">
      <Cpu size={16} aria-hidden className="mt-0.5 shrink-0" />
      <div className="min-w-0 wrap-anywhere">
        <p>
          <b className="font-strong text-ink">
            <VisibleText text={view.model.name} />
          </b>
          {view.model.provider === '' ? '' : ` · ${view.model.provider}`}. <VisibleText text={view.modelReason} />
        </p>
        <p className="text-caption text-ink-3 tabular-nums">
          {t(view.model.leavesComputer ? 'input.costCloud' : 'input.costLocal', {
            input: count(view.inputTokens),
            output: count(view.maxTokens),
            left: count(view.budgetLeft),
          })}
        </p>
      </div>
    </div>
  );
}

function Turn({ role, blocks }: { role: string; blocks: readonly SamplingBlock[] }) {
  return (
    <div className="flex flex-col gap-2">
      {blocks.map((block, index) => (
        <Block key={index} block={block} role={role} />
      ))}
    </div>
  );
}

function Block({ block, role }: { block: SamplingBlock; role: string }) {
  const { t } = useTranslation('approval');
  switch (block.type) {
    case 'text':
      return <Words label={role} text={block.text} />;
    case 'image': {
      const label = t('input.image', { kind: block.mimeType, size: Math.max(1, Math.round(block.bytes / 1024)) });
      return (
        <figure>
          <figcaption className="text-caption text-ink-3">{`${role} · ${label}`}</figcaption>
          {block.data === undefined || !/^image\/(png|jpeg|gif|webp)$/.test(block.mimeType) ? null : (
            <img
              src={`data:${block.mimeType};base64,${block.data}`}
              alt={label}
              className="mt-1 max-h-40 max-w-full rounded-control border border-line"
            />
          )}
        </figure>
      );
    }
    case 'toolUse':
      return <Words label={`${role} · ${t('input.toolUse', { name: block.name })}`} text={block.input} />;
    case 'toolResult':
      return <Words label={`${role} · ${t('input.toolResult')}`} text={block.text} />;
  }
}

function Words({ label, text }: { label: string; text: LongText }) {
  if (text.length > 1000) return <LongTextView text={text} label={label} />;
  return (
    <figure>
      <figcaption className="text-caption text-ink-3">{label}</figcaption>
      <blockquote className="mt-1 border-l border-line-strong pl-3 text-prose wrap-anywhere whitespace-pre-wrap">
        <VisibleText text={text.text} />
      </blockquote>
    </figure>
  );
}

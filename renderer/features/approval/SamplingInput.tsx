import { Cpu, Wrench } from 'lucide-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { LongText } from '../../../preload/contract/content.ts';
import type { SamplingBlock, SamplingView } from '../../../preload/contract/policy.ts';
import { Button } from '../../ui/Button.tsx';
import { Checkbox } from '../../ui/Checkbox.tsx';
import { hiddenCount } from '../../text/visiblePieces.ts';
import { InlineError } from '../../ui/InlineError.tsx';
import { LongTextView } from '../../ui/LongTextView.tsx';
import { TextArea } from '../../ui/TextArea.tsx';
import { VisibleText } from '../../ui/VisibleText.tsx';
import { DeclineButtons, InputFrame, type InputPartProps, useInputAnswer } from './InputFrame.tsx';
import { messageText, resultText, type SamplingDrafts, systemText, useSamplingEdits } from './samplingEdits.ts';

/** Texts of the card as the person has changed them, and whether he changes them now. */
interface Editing {
  drafts: SamplingDrafts;
  editing: boolean;
  write(key: string, text: string): void;
}

/**
 * A server wants to ask the model: first what it would ask, then what the model said, before the server gets it. Every text of both may
 * be changed.
 */
export function SamplingInput(props: InputPartProps) {
  const { input, titleId } = props;
  const { t } = useTranslation('approval');
  const answering = useInputAnswer(props);
  const [waive, setWaive] = useState(false);
  const view = input.sampling;
  const { stage } = input;
  const changes = useSamplingEdits(view, stage === 'result' ? 'result' : 'request');
  if (view === undefined) return null;
  const isChanged = Object.keys(changes.edits).length > 0;
  const texts: Editing = { ...changes, editing: changes.editing && stage !== 'working' };

  return (
    <InputFrame
      titleId={titleId}
      failure={answering.failure}
      note={stage === 'result' ? t('input.resultNote') : <Facts view={view} />}
      onSubmit={() => {
        if (answering.ready && stage !== 'working') answering.accept({ ...changes.edits, ...(waive ? { waiveResult: true } : {}) });
      }}
      buttons={
        stage === 'working' ? (
          <Button disabled={!answering.ready} onClick={answering.cancel}>
            {t('input.cancel')}
          </Button>
        ) : (
          <>
            {input.conversationId === undefined ? null : (
              <div className="basis-full">
                <Checkbox label={t('input.waive')} checked={waive} onChange={setWaive} />
              </div>
            )}
            <DeclineButtons
              answering={answering}
              words={stage === 'result' ? t('input.keepBack') : t('input.decline')}
              server={input.serverName}
              mayCancel={false}
            >
              <div className="flex flex-wrap items-center gap-x-2 gap-y-1">
                <Button kind="quiet" className="-ml-3" aria-pressed={changes.editing} onClick={() => changes.setEditing(!changes.editing)}>
                  {t(changes.editing ? 'input.editDone' : 'input.edit')}
                </Button>
                {isChanged ? (
                  <Button kind="quiet" onClick={changes.discard}>
                    {t('input.editDiscard')}
                  </Button>
                ) : null}
              </div>
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
        <Turn role={t('input.modelSays', { model: view.model.name })} blocks={view.result.blocks} texts={texts} keyOf={resultText} />
      ) : (
        <>
          {view.systemPrompt === undefined ? null : (
            <ChangeableWords
              label={t('input.systemPrompt')}
              text={view.systemPrompt}
              cut={view.systemPromptCut === true}
              edited={view.systemPromptEdited === true}
              texts={texts}
              name={systemText}
            />
          )}
          {view.messages.map(({ role, blocks }, index) => (
            <Turn key={index} role={t(`input.role.${role}`)} blocks={blocks} texts={texts} keyOf={(block) => messageText(index, block)} />
          ))}
          {view.tools.length === 0 ? null : (
            <div className="flex gap-2 text-ink-2">
              <Wrench size={16} aria-hidden className="mt-0.5 shrink-0" />
              <div className="min-w-0 flex-1 wrap-anywhere">
                {t('input.tools')}{' '}
                <code>
                  <VisibleText text={view.tools.join(', ')} />
                </code>
                {view.toolDefinitions === undefined ? null : (
                  <details>
                    <summary className="w-fit rounded-control py-1 text-caption hover:text-ink">{t('input.toolDefinitions')}</summary>
                    <LongTextView text={view.toolDefinitions} label={t('input.toolDefinitions')} />
                  </details>
                )}
              </div>
            </div>
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

function Turn({
  role,
  blocks,
  ...changing
}: {
  role: string;
  blocks: readonly SamplingBlock[];
  texts: Editing;
  keyOf(block: number): string;
}) {
  return (
    <div className="flex flex-col gap-2">
      {blocks.map((block, index) => (
        <Block key={index} block={block} role={role} texts={changing.texts} name={changing.keyOf(index)} />
      ))}
    </div>
  );
}

function Block({ block, role, texts, name }: { block: SamplingBlock; role: string; texts: Editing; name: string }) {
  const { t } = useTranslation('approval');
  switch (block.type) {
    case 'text':
      return (
        <ChangeableWords label={role} text={block.text} cut={block.cut === true} edited={block.edited === true} texts={texts} name={name} />
      );
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

/** A text that the person may change: as a field while he does, else as it will be sent. `cut`: it is not here as a whole, and stays. */
function ChangeableWords({
  label,
  text,
  cut,
  edited,
  texts: { drafts, editing, write },
  name,
}: {
  label: string;
  text: LongText;
  cut: boolean;
  edited: boolean;
  texts: Editing;
  name: string;
}) {
  const { t } = useTranslation('approval');
  const draft = cut ? undefined : drafts[name];
  const shown = draft ?? text.text;
  if (editing && !cut) {
    const hidden = hiddenCount(shown);
    return (
      <TextArea
        label={label}
        value={shown}
        rows={Math.min(12, Math.max(2, shown.split('\n').length))}
        maxLength={200_000}
        hint={hidden > 0 ? t('hidden', { count: hidden }) : undefined}
        onChange={(value) => write(name, value)}
      />
    );
  }
  const isEdited = edited || (draft !== undefined && draft !== text.text);
  const heading = isEdited ? t('input.edited', { of: label }) : label;
  return <Words label={heading} text={draft === undefined ? text : { text: draft, length: draft.length }} />;
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

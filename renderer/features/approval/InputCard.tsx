import { MessageCircleQuestion } from 'lucide-react';
import { type ReactNode, type Ref, useId, useMemo, useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { InputAnswer, InputRequest } from '../../../preload/contract/policy.ts';
import { useBridge } from '../../bridge/bridgeContext.tsx';
import { newCommandId } from '../../bridge/newCommandId.ts';
import { useAction } from '../../bridge/useAction.ts';
import { linkTarget } from '../../markdown/linkTarget.ts';
import { useStores } from '../../state/storesContext.tsx';
import { Button } from '../../ui/Button.tsx';
import { FailureNote } from '../../ui/FailureNote.tsx';
import { LongTextView } from '../../ui/LongTextView.tsx';
import { Tag } from '../../ui/Tag.tsx';
import { useArmed } from '../../ui/useArmed.ts';
import { VisibleText } from '../../ui/VisibleText.tsx';
import {
  contentOf,
  type FieldProblem,
  type FormField,
  type FormValue,
  type FormValues,
  initialValues,
  parseForm,
  problemOf,
} from './elicitationForm.ts';
import { FormFieldView } from './FormFieldView.tsx';

/** Something that a server asks of the person. Accept, Decline and Cancel are always there; nothing is answered by itself. */
export function InputCard({
  input,
  card,
  position,
  onDecided,
  onLeave,
}: {
  input: InputRequest;
  card: Ref<HTMLElement>;
  position: ReactNode;
  onDecided(): void;
  onLeave(): void;
}) {
  const { t } = useTranslation('approval');
  const bridge = useBridge();
  const { approvals } = useStores();
  const titleId = useId();
  const armed = useArmed(input.id);
  const target = useMemo(() => linkTarget(input.url), [input.url]);
  const form = useMemo(() => (input.schema === undefined ? { ok: true as const, fields: [] } : parseForm(input.schema)), [input.schema]);
  const [values, setValues] = useState<FormValues>(() => (form.ok ? initialValues(form.fields) : {}));
  const [problems, setProblems] = useState<Readonly<Record<string, FieldProblem>>>({});
  const answer = useAction(async (reply: InputAnswer) => {
    // The page opens before the server is told, so that a refused address is never reported as opened.
    if (reply.action === 'accept' && target !== null) {
      const opened = await bridge.invoke('link.open', { commandId: newCommandId(), url: target.url });
      if (!opened.ok) return opened;
    }
    return approvals.answer(input, reply);
  });
  const fields: readonly FormField[] = form.ok ? form.fields : [];
  const wrongUrl = input.url !== undefined && target === null;
  const mayAccept = armed && !answer.busy && form.ok && !wrongUrl;
  const run = async (reply: InputAnswer) => {
    const result = await answer.run(reply);
    if (result.ok || result.error.code === 'alreadyAnswered') onDecided();
  };
  const accept = () => {
    const found = fields.flatMap((field) => {
      const problem = problemOf(field, values[field.name]);
      return problem === undefined ? [] : [[field.name, problem] as const];
    });
    setProblems(Object.fromEntries(found));
    const first = found[0];
    if (first !== undefined) {
      document.getElementById(`${titleId}-${first[0]}`)?.querySelector<HTMLElement>('input, select, textarea')?.focus();
      return;
    }
    void run(fields.length === 0 ? { action: 'accept' } : { action: 'accept', content: contentOf(fields, values) });
  };
  const change = (name: string, value: FormValue) => setValues((known) => ({ ...known, [name]: value }));
  const server = input.serverName;
  const title = input.url !== undefined ? t('input.title.url', { server }) : t(`input.title.${input.kind}`, { server });
  const note =
    target !== null
      ? t('input.urlNote', { host: target.host })
      : input.kind === 'sampling'
        ? t('input.samplingNote')
        : input.kind === 'roots'
          ? t('input.rootsNote')
          : fields.length > 0
            ? t('input.formNote')
            : undefined;
  const acceptWords =
    target !== null
      ? t('input.openPage')
      : input.kind === 'sampling'
        ? t('input.allow')
        : input.kind === 'roots'
          ? t('input.share')
          : t('input.accept');

  return (
    <section
      ref={card}
      tabIndex={-1}
      aria-labelledby={titleId}
      data-card="input"
      className="max-h-[min(480px,65vh)] animate-appear overflow-hidden rounded-dialog border border-line bg-surface shadow-float"
      onKeyDown={(event) => {
        if (event.key === 'Escape' && !event.nativeEvent.isComposing) {
          event.stopPropagation();
          onLeave();
        }
      }}
    >
      <form
        noValidate
        className="flex max-h-[inherit] flex-col"
        onSubmit={(event) => {
          event.preventDefault();
          if (mayAccept) accept();
        }}
      >
        <div className="flex items-center gap-2 px-4 pt-3">
          <Tag tone="plain" icon={<MessageCircleQuestion size={12} aria-hidden />}>
            {t(`input.${input.kind}`)}
          </Tag>
          <span className="min-w-0 flex-1 text-caption wrap-anywhere text-ink-3">
            {t('askedBy')}{' '}
            <b className="font-strong text-ink-2">
              <VisibleText text={server} />
            </b>
          </span>
          {position}
        </div>
        <h2 id={titleId} className="px-4 pt-2 text-title wrap-anywhere">
          <VisibleText text={title} />
        </h2>
        <div
          tabIndex={0}
          role="group"
          aria-labelledby={titleId}
          className="flex min-h-16 flex-1 flex-col gap-3 overflow-auto px-4 py-3 -outline-offset-2"
        >
          {input.message.length === 0 ? null : input.message.text.length < input.message.length || input.message.length > 1000 ? (
            <LongTextView text={input.message} label={t('input.words')} />
          ) : (
            <figure>
              <figcaption className="text-caption text-ink-3">{t('input.words')}</figcaption>
              <blockquote className="mt-1 border-l border-line-strong pl-3 text-prose wrap-anywhere whitespace-pre-wrap">
                <VisibleText text={input.message.text} />
              </blockquote>
            </figure>
          )}
          {input.url === undefined ? null : (
            <p className="wrap-anywhere">
              <code>
                <VisibleText text={input.url} />
              </code>
            </p>
          )}
          {wrongUrl ? <p className="text-danger">{t('input.badUrl')}</p> : null}
          {form.ok ? null : <p className="text-danger">{t('input.unreadable', { reason: form.reason })}</p>}
          {fields.map((field) => (
            <div key={field.name} id={`${titleId}-${field.name}`}>
              <FormFieldView
                field={field}
                value={values[field.name]}
                problem={problems[field.name]}
                onChange={(value) => change(field.name, value)}
              />
            </div>
          ))}
        </div>
        {note === undefined ? null : <p className="border-t border-line bg-sunken px-4 py-2 wrap-anywhere text-ink-2">{note}</p>}
        {answer.failure === undefined ? null : (
          <div className="px-4 pt-3">
            <FailureNote failure={answer.failure} />
          </div>
        )}
        <div className="flex flex-wrap items-center justify-end gap-2 border-t border-line px-4 py-3">
          <Button kind="quiet" disabled={!armed || answer.busy} onClick={() => void run({ action: 'cancel' })}>
            {t('input.cancel')}
          </Button>
          <Button disabled={!armed || answer.busy} onClick={() => void run({ action: 'decline' })}>
            {t('input.decline')}
          </Button>
          <Button kind="primary" type="submit" disabled={!mayAccept}>
            {acceptWords}
          </Button>
        </div>
      </form>
    </section>
  );
}

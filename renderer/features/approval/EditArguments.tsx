import { useMemo, useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { Failure } from '../../../preload/contract/result.ts';
import { editProblem } from '../../text/editProblem.ts';
import { hiddenCount } from '../../text/visiblePieces.ts';
import { useEditProblemText } from '../../forms/useEditProblemText.ts';
import { Button } from '../../ui/Button.tsx';
import { FailureNote } from '../../ui/FailureNote.tsx';
import { TextArea } from '../../ui/TextArea.tsx';
import { prettyJson, textFields } from './editedArguments.ts';

/** Other arguments in the place of those that the model asked for, for this one call. The host checks them as it does the model's. */
export function EditArguments({
  json,
  title,
  note,
  submit,
  failure,
  busy,
  onSubmit,
  onBack,
}: {
  json: string;
  /** Which call it is, where there are several. */
  title?: string;
  /** For how long the change holds, and who hears of it. */
  note: string;
  submit: string;
  failure: Failure | undefined;
  busy: boolean;
  onSubmit(edited: string): void;
  onBack(): void;
}) {
  const { t } = useTranslation('approval');
  const [text, setText] = useState(() => prettyJson(json));
  const problem = useMemo(() => editProblem(text), [text]);
  const fields = useMemo(() => textFields(text), [text]);
  const [asJson, setAsJson] = useState(fields === undefined);
  const hidden = useMemo(() => hiddenCount(text), [text]);
  const isChanged = problem !== undefined || JSON.stringify(JSON.parse(text)) !== JSON.stringify(JSON.parse(json));
  const setField = (name: string, value: string) => {
    // A member named __proto__ must stay a member.
    const next = (fields ?? []).map(([each, old]): [string, string] => [each, each === name ? value : old]);
    setText(JSON.stringify(Object.fromEntries(next), null, 2));
  };
  const problemText = useEditProblemText();
  const error = problem === undefined ? undefined : problemText(problem);
  return (
    <form
      className="flex min-h-0 flex-1 flex-col"
      onSubmit={(event) => {
        event.preventDefault();
        if (problem === undefined && isChanged && !busy) onSubmit(text);
      }}
    >
      <div className="flex min-h-24 flex-1 flex-col gap-3 overflow-auto px-4 py-3">
        {title === undefined ? null : <p className="text-caption text-ink-3">{title}</p>}
        {!asJson && fields !== undefined ? (
          fields.map(([name, value], index) => (
            <TextArea
              key={name}
              label={name}
              mono
              autoFocus={index === 0}
              rows={value.includes('\n') || value.length > 120 ? 4 : 1}
              value={value}
              onChange={(next) => setField(name, next)}
            />
          ))
        ) : (
          <TextArea label={t('edit.json')} mono autoFocus rows={6} value={text} error={error} onChange={setText} />
        )}
        {hidden > 0 ? <p className="text-caption text-danger">{t('edit.hidden', { count: hidden })}</p> : null}
        <FailureNote failure={failure} />
      </div>
      <p className="shrink-0 border-t border-line bg-sunken px-4 py-2 text-ink-2">{note}</p>
      <div className="flex shrink-0 flex-wrap justify-end gap-2 border-t border-line px-4 py-3">
        {fields === undefined ? null : (
          <Button kind="quiet" className="mr-auto" aria-pressed={asJson} onClick={() => setAsJson(!asJson)}>
            {t(asJson ? 'edit.asFields' : 'edit.asJson')}
          </Button>
        )}
        <Button onClick={onBack}>{t('back')}</Button>
        <Button kind="primary" type="submit" disabled={problem !== undefined || !isChanged || busy}>
          {submit}
        </Button>
      </div>
    </form>
  );
}

import { type ReactNode, useEffect, useId, useMemo, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { ServerId } from '../../../preload/contract/ids.ts';
import type { ToolView } from '../../../preload/contract/servers.ts';
import { useBridge } from '../../bridge/bridgeContext.tsx';
import { newCommandId } from '../../bridge/newCommandId.ts';
import { useAction } from '../../bridge/useAction.ts';
import { useEditProblemText } from '../../forms/useEditProblemText.ts';
import { editProblem } from '../../text/editProblem.ts';
import { Button } from '../../ui/Button.tsx';
import { FailureNote } from '../../ui/FailureNote.tsx';
import { Segments } from '../../ui/Segments.tsx';
import { TextArea } from '../../ui/TextArea.tsx';
import { argumentFields } from './argumentFields.ts';
import { type FieldRow, initialText, rowsOf, rowsWithProblems, withValue, type WrittenArguments } from './writtenArguments.ts';
import { ArgumentFieldView } from './ArgumentFieldView.tsx';
import { argumentsText } from './requestText.ts';
import type { TriedCall } from './SendRequest.tsx';

const controls = 'input, select, textarea';

/** Calls a tool by hand, with its card and its row beneath. */
export function TryTool({ serverId, tool, call }: { serverId: ServerId; tool: ToolView; call(made: TriedCall): ReactNode }) {
  const { t } = useTranslation('inspector');
  const [open, setOpen] = useState(false);
  if (!open) {
    return (
      <Button className="self-start" onClick={() => setOpen(true)}>
        {t('try.open')}
      </Button>
    );
  }
  return <WriteCall serverId={serverId} tool={tool} call={call} />;
}

/** The arguments as a form where the schema can be shown as one, and always as JSON: two views of the same text. */
function WriteCall({ serverId, tool, call }: { serverId: ServerId; tool: ToolView; call(made: TriedCall): ReactNode }) {
  const { t } = useTranslation('inspector');
  const bridge = useBridge();
  const formId = useId();
  const editProblemText = useEditProblemText();
  const fields = useMemo(() => argumentFields(tool.inputSchema), [tool.inputSchema]);
  const [written, setWritten] = useState<WrittenArguments>(() => ({
    text: fields === undefined ? argumentsText(tool.inputSchema) : initialText(fields),
    drafts: {},
  }));
  const [side, setSide] = useState<'form' | 'json'>(fields === undefined ? 'json' : 'form');
  /** The form was asked for while the text could not be read. */
  const [refused, setRefused] = useState(false);
  /** The call was asked for while a field had a problem. */
  const [checked, setChecked] = useState(false);
  const [made, setMade] = useState<TriedCall>();
  const rows = useMemo(() => (side === 'json' || fields === undefined ? undefined : rowsOf(fields, written)), [side, fields, written]);
  const form = useRef<HTMLFormElement>(null);
  // The button that opened it is gone.
  useEffect(() => form.current?.querySelector<HTMLElement>(controls)?.focus(), []);
  const go = useAction(async () => {
    const result = await bridge.invoke('tool.try', { commandId: newCommandId(), serverId, tool: tool.name, argumentsJson: written.text });
    if (result.ok) setMade(result.value.call);
    return result;
  });
  const idOf = (row: FieldRow) => `${formId}-${row.key}`;

  const turnTo = (next: 'form' | 'json') => {
    const isRefused = next === 'form' && editProblem(written.text) !== undefined;
    setRefused(isRefused);
    if (!isRefused) setSide(next);
  };
  const submit = () => {
    const [first] = rows === undefined ? [] : rowsWithProblems(rows);
    setChecked(first !== undefined);
    if (first === undefined) return void go.run();
    document.getElementById(idOf(first))?.querySelector<HTMLElement>(controls)?.focus();
  };

  const at = go.failure?.at;
  const unreadable = refused ? editProblem(written.text) : undefined;
  const problem =
    unreadable === undefined ? (at === undefined ? undefined : t('send.at', at)) : `${editProblemText(unreadable)} ${t('try.stays')}`;
  return (
    <div className="flex flex-col gap-3">
      {fields === undefined ? null : (
        <Segments
          label={t('try.side')}
          value={side}
          onChange={turnTo}
          options={[
            { value: 'form', label: t('try.form') },
            { value: 'json', label: t('try.json') },
          ]}
        />
      )}
      <form
        ref={form}
        noValidate
        className="flex flex-col gap-3"
        onSubmit={(event) => {
          event.preventDefault();
          if (!go.busy) submit();
        }}
      >
        {rows === undefined ? (
          <TextArea
            mono
            rows={Math.min(12, written.text.split('\n').length + 1)}
            label={t('try.field')}
            hint={t('try.hint')}
            error={problem}
            value={written.text}
            onChange={(text) => setWritten({ ...written, text })}
          />
        ) : (
          <>
            {rows.map((row) => (
              <ArgumentFieldView
                key={row.key}
                row={row}
                idOf={idOf}
                checked={checked}
                onChange={(changed, value) => setWritten(withValue(written, changed, value))}
              />
            ))}
            <p className="text-caption text-ink-3">{t('try.hint')}</p>
          </>
        )}
        <FailureNote failure={go.failure} />
        <Button kind="primary" type="submit" className="max-w-full self-start" disabled={go.busy}>
          <span className="truncate">{t('try.do', { tool: tool.name })}</span>
        </Button>
      </form>
      {made === undefined ? null : call(made)}
    </div>
  );
}

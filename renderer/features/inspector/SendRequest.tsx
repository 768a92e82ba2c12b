import { type ReactNode, useEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { CommandOutput } from '../../../preload/contract/commands.ts';
import type { ServerId } from '../../../preload/contract/ids.ts';
import type { TraceEntryId } from '../../../preload/contract/trace.ts';
import { useBridge } from '../../bridge/bridgeContext.tsx';
import { newCommandId } from '../../bridge/newCommandId.ts';
import { useAction } from '../../bridge/useAction.ts';
import { Button } from '../../ui/Button.tsx';
import { FailureNote } from '../../ui/FailureNote.tsx';
import { TextArea } from '../../ui/TextArea.tsx';

export type TriedCall = Pick<CommandOutput<'tool.try'>['call'], 'conversationId' | 'callId'>;

/** A request written by hand. A call shows its card here; the answer of any other is chosen in the list. */
export function SendRequest({
  serverId,
  first,
  onSent,
  onClose,
  call,
}: {
  serverId: ServerId;
  first: string;
  onSent(answer: TraceEntryId): void;
  onClose(): void;
  /** The card and the row of a call that was made. */
  call(made: TriedCall): ReactNode;
}) {
  const { t } = useTranslation('inspector');
  const bridge = useBridge();
  const [json, setJson] = useState(first);
  const [made, setMade] = useState<TriedCall>();
  const field = useRef<HTMLTextAreaElement>(null);
  useEffect(() => field.current?.focus(), []);
  const send = useAction(async () => {
    const result = await bridge.invoke('trace.resend', { commandId: newCommandId(), serverId, json });
    if (!result.ok) return result;
    if (result.value.kind === 'call') setMade(result.value.call);
    else onSent(result.value.answerId ?? result.value.requestId);
    return result;
  });
  const at = send.failure?.at;
  return (
    <section aria-label={t('send.title')} data-outline className="flex flex-col gap-3 rounded-card border border-line bg-surface px-4 py-3">
      <h2 className="text-label">{t('send.title')}</h2>
      <TextArea
        ref={field}
        mono
        rows={8}
        label={t('send.field')}
        hint={t('send.hint')}
        error={at === undefined ? undefined : t('send.at', at)}
        value={json}
        onChange={setJson}
      />
      <FailureNote failure={send.failure} />
      <div className="flex gap-2">
        <Button kind="primary" disabled={send.busy || json.trim() === ''} onClick={() => void send.run()}>
          {t('send.do')}
        </Button>
        <Button kind="quiet" onClick={onClose}>
          {t('send.cancel')}
        </Button>
      </div>
      {made === undefined ? null : call(made)}
    </section>
  );
}

import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { CommandOutput } from '../../../preload/contract/commands.ts';
import type { CallId } from '../../../preload/contract/ids.ts';
import { useBridge } from '../../bridge/bridgeContext.tsx';
import { useAction } from '../../bridge/useAction.ts';
import { Button } from '../../ui/Button.tsx';
import { FailureNote } from '../../ui/FailureNote.tsx';
import { PlainText } from '../../ui/PlainText.tsx';
import { useTimes } from '../../ui/useTimes.ts';

/** One click from every result: exactly what the model was given of it. */
export function GivenToModel({ callId }: { callId: CallId }) {
  const { t } = useTranslation('chat');
  const { size } = useTimes();
  const bridge = useBridge();
  const [given, setGiven] = useState<CommandOutput<'result.given'>>();
  const read = useAction(async () => {
    const result = await bridge.invoke('result.given', { callId });
    if (result.ok) setGiven(result.value);
    return result;
  });
  return (
    <section className="flex flex-col gap-2">
      <Button
        kind="quiet"
        className="-ml-3 self-start"
        aria-expanded={given !== undefined}
        disabled={read.busy}
        onClick={() => (given === undefined ? void read.run() : setGiven(undefined))}
      >
        {t(given === undefined ? 'given.show' : 'given.hide')}
      </Button>
      {given?.parts.map((part, index) =>
        part.type === 'text' ? (
          <PlainText key={index} text={part.text} label={t('given.label')} className="max-h-100" />
        ) : (
          <p key={index} className="text-ui text-ink-2">
            {t('call.image', { type: part.mimeType, size: size(part.bytes) })}
          </p>
        ),
      )}
      <FailureNote failure={read.failure} />
    </section>
  );
}

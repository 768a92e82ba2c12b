import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { ToolCall } from '../../../preload/contract/calls.ts';
import { ArgumentRows } from '../../ui/ArgumentRows.tsx';
import { Button } from '../../ui/Button.tsx';
import { LongTextView } from '../../ui/LongTextView.tsx';
import { ResultBlockView } from '../../ui/ResultBlockView.tsx';
import { useReasonText } from '../../ui/useReasonText.ts';
import { VisibleText } from '../../ui/VisibleText.tsx';
import { GivenToModel } from './GivenToModel.tsx';
import { MessagesLink } from './MessagesLink.tsx';
import { BlockHints, useResultHints } from './ResultHints.tsx';

/** What was sent and what came back, as it was. */
export function ToolDetails({ call }: { call: ToolCall }) {
  const { t } = useTranslation('chat');
  const reasonText = useReasonText();
  const [raw, setRaw] = useState(false);
  const whole = call.arguments.text.length === call.arguments.length;
  const content = call.state === 'succeeded' || call.state === 'failed' ? call.content : null;
  const isEnded = 'endedAt' in call;
  const hints = useResultHints(call.id, content !== null && content.length > 0);
  return (
    <div className="flex flex-col gap-4 border-t border-line px-4 py-3">
      <section className="flex flex-col gap-2">
        <div className="flex min-h-7 items-center justify-between">
          <span className="text-caption text-ink-3">{t('call.input')}</span>
          {whole ? (
            <Button kind="quiet" aria-pressed={raw} onClick={() => setRaw(!raw)}>
              {raw ? t('call.asRows') : t('call.rawJson')}
            </Button>
          ) : null}
        </div>
        {raw || !whole ? (
          <LongTextView text={call.arguments} label={t('call.rawJson')} />
        ) : (
          <ArgumentRows json={call.arguments.text} empty={t('call.noInput')} />
        )}
        {call.proposedArguments === undefined ? null : (
          <details className="text-caption text-ink-2">
            <summary className="w-fit rounded-control py-1 hover:text-ink">{t('call.edited')}</summary>
            <LongTextView text={call.proposedArguments} label={t('call.askedFor')} />
          </details>
        )}
      </section>
      {call.reason === undefined ? null : (
        <p className="text-caption text-ink-3">
          {t('call.reason')}: <VisibleText text={reasonText(call.reason, call.effects)} />
        </p>
      )}
      {content === null ? null : (
        <section className="flex flex-col gap-2">
          <span className="text-caption text-ink-3">{t('call.result')}</span>
          {content.length === 0 ? <p className="text-ink-3">{t('call.empty')}</p> : null}
          {content.map((block, index) => (
            <div key={index} className="flex flex-col gap-2">
              <BlockHints hints={hints} block={index} />
              <ResultBlockView block={block} />
            </div>
          ))}
        </section>
      )}
      {isEnded ? <GivenToModel callId={call.id} /> : null}
      <div className="-ml-3">
        <MessagesLink call={call} />
      </div>
    </div>
  );
}

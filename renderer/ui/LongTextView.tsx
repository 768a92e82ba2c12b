import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { LongText } from '../../preload/contract/content.ts';
import { useBridge } from '../bridge/bridgeContext.tsx';
import { useAction } from '../bridge/useAction.ts';
import { headOf, type ReadText, readAll, readPage } from '../text/readLongText.ts';
import { countLines } from '../text/rowsOfText.ts';
import { Button } from './Button.tsx';
import { CopyButton } from './CopyButton.tsx';
import { FailureNote } from './FailureNote.tsx';
import { PlainText, virtualFrom } from './PlainText.tsx';

const shortLines = 13;

function firstLines(text: string): string {
  let at = -1;
  for (let line = 0; line < shortLines; line += 1) {
    at = text.indexOf('\n', at + 1);
    if (at === -1) return text.slice(0, 2000);
  }
  return text.slice(0, Math.min(at, 2000));
}

/** A long text: thirteen lines, then all of it on demand, page by page where it lies in a blob. Copy takes the whole. */
export function LongTextView({ text: long, label }: { text: LongText; label: string }) {
  const { t } = useTranslation('app');
  const bridge = useBridge();
  const [open, setOpen] = useState(false);
  const [read, setRead] = useState<{ of: LongText; known: ReadText }>(() => ({ of: long, known: headOf(long) }));
  const known = read.of === long ? read.known : headOf(long);
  const more = useAction(async () => {
    const result = await readPage(bridge, long, known);
    if (result.ok) setRead({ of: long, known: result.value });
    return result;
  });
  const short = firstLines(known.text);
  const cut = short.length < known.text.length || known.nextOffset !== undefined;
  const lines = countLines(known.text);
  const copy = async () => {
    const all = await readAll(bridge, long);
    if (!all.ok) throw new Error(all.error.message);
    return all.value;
  };
  return (
    <div className="flex flex-col gap-1">
      <div className="flex min-h-7 items-center gap-2 text-caption text-ink-3">
        <span className="flex-1 truncate">
          {label}
          {known.nextOffset !== undefined
            ? ` · ${t('longText.part', { shown: known.text.length, all: long.length })}`
            : lines > 1
              ? ` · ${t('longText.lines', { count: lines })}`
              : ''}
        </span>
        <CopyButton text={copy} />
      </div>
      <PlainText text={open ? known.text : short} label={label} {...(known.text.length > virtualFrom ? {} : { className: 'max-h-100' })} />
      {cut ? (
        <div className="flex gap-2">
          <Button kind="quiet" aria-expanded={open} onClick={() => setOpen(!open)}>
            {open ? t('longText.showLess') : t('longText.showAll')}
          </Button>
          {open && known.nextOffset !== undefined ? (
            <Button kind="quiet" disabled={more.busy} onClick={() => void more.run()}>
              {t('longText.more')}
            </Button>
          ) : null}
        </div>
      ) : null}
      <FailureNote failure={more.failure} />
    </div>
  );
}

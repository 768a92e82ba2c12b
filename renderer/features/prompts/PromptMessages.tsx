import { useTranslation } from 'react-i18next';
import { ResultBlockView } from '../../ui/ResultBlockView.tsx';
import { TextArea } from '../../ui/TextArea.tsx';
import { VisibleText } from '../../ui/VisibleText.tsx';
import { visiblePieces } from '../../text/visiblePieces.ts';
import { attachableUri, type ExpandedMessage, type ExpandedPart } from './expandedPrompt.ts';

/** What a prompt became: every message with its side, as text that may be changed where `onChange` is given. */
export function PromptMessages({
  messages,
  onChange,
}: {
  messages: readonly ExpandedMessage[];
  onChange?: (messages: readonly ExpandedMessage[]) => void;
}) {
  const { t } = useTranslation('prompts');
  if (messages.length === 0) return <p className="text-ui text-ink-3">{t('nothing')}</p>;
  const change = (message: number, part: number, text: string) =>
    onChange?.(
      messages.map((each, index) =>
        index === message ? { ...each, parts: each.parts.map((old, at) => (at === part ? { kind: 'text', text } : old)) } : each,
      ),
    );
  return (
    <ol aria-label={t('messages')} className="flex flex-col gap-3">
      {messages.map((message, index) => (
        <li key={index} className="flex flex-col gap-2">
          {onChange !== undefined && message.parts.some(({ kind }) => kind === 'text') ? null : (
            <span className="text-caption text-ink-3">{t(`role.${message.role}`)}</span>
          )}
          {message.parts.map((part, at) => (
            <Part
              key={at}
              part={part}
              label={t('textOf', { side: t(`role.${message.role}`), number: index + 1 })}
              onChange={onChange === undefined ? undefined : (text) => change(index, at, text)}
            />
          ))}
        </li>
      ))}
    </ol>
  );
}

function Part({ part, label, onChange }: { part: ExpandedPart; label: string; onChange: ((text: string) => void) | undefined }) {
  const { t } = useTranslation('prompts');
  if (part.kind === 'block') {
    const uri = attachableUri(part.block);
    return (
      <div className="flex flex-col gap-1">
        <ResultBlockView block={part.block} />
        {onChange === undefined ? null : (
          <p className={`text-caption ${uri === undefined ? 'text-write' : 'text-ink-3'}`}>
            {t(uri === undefined ? 'leftOut' : 'goesAlong')}
          </p>
        )}
      </div>
    );
  }
  if (onChange === undefined) {
    return (
      <p className="rounded-control bg-sunken px-3 py-2 text-ui wrap-anywhere whitespace-pre-wrap">
        <VisibleText text={part.text} />
      </p>
    );
  }
  const hidden = visiblePieces(part.text).filter((piece) => piece.kind !== 'text').length;
  return (
    <TextArea
      label={label}
      rows={Math.min(10, part.text.split('\n').length + 1)}
      value={part.text}
      onChange={onChange}
      hint={hidden === 0 ? undefined : <span className="text-danger">{t('hidden', { count: hidden })}</span>}
    />
  );
}

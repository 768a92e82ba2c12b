import { diffLines, diffWordsWithSpace } from 'diff';
import { useMemo } from 'react';
import { useTranslation } from 'react-i18next';
import type { DefinitionMember } from '../../../preload/contract/definitions.ts';
import { VisibleText } from '../../ui/VisibleText.tsx';

/** Milliseconds after which words are not compared any further, and the whole texts stand one after the other. */
const longestMs = 150;
/** Of what stayed, so many characters stand beside what changed. */
const around = 160;

interface Piece {
  kind: 'same' | 'removed' | 'added';
  text: string;
}

function piecesOf(before: string, after: string): Piece[] {
  const byLine = before.length + after.length > 20_000;
  const changes = byLine ? diffLines(before, after, { timeout: longestMs }) : diffWordsWithSpace(before, after, { timeout: longestMs });
  if (changes === undefined)
    return [
      { kind: 'removed', text: before },
      { kind: 'added', text: after },
    ];
  return changes.map(({ value, added, removed }) => ({ kind: added ? 'added' : removed ? 'removed' : 'same', text: value }));
}

/** What was agreed to and what is offered now, word by word. */
export function Difference({ member, before, after }: { member: DefinitionMember; before: string; after: string }) {
  const { t } = useTranslation('review');
  const pieces = useMemo(() => piecesOf(before, after), [before, after]);
  const words = t(`member.${member}`);
  const isCode = !['title', 'description'].includes(member);
  return (
    <div className="flex flex-col gap-1">
      <p className="text-caption text-ink-3">{words}</p>
      <div
        tabIndex={0}
        role="group"
        aria-label={t('diff.label', { member: words })}
        data-outline
        className={`max-h-100 overflow-auto rounded-control bg-sunken px-3 py-2 text-ui wrap-anywhere whitespace-pre-wrap ${isCode ? 'font-code' : ''}`}
      >
        {pieces.map((piece, index) => (
          <PieceView key={index} piece={piece} isFirst={index === 0} isLast={index === pieces.length - 1} />
        ))}
      </div>
    </div>
  );
}

function PieceView({ piece: { kind, text }, isFirst, isLast }: { piece: Piece; isFirst: boolean; isLast: boolean }) {
  const { t } = useTranslation('review');
  if (kind === 'removed')
    return (
      <del className="rounded-[3px] bg-danger-soft text-danger decoration-danger/60">
        <span className="sr-only">{t('diff.removed')}: </span>
        <VisibleText text={text} />
      </del>
    );
  if (kind === 'added')
    return (
      <ins className="rounded-[3px] bg-read-soft text-read no-underline">
        <span className="sr-only">{t('diff.added')}: </span>
        <VisibleText text={text} />
      </ins>
    );
  const head = isFirst ? '' : text.slice(0, around).replace(/[\ud800-\udbff]$/, '');
  const tail = isLast ? '' : text.slice(-around).replace(/^[\udc00-\udfff]/, '');
  const left = text.length - head.length - tail.length;
  if (left < 2 * around) return <VisibleText text={text} />;
  return (
    <>
      <VisibleText text={head} />
      <span className="font-ui text-caption text-ink-3">{t('diff.same', { count: left })}</span>
      <VisibleText text={tail} />
    </>
  );
}

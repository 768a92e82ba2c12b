import { FileText, FileWarning, Folder, KeyRound, Link2, SquareArrowOutUpRight, TriangleAlert } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useStore } from 'zustand';
import type { Effects, Finding, OriginMark, PathLook } from '../../../preload/contract/policy.ts';
import { useStores } from '../../state/storesContext.tsx';
import { destinationOf } from '../../text/destinationOf.ts';
import { PlainText } from '../../ui/PlainText.tsx';
import { useTimes } from '../../ui/useTimes.ts';
import { VisibleText } from '../../ui/VisibleText.tsx';
import type { Notes, NotedRow } from './notedRows.ts';

/** Content of the user that would go out with the call is a danger; the rest is something to look at. */
export const toneOfMark = ({ source }: OriginMark, effects: Effects): 'write' | 'danger' =>
  source.private && (effects.source === 'nobody' || effects.set.includes('sendsOut')) ? 'danger' : 'write';

/** Where a mark comes from, in the language of the window, for the middle of a sentence. */
export function useOrigin(): (mark: OriginMark) => string {
  const { t, i18n } = useTranslation('approval');
  const { servers } = useStores();
  const list = useStore(servers.store, (state) => state.servers);
  return ({ text, source, encoding, from, to }) => {
    const server =
      'serverId' in source.source ? list.find(({ id }) => 'serverId' in source.source && id === source.source.serverId)?.name : undefined;
    const isTold = i18n.language.startsWith('en') || source.source.kind !== 'tool' || server === undefined;
    const where = isTold ? text : t('mark.result', { tool: source.source.kind === 'tool' ? source.source.tool : '', server });
    const whose = source.private ? t(source.untrusted ? 'mark.both' : 'mark.private') : source.untrusted ? t('mark.untrusted') : '';
    const what = t(to > from ? 'mark.text' : 'mark.name', { where });
    const how = encoding === 'plain' ? '' : t(`mark.${encoding}`);
    return [what, how, whose].filter(Boolean).join(t('permission.and'));
  };
}

type NoteTone = 'plain' | 'write' | 'danger';
const tones: Record<NoteTone, string> = { plain: 'text-ink-3', write: 'text-write', danger: 'text-danger' };

function Note({ tone, icon, children }: { tone: NoteTone; icon: ReactNode; children: ReactNode }) {
  return (
    <li className={`flex items-start gap-1.5 text-caption ${tones[tone]}`}>
      <span className="mt-0.5 shrink-0">{icon}</span>
      <div className="min-w-0 flex-1 wrap-anywhere">{children}</div>
    </li>
  );
}

/** What is to be said of one argument, under it: where it leads, where it comes from, which secrets are in it, what it names. */
export function ArgumentNotes({ row, effects }: { row: NotedRow; effects: Effects }) {
  const { t } = useTranslation('approval');
  const destination = row.isDestination && row.kind === 'string' ? destinationOf(row.value) : undefined;
  return (
    <NoteList {...row} effects={effects}>
      {destination === undefined ? null : destination.kind === 'unclear' ? (
        <Note tone="danger" icon={<TriangleAlert size={12} aria-hidden />}>
          {t('goesUnclear')}
        </Note>
      ) : (
        <Note tone="plain" icon={<SquareArrowOutUpRight size={12} aria-hidden />}>
          {t('goesToHost')}{' '}
          <b className="font-strong text-ink">
            <VisibleText text={destination.host} />
          </b>
        </Note>
      )}
    </NoteList>
  );
}

export function NoteList({ marks, findings, looks, effects, children }: Notes & { effects: Effects; children?: ReactNode }) {
  const origin = useOrigin();
  const { t } = useTranslation('approval');
  const inFiles = new Map<string, Finding[]>();
  for (const finding of findings)
    if (finding.where === 'file') inFiles.set(finding.path ?? '', [...(inFiles.get(finding.path ?? '') ?? []), finding]);
  // The same source is named once, however many stretches come from it.
  const origins = new Map<string, { tone: 'write' | 'danger'; count: number }>();
  for (const mark of marks) {
    const text = origin(mark);
    origins.set(text, { tone: toneOfMark(mark, effects), count: (origins.get(text)?.count ?? 0) + 1 });
  }
  const looked = new Set(looks.map(({ path }) => path));
  const single = [...findings.filter(({ where, path = '' }) => where === 'argument' || !looked.has(path))];
  if (origins.size + single.length + looks.length === 0 && (children === null || children === undefined)) return null;
  return (
    <ul className="mt-1 flex flex-col gap-1">
      {children}
      {[...origins].map(([text, { tone, count }]) => (
        <Note key={text} tone={tone} icon={<Link2 size={12} aria-hidden />}>
          <VisibleText text={text} />
          {count > 1 ? ` (${t('mark.places', { count })})` : null}
        </Note>
      ))}
      {single.map((finding, index) => (
        <FindingNote key={index} finding={finding} />
      ))}
      {looks.map((look, index) => (
        <LookNote key={index} look={look} findings={inFiles.get(look.path) ?? []} effects={effects} />
      ))}
    </ul>
  );
}

const useFindingWords = () => {
  const { t } = useTranslation('approval');
  return ({ kind, lines = 1 }: Finding) => (lines > 1 ? `${kind}, ${t('guard.lines', { count: lines })}` : kind);
};

function FindingNote({ finding }: { finding: Finding }) {
  const { t } = useTranslation('approval');
  const words = useFindingWords()(finding);
  return (
    <Note tone="danger" icon={<KeyRound size={12} aria-hidden />}>
      <b className="font-strong">
        <VisibleText text={finding.where === 'file' ? t('finding.inFile', { what: words, path: finding.path ?? '' }) : words} />
      </b>
      <code className="block text-ink-3">
        <VisibleText text={finding.preview} />
      </code>
    </Note>
  );
}

/** What the host saw behind a path, as far as it looked. */
function LookNote({ look, findings, effects }: { look: PathLook; findings: readonly Finding[]; effects: Effects }) {
  const { t } = useTranslation('approval');
  const { size } = useTimes();
  const words = useFindingWords();
  const [open, setOpen] = useState(false);
  const { state, inside, bytes, preview } = look;
  const sends = effects.source === 'nobody' || effects.set.includes('sendsOut');
  const reads = effects.set.every((effect) => effect === 'reads');
  const facts = [...(bytes === undefined ? [] : [size(bytes)]), ...findings.map(words)].join(', ');
  const sentence = state === 'file' ? t(sends ? 'look.fileSent' : reads ? 'look.fileRead' : 'look.file') : t(`look.${state}`);
  const tone = findings.length > 0 || state === 'linkOut' ? 'danger' : inside || state === 'missing' ? 'plain' : 'write';
  const Icon =
    findings.length > 0 ? KeyRound : state === 'folder' ? Folder : state === 'linkOut' || state === 'unreadable' ? FileWarning : FileText;
  return (
    <Note tone={tone} icon={<Icon size={12} aria-hidden />}>
      <span className={findings.length > 0 ? 'font-strong' : ''}>
        {sentence}
        {facts === '' ? '' : t('look.facts', { facts })}
      </span>
      {inside || state === 'linkOut' ? null : <> {t('look.outside')}</>}
      {preview === undefined || preview === '' ? null : (
        <>
          {' '}
          <button type="button" className="underline underline-offset-2" aria-expanded={open} onClick={() => setOpen(!open)}>
            {t(open ? 'look.hide' : 'look.show')}
          </button>
        </>
      )}
      {findings.map((finding, index) => (
        <code key={index} className="block text-ink-3">
          <VisibleText text={finding.preview} />
        </code>
      ))}
      {open && preview !== undefined ? (
        <div className="mt-1 text-ink">
          <PlainText text={preview} label={t('look.preview')} className="max-h-[120px]" />
        </div>
      ) : null}
    </Note>
  );
}

import { Pencil } from 'lucide-react';
import { type ReactNode, useMemo } from 'react';
import { useTranslation } from 'react-i18next';
import { Virtuoso } from 'react-virtuoso';
import type { Approval } from '../../../preload/contract/policy.ts';
import { classes } from '../../ui/classes.ts';
import { IconButton } from '../../ui/IconButton.tsx';
import { Tag } from '../../ui/Tag.tsx';
import { NoteList } from './ArgumentNotes.tsx';
import { CallArguments } from './CallArguments.tsx';
import { EditedNote } from './EditedNote.tsx';
import type { CallRows, NotedRow } from './notedRows.ts';

export interface GroupedCall extends CallRows {
  approval: Approval;
  isTicked: boolean;
  isNew: boolean;
  /** The person wrote other arguments for it. */
  isEdited: boolean;
}

interface GroupedCallsProps {
  calls: readonly GroupedCall[];
  /** What all of them have alike. */
  shared: readonly NotedRow[];
  mayEdit: boolean;
  onTick(approval: Approval, isTicked: boolean): void;
  onEdit(approval: Approval): void;
  /** Back to what the model asked for. */
  onTakeBack(approval: Approval): void;
  /** Stands behind the last character of a long value. */
  endOf(approval: Approval, at: string): ReactNode;
  /** Stands behind the last call. */
  after: ReactNode;
  /** Only what is in view is in the page; the list then fills its box. */
  many: boolean;
}

/** The same function on every rendering, so that what it holds stays in the page. */
const components = { Header: ({ context }: { context?: { head: ReactNode } }) => <>{context?.head}</> };

/** The calls of one card, each with its tick box; what all of them have alike stands once above. */
export function GroupedCalls({ calls, shared, after, many, ...controls }: GroupedCallsProps) {
  const { t } = useTranslation('approval');
  const sharedPlaces = useMemo(() => new Set(shared.map(({ at }) => at)), [shared]);
  const [first] = calls;
  const head =
    shared.length === 0 || first === undefined ? null : (
      <div className="border-b border-line px-4 py-2">
        <p className="pb-1 text-caption text-ink-3">{t('group.shared')}</p>
        <CallArguments rows={shared} effects={first.approval.effects} endOf={(at) => controls.endOf(first.approval, at)} />
      </div>
    );
  const item = (call: GroupedCall, index: number) => (
    <Call {...controls} call={call} number={index + 1} own={call.rows.filter(({ at }) => !sharedPlaces.has(at))} />
  );
  if (many)
    return (
      <Virtuoso
        data={calls}
        computeItemKey={(_, { approval }) => approval.id}
        context={{ head }}
        components={components}
        itemContent={(index, call) => (
          <div className={index === 0 ? '' : 'border-t border-line'}>
            {item(call, index)}
            {/* In the last item, not in a footer, which is in view for a moment before the items are measured. */}
            {index === calls.length - 1 ? after : null}
          </div>
        )}
      />
    );
  return (
    <>
      {head}
      <ul aria-label={t('group.list')} className="[&>*+*]:border-t [&>*]:border-line">
        {calls.map((call, index) => (
          <li key={call.approval.id}>{item(call, index)}</li>
        ))}
      </ul>
      {after}
    </>
  );
}

function Call({
  call: { approval, isTicked, isNew, isEdited, loose },
  number,
  own,
  mayEdit,
  onTick,
  onEdit,
  onTakeBack,
  endOf,
}: {
  call: GroupedCall;
  number: number;
  own: readonly NotedRow[];
} & Omit<GroupedCallsProps, 'calls' | 'shared' | 'after' | 'many'>) {
  const { t } = useTranslation('approval');
  const [first] = own;
  const what = first?.value.slice(0, 120) ?? '';
  return (
    <div className={classes('flex items-start gap-3 px-4 py-2', isNew && 'bg-write-soft', !isTicked && !isNew && 'bg-sunken')}>
      <label className="-m-1.5 flex size-7 shrink-0 items-center justify-center">
        <input
          type="checkbox"
          className="size-4 accent-accent-fill"
          aria-label={t('group.call', { number, what })}
          checked={isTicked}
          onChange={(event) => onTick(approval, event.target.checked)}
        />
      </label>
      <div className="min-w-0 flex-1">
        {isNew ? (
          <div className="pb-1">
            <Tag tone="write">{t('group.new')}</Tag>
          </div>
        ) : null}
        {isEdited ? <EditedNote onTakeBack={() => onTakeBack(approval)} /> : null}
        {own.length === 0 ? (
          <p className="text-ink-3">{t('group.alike')}</p>
        ) : (
          <CallArguments rows={own} effects={approval.effects} endOf={(at) => endOf(approval, at)} />
        )}
        <NoteList {...loose} effects={approval.effects} />
      </div>
      <IconButton
        small
        className="-my-1 -mr-2"
        label={t('group.edit', { number, what })}
        icon={<Pencil size={16} aria-hidden />}
        data-edit={approval.id}
        disabled={!mayEdit}
        onClick={() => onEdit(approval)}
      />
    </div>
  );
}

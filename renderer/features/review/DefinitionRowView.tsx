import { ChevronDown, ChevronRight } from 'lucide-react';
import { useEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { DefinitionRow } from '../../../preload/contract/definitions.ts';
import type { Effect } from '../../../preload/contract/policy.ts';
import { Checkbox } from '../../ui/Checkbox.tsx';
import { classes } from '../../ui/classes.ts';
import { EffectTag } from '../../ui/EffectTag.tsx';
import { HintList } from '../../ui/HintList.tsx';
import { Switch } from '../../ui/Switch.tsx';
import { Tag } from '../../ui/Tag.tsx';
import { VisibleText } from '../../ui/VisibleText.tsx';
import { DefinitionDetails } from './DefinitionDetails.tsx';
import { type Choice, isUnchecked, tickedEffects, withEffect } from './reviewGroups.ts';

const gravestFirst = ['deletes', 'sendsOut', 'changes', 'reads'] as const;

/** One tool, prompt or template: what it is called, what a model reads of it, what it does, and whether it is to be used. */
export function DefinitionRowView({
  serverId,
  seen,
  row,
  isWanted,
  choice,
  onChoice,
}: {
  serverId: string;
  /** Changes when the server offers something else: what was read of it is read again. */
  seen: string;
  row: DefinitionRow;
  /** The person came to look at this one. */
  isWanted: boolean;
  choice: Choice | undefined;
  /** Absent: nothing can be chosen here. */
  onChoice: ((choice: Choice) => void) | undefined;
}) {
  const { t } = useTranslation('review');
  const [open, setOpen] = useState(row.state === 'changed');
  const head = useRef<HTMLButtonElement>(null);
  useEffect(() => {
    if (!isWanted) return;
    head.current?.focus({ preventScroll: true });
    head.current?.scrollIntoView({ block: 'start' });
  }, [isWanted]);
  const isOff = choice?.isOff ?? row.isOff;
  const ticked = tickedEffects(row, choice);
  const isUncheckedWord = choice?.effects === undefined && isUnchecked(row);
  return (
    <div className="flex flex-col" data-definition={row.name} data-state={row.state}>
      <div className="flex items-center transition-colors duration-[120ms] hover:bg-hover">
        <button
          ref={head}
          type="button"
          aria-expanded={open}
          className="flex min-h-11 scroll-mt-4 min-w-0 flex-1 flex-wrap items-center gap-x-3 gap-y-1 px-4 py-2 text-left -outline-offset-2"
          onClick={() => setOpen(!open)}
        >
          {open ? (
            <ChevronDown size={16} aria-hidden className="shrink-0 text-ink-3" />
          ) : (
            <ChevronRight size={16} aria-hidden className="shrink-0 text-ink-3" />
          )}
          <span className="min-w-0 flex-1 basis-52">
            <code className={classes('block text-ui wrap-anywhere', isOff && 'text-ink-3 line-through')}>
              <VisibleText text={row.name} />
            </code>
            {open ? null : (
              <span className="block truncate text-caption text-ink-3">
                <VisibleText text={row.description.slice(0, 300).replaceAll(/\s+/g, ' ')} />
              </span>
            )}
          </span>
          <span className="ml-auto flex flex-wrap items-center justify-end gap-1">
            {row.kind === 'tool' ? null : <Tag tone="plain">{t(`kind.${row.kind === 'prompt' ? 'prompt' : 'template'}`)}</Tag>}
            {row.isLeft ? <Tag tone="plain">{t('left')}</Tag> : null}
            {row.hints.length === 0 ? null : <Tag tone="write">{t('hints', { count: row.hints.length })}</Tag>}
            {row.kind === 'tool' && row.state !== 'removed' ? (
              <>
                {isUncheckedWord ? (
                  <span className="text-caption text-ink-3">
                    {t(row.proposed?.by === 'folder' ? 'effects.folderSays' : 'effects.serverSays')}
                  </span>
                ) : null}
                {ticked.length === 0 ? (
                  <EffectTag effect="notReviewed" />
                ) : (
                  gravestFirst.filter((effect) => ticked.includes(effect)).map((effect) => <EffectTag key={effect} effect={effect} />)
                )}
              </>
            ) : null}
          </span>
        </button>
        {onChoice === undefined ? null : (
          <span className="flex min-h-11 items-center pr-3">
            <Switch label={t('use', { name: row.name })} checked={!isOff} onChange={(isUsed) => onChoice({ ...choice, isOff: !isUsed })} />
          </span>
        )}
      </div>
      {row.renamedFrom === undefined ? null : (
        <p className="px-4 pb-2 text-caption wrap-anywhere text-write wide:pl-11">
          <VisibleText text={t('renamed', { name: row.renamedFrom })} />
        </p>
      )}
      {open ? (
        <div className="flex flex-col gap-3 px-4 pt-1 pb-4 wide:pl-11">
          <HintList hints={row.hints} showPlace />
          <DefinitionDetails key={seen} serverId={serverId} row={row} />
          {row.kind === 'tool' && row.state !== 'removed' && onChoice !== undefined ? (
            <EffectBoxes
              row={row}
              ticked={ticked}
              isUncheckedWord={isUncheckedWord}
              onTick={(effects) => onChoice({ ...choice, effects })}
            />
          ) : null}
        </div>
      ) : null}
    </div>
  );
}

function EffectBoxes({
  row,
  ticked,
  isUncheckedWord,
  onTick,
}: {
  row: DefinitionRow;
  ticked: readonly Effect[];
  isUncheckedWord: boolean;
  onTick(effects: Effect[]): void;
}) {
  const { t } = useTranslation('review');
  const by = row.proposed?.by ?? 'nobody';
  const isOwnWord = !isUncheckedWord && (isUnchecked(row) || (by === 'nobody' && ticked.length > 0));
  return (
    <fieldset>
      <legend className="text-caption text-ink-3">
        {t('effects.title')}. {t(`effects.by.${isOwnWord ? 'user' : by}`)}
      </legend>
      <div className="mt-1 flex flex-wrap gap-x-4 gap-y-1">
        {(['reads', 'changes', 'deletes', 'sendsOut'] as const).map((effect) => (
          <Checkbox
            key={effect}
            label={t(`effects.${effect}`)}
            checked={ticked.includes(effect)}
            onChange={(isTicked) => onTick(withEffect(ticked, effect, isTicked))}
          />
        ))}
      </div>
    </fieldset>
  );
}

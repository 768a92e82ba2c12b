import { type ReactNode, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Virtuoso } from 'react-virtuoso';
import type { DefinitionReview, DefinitionRow } from '../../../preload/contract/definitions.ts';
import type { Server } from '../../../preload/contract/servers.ts';
import { useBridge } from '../../bridge/bridgeContext.tsx';
import { newCommandId } from '../../bridge/newCommandId.ts';
import { useAction } from '../../bridge/useAction.ts';
import { Button } from '../../ui/Button.tsx';
import { FailureNote } from '../../ui/FailureNote.tsx';
import { HintList } from '../../ui/HintList.tsx';
import { panelClasses, Rows } from '../../ui/Page.tsx';
import { Skeleton } from '../../ui/Skeleton.tsx';
import { useArmed } from '../../ui/useArmed.ts';
import { VisibleText } from '../../ui/VisibleText.tsx';
import { DefinitionDetails } from './DefinitionDetails.tsx';
import { DefinitionRowView } from './DefinitionRowView.tsx';
import { type Choice, type Choices, effectsToSay, groupsOf, keyOf } from './reviewGroups.ts';
import { useReview } from './useReview.ts';
import { useWaitingWords } from './waitingWords.ts';

/** From this many rows on only those in view are elements of the page. */
const virtualFrom = 60;

/** Everything that a server offers, held against what was agreed to, and the answer to it. `tool`: the one that is looked at first. */
export function ReviewServer({ server, tool, onDone }: { server: Server; tool?: string | undefined; onDone(): void }) {
  const { t } = useTranslation('review');
  const { review, failure, reload } = useReview(server);
  if (review === undefined)
    return failure === undefined ? (
      <Skeleton label={t('loading')} />
    ) : (
      <FailureNote failure={failure} action={<Button onClick={reload}>{t('again')}</Button>} />
    );
  return <Review review={review} tool={tool} onDone={onDone} />;
}

function Review({ review, tool, onDone }: { review: DefinitionReview; tool: string | undefined; onDone(): void }) {
  const { t } = useTranslation('review');
  const bridge = useBridge();
  const words = useWaitingWords();
  const [choices, setChoices] = useState<Choices>(new Map());
  // What the person began to read. What the server offers by now is never agreed to by a click that was meant for the first.
  const [firstSeen, setFirstSeen] = useState(review.seen);
  const armed = useArmed(review.seen);
  const { changed, added, removed, agreed, instructions } = groupsOf(review);
  const open = [...changed, ...added];
  const waits = open.filter(({ isLeft, isOff }) => !isLeft && !isOff);
  // What was left as it is stays so, unless there is nothing else to answer.
  const answerable = waits.length > 0 ? waits : open;
  const accept = useAction(() =>
    bridge.invoke('definition.accept', {
      commandId: newCommandId(),
      serverId: review.serverId,
      seen: review.seen,
      ...(answerable.length < open.length && { only: answerable.map(({ kind, name }) => ({ kind, name })) }),
      off: answerable.filter((row) => choices.get(keyOf(row))?.isOff ?? row.isOff).map(({ kind, name }) => ({ kind, name })),
      effects: effectsToSay(answerable, choices),
    }),
  );
  const leave = useAction(() =>
    bridge.invoke('definition.leave', { commandId: newCommandId(), serverId: review.serverId, seen: review.seen }),
  );
  const setOff = useAction((row: DefinitionRow, isOff: boolean) =>
    bridge.invoke('definition.setOff', { commandId: newCommandId(), serverId: review.serverId, kind: row.kind, name: row.name, isOff }),
  );
  const answer = async (action: typeof accept) => {
    if ((await action.run()).ok) onDone();
  };
  const choose = (row: DefinitionRow, choice: Choice) => setChoices(new Map(choices).set(keyOf(row), choice));
  const rowOf = (row: DefinitionRow, onChoice: ((choice: Choice) => void) | undefined) => (
    <DefinitionRowView
      serverId={review.serverId}
      seen={review.seen}
      row={row}
      isWanted={row.kind === 'tool' && row.name === tool}
      choice={choices.get(keyOf(row))}
      onChoice={onChoice}
    />
  );
  const group = (key: 'changed' | 'new' | 'first' | 'removed', rows: readonly DefinitionRow[], hint?: ReactNode) =>
    rows.length === 0 ? null : (
      <section className="flex flex-col gap-2">
        <h2 className="text-label">{t(`group.${key}`)}</h2>
        {hint}
        <LongRows
          label={t(`group.${key}`)}
          rows={rows}
          render={(row) => rowOf(row, answerable.includes(row) ? (choice) => choose(row, choice) : undefined)}
        />
      </section>
    );
  const serversWord = effectsToSay(answerable, choices).filter(
    ({ tool }) => choices.get(keyOf({ kind: 'tool', name: tool }))?.effects === undefined,
  ).length;
  const tokens = answerable.filter((row) => !(choices.get(keyOf(row))?.isOff ?? row.isOff)).reduce((sum, row) => sum + row.tokens, 0);
  const hasChanges = answerable.some(({ state }) => state === 'changed');
  const count = (kind: DefinitionRow['kind']) => answerable.filter((row) => row.kind === kind).length;
  return (
    <div className="flex flex-col gap-4">
      <p className="max-w-180 text-ui text-pretty text-ink-2">
        <VisibleText
          text={t(review.isFirst ? 'first.intro' : waits.length > 0 ? 'change.intro' : 'done.intro', { name: review.serverName })}
        />
        {review.isRemembered ? ` ${t('first.remembered')}` : ''}
      </p>
      {instructions === undefined ? null : (
        <details className="text-ui">
          <summary className="w-fit rounded-control py-1 text-ink-2 hover:text-ink">
            {t('instructions.title')}
            {instructions.state === 'changed' ? ` · ${t('group.changed')}` : ''}
          </summary>
          <div className="mt-1 flex flex-col gap-2">
            <p className="text-caption text-ink-3">{t('instructions.notGiven')}</p>
            <p className="max-h-60 overflow-auto rounded-control bg-sunken px-3 py-2 wrap-anywhere whitespace-pre-wrap" tabIndex={0}>
              <VisibleText text={instructions.description} />
            </p>
            <HintList hints={instructions.hints} />
            {instructions.state === 'changed' ? (
              <DefinitionDetails key={review.seen} serverId={review.serverId} row={instructions} />
            ) : null}
          </div>
        </details>
      )}
      {group('changed', changed)}
      {group(review.isFirst ? 'first' : 'new', added)}
      {group('removed', removed, <p className="text-caption text-ink-3">{t('group.removedHint')}</p>)}
      {agreed.length === 0 ? null : (
        <details className="text-ui" open={open.length === 0}>
          <summary className="w-fit rounded-control py-1 text-ink-2 hover:text-ink">
            {t('group.agreed')} · {agreed.length}
          </summary>
          <div className="mt-1">
            <LongRows
              label={t('group.agreed')}
              rows={agreed}
              render={(row) => rowOf(row, ({ isOff }) => (isOff === undefined ? undefined : void setOff.run(row, isOff)))}
            />
          </div>
        </details>
      )}
      <FailureNote failure={setOff.failure} />
      {answerable.length === 0 ? null : (
        <div className="sticky bottom-0 z-10 -mx-6 flex flex-col gap-2 border-t border-line bg-canvas px-6 py-4">
          {review.seen === firstSeen ? null : (
            <p role="alert" data-outline className="rounded-control bg-write-soft px-3 py-2 text-ui text-write">
              {t('answer.changed')}{' '}
              <button type="button" className="underline underline-offset-2" onClick={() => setFirstSeen(review.seen)}>
                {t('again')}
              </button>
            </p>
          )}
          <FailureNote failure={accept.failure ?? leave.failure} />
          <div className="flex flex-wrap items-center gap-2">
            <p className="min-w-52 flex-1 text-caption text-ink-3">
              {t('answer.total', {
                tools: words({ tools: count('tool'), prompts: count('prompt'), templates: count('template') }),
                tokens: tokens.toLocaleString(),
              })}
              {serversWord === 0 ? '' : ` ${t('answer.serverSays', { count: serversWord })}`}
            </p>
            <div className="flex flex-wrap gap-2">
              {waits.length === 0 ? null : (
                <Button disabled={leave.busy || accept.busy} onClick={() => void answer(leave)}>
                  {t(hasChanges ? 'answer.leave' : 'answer.leaveNew')}
                </Button>
              )}
              <Button
                kind="primary"
                disabled={accept.busy || leave.busy || !armed || review.seen !== firstSeen}
                onClick={() => void answer(accept)}
              >
                {t(hasChanges ? 'answer.useNew' : count('tool') > 0 ? 'answer.use' : 'answer.useOther')}
              </Button>
            </div>
          </div>
        </div>
      )}
    </div>
  );
}

function LongRows({ label, rows, render }: { label: string; rows: readonly DefinitionRow[]; render(row: DefinitionRow): ReactNode }) {
  const [scroller, setScroller] = useState<HTMLElement | null>(null);
  if (rows.length < virtualFrom)
    return (
      <Rows label={label}>
        {rows.map((row) => (
          <li key={keyOf(row)}>{render(row)}</li>
        ))}
      </Rows>
    );
  return (
    <div
      ref={(element) => {
        if (element && scroller === null) setScroller(element.closest('main'));
      }}
      role="group"
      aria-label={label}
      className={`${panelClasses} overflow-hidden`}
    >
      {scroller === null ? null : (
        <Virtuoso
          customScrollParent={scroller}
          data={rows}
          computeItemKey={(_, row) => keyOf(row)}
          itemContent={(index, row) => <div className={index === 0 ? '' : 'border-t border-line'}>{render(row)}</div>}
        />
      )}
    </div>
  );
}

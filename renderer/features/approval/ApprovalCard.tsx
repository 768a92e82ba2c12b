import { type ReactNode, type RefObject, useEffect, useId, useLayoutEffect, useMemo, useRef, useState } from 'react';
import { flushSync } from 'react-dom';
import { useTranslation } from 'react-i18next';
import type { ApprovalId } from '../../../preload/contract/ids.ts';
import type { Approval } from '../../../preload/contract/policy.ts';
import { useAction } from '../../bridge/useAction.ts';
import type { CallAnswer, CardCalls } from '../../state/approvals.ts';
import { useStores } from '../../state/storesContext.tsx';
import { hiddenCount } from '../../text/visiblePieces.ts';
import { Button } from '../../ui/Button.tsx';
import { classes } from '../../ui/classes.ts';
import { EffectTags } from '../../ui/EffectTag.tsx';
import { FailureNote } from '../../ui/FailureNote.tsx';
import { matchesKeys } from '../../ui/keys.ts';
import { PlainText } from '../../ui/PlainText.tsx';
import { SetByOrganisation } from '../../ui/SetByOrganisation.tsx';
import { Skeleton } from '../../ui/Skeleton.tsx';
import { useArmed } from '../../ui/useArmed.ts';
import { VisibleText } from '../../ui/VisibleText.tsx';
import { NoteList } from './ArgumentNotes.tsx';
import { AskingServer } from './AskingServer.tsx';
import { CallArguments, ManyArguments, mostRowsAtOnce } from './CallArguments.tsx';
import { CardReason } from './CardReason.tsx';
import { DecisionButtons } from './DecisionButtons.tsx';
import { DenyReason } from './DenyReason.tsx';
import { EditArguments } from './EditArguments.tsx';
import { EditedNote } from './EditedNote.tsx';
import { GroupedCalls } from './GroupedCalls.tsx';
import { offersOfCard } from './offersOfCard.ts';
import { type Permission, PermissionForm } from './PermissionForm.tsx';
import { noTicks, toggled, withCalls } from './ticks.ts';
import { type Edits, useCardArguments } from './useCardArguments.tsx';
import { useCardTitle } from './useCardTitle.ts';

/** What stands in the place of the buttons, or of the arguments. */
type Mode = { kind: 'buttons' } | { kind: 'why' } | { kind: 'edit'; id: ApprovalId } | { kind: 'permission'; scope: Permission['scope'] };
const buttons: Mode = { kind: 'buttons' };
const noEdits: Edits = new Map();

/** Content of the user, or a secret, would leave with the call. */
const isGrave = ({ effects, labels, marks = [], findings = [] }: Approval): boolean =>
  (effects.source === 'nobody' || effects.set.includes('sendsOut')) &&
  (labels?.private === true || findings.length > 0 || marks.some(({ source }) => source.private));

/**
 * Calls that wait: one, or those of one step to the same tool. It shows exactly what would be sent, whole; Allow works only after all of
 * it has been in view and 400 ms after the card came or grew. Escape leaves it and decides nothing.
 */
export function ApprovalCard({
  approvals,
  card,
  position,
  first: showsKeys,
  onDecided,
  onLeave,
}: {
  approvals: CardCalls;
  card: RefObject<HTMLElement | null>;
  /** Which of how many, with its controls. */
  position: ReactNode;
  /** The first waiting card of this window shows the keys. */
  first: boolean;
  onDecided(): void;
  onLeave(): void;
}) {
  const { t } = useTranslation(['approval', 'app']);
  const stores = useStores();
  const [first] = approvals;
  const isGroup = approvals.length > 1;
  const ids = approvals.map(({ id }) => id);
  const key = ids.join(' ');

  const armed = useArmed(key);
  const [couldBeAnswered, setCouldBeAnswered] = useState(false);
  useEffect(() => {
    if (armed) setCouldBeAnswered(true);
  }, [armed]);
  const [lastTicks, setTicks] = useState(noTicks);
  const ticks = withCalls(lastTicks, ids, couldBeAnswered);
  if (ticks !== lastTicks) setTicks(ticks);
  const isTicked = ({ id }: Approval) => !isGroup || !ticks.off.has(id);
  const isNew = ({ id }: Approval) => isGroup && ticks.fresh.has(id);
  const ticked = approvals.filter(isTicked);
  const joinedLater = approvals.filter(isNew).length;
  const unticked = approvals.filter((approval) => !isTicked(approval) && !isNew(approval));

  // A call may end by itself. The focus must not be lost with its card.
  const leave = useRef(onDecided);
  useEffect(() => {
    leave.current = onDecided;
  }, [onDecided]);
  useLayoutEffect(
    () => () => {
      if (card.current?.contains(document.activeElement) === true) leave.current();
    },
    [card],
  );

  const [raw, setRaw] = useState(false);
  const [edits, setEdits] = useState(noEdits);
  const { texts, failure, retry, noted, shared, seen, endOf, rawEnd, end } = useCardArguments(approvals, edits, raw);
  const joined = texts?.join('\n') ?? '';
  const [lastMode, setMode] = useState<Mode>(buttons);
  const editedAt = lastMode.kind === 'edit' ? approvals.findIndex(({ id }) => id === lastMode.id) : -1;
  const editing = approvals[editedAt];
  // The call that is edited may end by itself.
  const mode = lastMode.kind === 'edit' && editing === undefined ? buttons : lastMode;
  /** The focus must not be lost with what stood in the place of the buttons. */
  const leaveMode = () => {
    flushSync(() => setMode(buttons));
    const opener = editing && card.current?.querySelector<HTMLElement>(`[data-edit="${editing.id}"]`);
    (opener ?? card.current)?.focus();
  };
  const hidden = useMemo(() => hiddenCount(joined), [joined]);

  const decide = useAction((answers: readonly [CallAnswer, ...CallAnswer[]]) => stores.approvals.decide(answers));
  const destructive = first.effects.source !== 'nobody' && first.effects.set.includes('deletes');
  const grave = approvals.some(isGrave);
  const mayAllow = armed && seen && texts !== null && ticked.length > 0 && !decide.busy;
  const run = async (answers: readonly CallAnswer[]) => {
    const [one, ...others] = answers;
    if (one === undefined) return;
    const result = await decide.run([one, ...others]);
    if (!result.ok && result.error.code !== 'alreadyAnswered') {
      // Where one of several calls was refused for what the person wrote, he goes on writing there.
      const refused = approvals.find(({ id }) => edits.has(id) && result.error.fields?.some(({ name }) => name === id));
      if (refused !== undefined) setMode({ kind: 'edit', id: refused.id });
      return;
    }
    // What joined meanwhile and still waits is a card of its own.
    setTicks(noTicks);
    setEdits(noEdits);
    setCouldBeAnswered(false);
    setMode(buttons);
    onDecided();
  };
  const allow = (permission: Permission | { scope: 'once' }, written = edits) =>
    void run([
      ...unticked.map((approval): CallAnswer => ({ approval, decision: { kind: 'deny' } })),
      ...ticked.map((approval): CallAnswer => {
        const edited = written.get(approval.id);
        // What the person wrote holds for this one call, whatever holds for the others.
        return { approval, decision: { kind: 'allow', ...(edited === undefined ? permission : { scope: 'once', edited }) } };
      }),
    ]);
  const startEdit = (id: ApprovalId) => {
    decide.clear();
    setMode({ kind: 'edit', id });
  };
  const keepEdit = (id: ApprovalId, text: string | undefined) => {
    const next = new Map(edits);
    if (text === undefined) next.delete(id);
    else next.set(id, text);
    setEdits(next);
    setTicks(toggled(ticks, id, true));
    decide.clear();
    leaveMode();
  };
  const deny = (reason?: string) =>
    void run(
      approvals.map((approval): CallAnswer => ({ approval, decision: { kind: 'deny', ...(reason === undefined ? {} : { reason }) } })),
    );
  const offers = offersOfCard(ticked.filter(({ id }) => !edits.has(id)));

  const titleId = useId();
  const title = useCardTitle(approvals);
  const rowCount = noted.reduce((sum, { rows }) => sum + rows.length, 0);
  const many = rowCount > mostRowsAtOnce && !raw;
  const [single] = noted;
  // Where it goes, what goes and where both come from are seen at one glance.
  const hasMuchToShow =
    isGroup || approvals.some(({ marks = [], findings = [], looks = [] }) => marks.length + findings.length + looks.length > 0);

  const body =
    texts === null ? (
      failure === undefined ? (
        <Skeleton label={t('loadingArguments')} lines={2} />
      ) : (
        <FailureNote failure={failure} action={<Button onClick={retry}>{t('app:tryAgain')}</Button>} />
      )
    ) : raw ? (
      <>
        <PlainText text={joined} label={t('rawJson')} end={rawEnd} />
        {end}
      </>
    ) : isGroup ? (
      <GroupedCalls
        calls={approvals.map((approval, index) => ({
          ...(noted[index] ?? { rows: [], loose: { marks: [], findings: [], looks: [] } }),
          approval,
          isTicked: isTicked(approval),
          isNew: isNew(approval),
          isEdited: edits.has(approval.id),
        }))}
        shared={shared}
        mayEdit={armed && !decide.busy}
        onTick={({ id }, isOn) => setTicks(toggled(ticks, id, isOn))}
        onEdit={({ id }) => startEdit(id)}
        onTakeBack={({ id }) => keepEdit(id, undefined)}
        endOf={endOf}
        after={end}
        many={many}
      />
    ) : single === undefined || single.rows.length === 0 ? (
      <>
        <p className="text-ink-3">{t('nothingSent')}</p>
        {end}
      </>
    ) : many ? (
      <ManyArguments rows={single.rows} effects={first.effects} endOf={(at) => endOf(first, at)} after={end} />
    ) : (
      <>
        <CallArguments rows={single.rows} effects={first.effects} endOf={(at) => endOf(first, at)} />
        {end}
      </>
    );

  return (
    <section
      ref={card}
      tabIndex={-1}
      aria-labelledby={titleId}
      data-card="approval"
      data-armed={armed}
      className={classes(
        'flex animate-appear flex-col overflow-hidden rounded-dialog border border-line bg-surface shadow-float',
        mode.kind === 'edit' || mode.kind === 'permission'
          ? 'max-h-[min(560px,75vh)]'
          : hasMuchToShow
            ? 'max-h-[max(168px,min(440px,45vh))] [@media(min-height:800px)]:max-h-[min(440px,52vh)]'
            : 'max-h-[max(168px,min(320px,45vh))]',
      )}
      onKeyDown={(event) => {
        if (matchesKeys(event, 'Mod+Enter')) {
          event.preventDefault();
          event.stopPropagation();
          if (mayAllow && !destructive && mode.kind === 'buttons') allow({ scope: 'once' });
        } else if (event.key === 'Escape' && !event.nativeEvent.isComposing && !event.defaultPrevented) {
          event.stopPropagation();
          if (mode.kind === 'buttons') onLeave();
          else leaveMode();
        }
      }}
    >
      {/* Where a window is low all of it scrolls, else the arguments alone; the buttons never do. */}
      <div className="flex min-h-0 flex-col border-b border-line [@media(max-height:640px)]:overflow-auto">
        <div className="flex flex-wrap items-center gap-x-2 gap-y-1 px-4 pt-3">
          <EffectTags effects={first.effects} grave={grave} />
          <span className="min-w-30 flex-1 text-caption wrap-anywhere text-ink-3">
            {t(first.byHand === true ? 'triedOn' : first.fromView === true ? 'askedByView' : 'askedFor')}{' '}
            <AskingServer id={first.serverId} />
            <b className="font-strong text-ink-2">
              <VisibleText text={first.serverName} />
            </b>
          </span>
          {position}
        </div>
        <h2 id={titleId} className="shrink-0 px-4 pt-2 pb-1 text-title wrap-anywhere">
          <VisibleText text={title} />
        </h2>
        {mode.kind === 'edit' ? null : (
          <>
            <div
              tabIndex={0}
              role="group"
              aria-label={t('sent')}
              data-scroll
              className={classes(
                '-outline-offset-2 [@media(max-height:640px)]:flex-none',
                many
                  ? 'relative min-h-12 shrink basis-100 [@media(max-height:640px)]:h-60'
                  : 'min-h-12 flex-1 overflow-auto [@media(max-height:640px)]:overflow-visible',
                !many && (!isGroup || raw || texts === null) && 'px-4 py-3',
              )}
            >
              {many ? <div className="absolute inset-0">{body}</div> : body}
            </div>
            {hidden > 0 ? <p className="shrink-0 px-4 pb-2 text-caption text-danger">{t('hidden', { count: hidden })}</p> : null}
            {single === undefined || isGroup ? null : (
              <div className="shrink-0 px-4 pb-2 empty:hidden">
                <NoteList {...single.loose} effects={first.effects} />
                {edits.has(first.id) ? <EditedNote onTakeBack={() => keepEdit(first.id, undefined)} /> : null}
              </div>
            )}
            <CardReason approvals={approvals} keys={!showsKeys ? 'none' : destructive ? 'go' : 'goAndAllow'} />
          </>
        )}
      </div>
      {mode.kind === 'buttons' ? (
        <p role="status" className="shrink-0 px-4 pt-2 text-caption text-write empty:hidden">
          {[
            ...(joinedLater > 0 ? [t('group.joined', { count: joinedLater })] : []),
            ...(texts !== null && armed && !seen ? [t('scrollToEnd')] : []),
          ].join(' ')}
        </p>
      ) : null}
      {decide.failure === undefined || mode.kind === 'edit' ? null : (
        <div className="shrink-0 px-4 pt-3">
          <FailureNote failure={decide.failure} />
        </div>
      )}
      {mode.kind === 'buttons' && !destructive ? (
        <div className="shrink-0 px-4 pt-3 empty:hidden">
          <SetByOrganisation what="standingPermissions" />
        </div>
      ) : null}
      {mode.kind === 'buttons' ? (
        <DecisionButtons
          destructive={destructive}
          grave={grave}
          offers={offers}
          all={approvals.length}
          ticked={ticked.length}
          denied={unticked.length}
          raw={raw}
          mayAllow={mayAllow}
          mayDeny={armed && !decide.busy}
          mayEdit={armed && texts !== null && !decide.busy}
          onRaw={texts === null ? undefined : () => setRaw(!raw)}
          onAllow={allow}
          onChoose={(scope) => setMode({ kind: 'permission', scope })}
          onDeny={() => deny()}
          onDenyWhy={first.byHand === true ? undefined : () => setMode({ kind: 'why' })}
          onEdit={() => startEdit(first.id)}
        />
      ) : mode.kind === 'why' ? (
        <DenyReason busy={decide.busy} onDeny={deny} onBack={leaveMode} />
      ) : mode.kind === 'permission' ? (
        <PermissionForm offers={offers} chosen={mode.scope} disabled={!mayAllow} onAllow={allow} onBack={leaveMode} />
      ) : (
        <EditArguments
          key={editing?.id}
          json={texts?.[editedAt] ?? '{}'}
          {...(isGroup ? { title: t('group.editing', { number: editedAt + 1, all: approvals.length }) } : {})}
          note={t(first.byHand === true ? 'edit.noteByHand' : 'edit.note')}
          submit={t(isGroup ? 'edit.keep' : 'edit.allow')}
          failure={decide.failure}
          busy={decide.busy || !armed}
          onSubmit={(text) => {
            if (editing === undefined) return;
            if (isGroup) keepEdit(editing.id, text);
            else allow({ scope: 'once' }, new Map([[editing.id, text]]));
          }}
          onBack={leaveMode}
        />
      )}
    </section>
  );
}

import { ChevronDown, ShieldQuestion } from 'lucide-react';
import { type ReactNode, type Ref, useCallback, useEffect, useId, useMemo, useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { Approval, ApprovalDecision, Scope } from '../../../preload/contract/policy.ts';
import { useBridge } from '../../bridge/bridgeContext.tsx';
import { useAction } from '../../bridge/useAction.ts';
import { useStores } from '../../state/storesContext.tsx';
import { hiddenCount } from '../../text/visiblePieces.ts';
import { readAll } from '../../text/readLongText.ts';
import { ArgumentRows } from '../../ui/ArgumentRows.tsx';
import { Button } from '../../ui/Button.tsx';
import { EffectTags } from '../../ui/EffectTag.tsx';
import { FailureNote } from '../../ui/FailureNote.tsx';
import { Kbd } from '../../ui/Kbd.tsx';
import { matchesKeys } from '../../ui/keys.ts';
import { Menu } from '../../ui/Menu.tsx';
import { PlainText } from '../../ui/PlainText.tsx';
import { SetByOrganisation } from '../../ui/SetByOrganisation.tsx';
import { Skeleton } from '../../ui/Skeleton.tsx';
import { TextField } from '../../ui/TextField.tsx';
import { useArmed } from '../../ui/useArmed.ts';
import { useReasonText } from '../../ui/useReasonText.ts';
import { VisibleText } from '../../ui/VisibleText.tsx';
import { AskingServer } from './AskingServer.tsx';
import { EndMark } from './EndMark.tsx';
import { useQuestion } from './useQuestion.ts';
import { useShown } from './useShown.ts';

/** Scopes beyond the single call, in the order of their reach. */
const wider = ['turn', 'chat', 'always'] as const satisfies readonly Scope[];

/** The whole text of the arguments, also where it is longer than a message may be. */
function useWholeArguments(approval: Approval) {
  const bridge = useBridge();
  const short = approval.arguments.text.length >= approval.arguments.length;
  const [read, setRead] = useState<{ of: Approval; text: string } | null>(null);
  const load = useAction(async () => {
    const result = await readAll(bridge, approval.arguments);
    if (result.ok) setRead({ of: approval, text: result.value });
    return result;
  });
  const { run } = load;
  useEffect(() => {
    if (!short) void run();
    // One reading for each card; `run` is another function on every rendering.
    // eslint-disable-next-line react-hooks/exhaustive-deps
  }, [approval, short]);
  return { text: short ? approval.arguments.text : read?.of === approval ? read.text : null, failure: load.failure, retry: run };
}

/**
 * A call that waits. It shows exactly what would be sent, whole; Allow works only after all of it has been in view and
 * 400 ms after the card came. Escape leaves it and decides nothing.
 */
export function ApprovalCard({
  approval,
  card,
  position,
  first,
  onDecided,
  onLeave,
}: {
  approval: Approval;
  card: Ref<HTMLElement>;
  /** Which of how many, with its controls. */
  position: ReactNode;
  /** The first waiting card of this window shows the keys. */
  first: boolean;
  onDecided(): void;
  onLeave(): void;
}) {
  const { t } = useTranslation(['approval', 'app']);
  const { approvals } = useStores();
  const titleId = useId();
  const question = useQuestion(approval);
  const reasonText = useReasonText();
  const [raw, setRaw] = useState(false);
  const [why, setWhy] = useState<string | null>(null);
  const armed = useArmed(approval.id);
  const { text, failure, retry } = useWholeArguments(approval);
  const { allShown, mark } = useShown(raw);
  // Seen whole as rows or as JSON is seen: turning to the other view takes nothing back.
  const [seen, setSeen] = useState(false);
  useEffect(() => {
    if (allShown) setSeen(true);
  }, [allShown]);
  const endOf = useCallback((name: string) => <EndMark onShown={mark(`row ${name}`)} />, [mark]);
  const hidden = useMemo(() => hiddenCount(text ?? ''), [text]);
  const decide = useAction((decision: ApprovalDecision) => approvals.decide(approval, decision));
  const destructive = approval.effects.source !== 'nobody' && approval.effects.set.includes('deletes');
  const mayAllow = armed && seen && text !== null && !decide.busy;

  const run = async (decision: ApprovalDecision) => {
    const result = await decide.run(decision);
    if (result.ok || result.error.code === 'alreadyAnswered') onDecided();
  };
  const scopes = wider.filter((scope) => !destructive && approval.scopes.includes(scope));

  return (
    <section
      ref={card}
      tabIndex={-1}
      aria-labelledby={titleId}
      data-card="approval"
      className="flex max-h-[max(168px,min(320px,45vh))] animate-appear flex-col overflow-hidden rounded-dialog border border-line bg-surface shadow-float"
      onKeyDown={(event) => {
        if (matchesKeys(event, 'Mod+Enter')) {
          event.preventDefault();
          event.stopPropagation();
          if (mayAllow && !destructive && why === null) void run({ kind: 'allow', scope: 'once' });
        } else if (event.key === 'Escape' && !event.nativeEvent.isComposing && !event.defaultPrevented) {
          event.stopPropagation();
          if (why === null) onLeave();
          else setWhy(null);
        }
      }}
    >
      {/* Where a window is low all of it scrolls, else the arguments alone; the buttons never do. */}
      <div className="flex min-h-0 flex-col border-b border-line [@media(max-height:640px)]:overflow-auto">
        <div className="flex flex-wrap items-center gap-x-2 gap-y-1 px-4 pt-3">
          <EffectTags effects={approval.effects} />
          <span className="min-w-30 flex-1 text-caption wrap-anywhere text-ink-3">
            {t(approval.byHand === true ? 'triedOn' : 'askedFor')} <AskingServer id={approval.serverId} />
            <b className="font-strong text-ink-2">
              <VisibleText text={approval.serverName} />
            </b>
          </span>
          {position}
        </div>
        <h2 id={titleId} className="px-4 pt-2 text-title wrap-anywhere">
          <VisibleText text={question} />
        </h2>
        <div
          tabIndex={0}
          role="group"
          aria-label={t('sent')}
          data-scroll
          className="min-h-12 flex-1 overflow-auto px-4 py-3 -outline-offset-2 [@media(max-height:640px)]:flex-none [@media(max-height:640px)]:overflow-visible"
        >
          {text === null ? (
            failure === undefined ? (
              <Skeleton label={t('loadingArguments')} lines={2} />
            ) : (
              <FailureNote failure={failure} action={<Button onClick={() => void retry()}>{t('app:tryAgain')}</Button>} />
            )
          ) : (
            <>
              {raw ? (
                <PlainText text={text} label={t('rawJson')} end={<EndMark onShown={mark('raw')} />} />
              ) : (
                <ArgumentRows json={text} empty={t('nothingSent')} endOf={endOf} />
              )}
              {hidden > 0 ? <p className="mt-2 text-caption text-danger">{t('hidden', { count: hidden })}</p> : null}
              <EndMark key={raw ? 'raw' : 'rows'} onShown={mark('end')} />
            </>
          )}
        </div>
        <div className="flex gap-2 border-t border-line bg-sunken px-4 py-2 text-ink-2">
          <ShieldQuestion size={16} aria-hidden className="mt-0.5 shrink-0" />
          <p className="min-w-0 flex-1 wrap-anywhere">{reasonText(approval.reason, approval.effects)}</p>
          {first ? (
            <span className="hidden shrink-0 items-center gap-1 self-start py-0.5 text-caption text-ink-3 min-[1080px]:flex">
              <Kbd keys="Mod+J" /> {t('keyGo')}
              {destructive ? null : (
                <>
                  <span className="w-2" />
                  <Kbd keys="Mod+Enter" /> {t('keyAllow')}
                </>
              )}
            </span>
          ) : null}
        </div>
      </div>
      {text !== null && armed && !seen ? <p className="shrink-0 px-4 pt-2 text-caption text-write">{t('scrollToEnd')}</p> : null}
      {decide.failure === undefined ? null : (
        <div className="shrink-0 px-4 pt-3">
          <FailureNote failure={decide.failure} />
        </div>
      )}
      {why === null && !destructive ? (
        <div className="shrink-0 px-4 pt-3 empty:hidden">
          <SetByOrganisation what="standingPermissions" />
        </div>
      ) : null}
      {why === null ? (
        <div className="flex shrink-0 flex-wrap items-center justify-end gap-2 px-4 py-3 [@media(max-height:640px)]:py-2">
          <Button kind="quiet" className="mr-auto" aria-pressed={raw} disabled={text === null} onClick={() => setRaw(!raw)}>
            {raw ? t('asRows') : t('rawJson')}
          </Button>
          <Button disabled={!armed || decide.busy} onClick={() => setWhy('')}>
            {t('denyWhy')}
          </Button>
          <Button disabled={!armed || decide.busy} onClick={() => void run({ kind: 'deny' })}>
            {t('deny')}
          </Button>
          <span className="flex">
            <Button
              kind={destructive ? 'danger' : 'primary'}
              className={scopes.length > 0 ? 'rounded-r-none' : ''}
              disabled={!mayAllow}
              onClick={() => void run({ kind: 'allow', scope: 'once' })}
            >
              {destructive ? t('delete') : t('allowOnce')}
            </Button>
            {scopes.length > 0 ? (
              <Menu
                align="end"
                items={scopes.map((scope) => ({
                  label: t(`allow.${scope}`),
                  caption: t(`allow.${scope}.caption`),
                  onSelect: () => void run({ kind: 'allow', scope }),
                }))}
              >
                <Button kind="primary" aria-label={t('allowMore')} className="ml-px rounded-l-none px-2" disabled={!mayAllow}>
                  <ChevronDown size={16} aria-hidden />
                </Button>
              </Menu>
            ) : null}
          </span>
        </div>
      ) : (
        <form
          className="flex shrink-0 flex-wrap items-end justify-end gap-2 px-4 py-3 [@media(max-height:640px)]:py-2"
          onSubmit={(event) => {
            event.preventDefault();
            void run({ kind: 'deny', ...(why.trim() === '' ? {} : { reason: why.trim() }) });
          }}
        >
          <div className="min-w-50 flex-1">
            <TextField label={t('reasonLabel')} value={why} onChange={setWhy} maxLength={2000} autoFocus spellCheck />
          </div>
          <Button onClick={() => setWhy(null)}>{t('back')}</Button>
          <Button type="submit" disabled={decide.busy}>
            {t('reasonSend')}
          </Button>
        </form>
      )}
    </section>
  );
}

import { AppWindow, ChevronDown } from 'lucide-react';
import { useCallback, useEffect, useId, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useStore } from 'zustand';
import type { ToolCall } from '../../preload/contract/calls.ts';
import type { ViewReach, ViewState } from '../../preload/contract/views.ts';
import { useBridge } from '../bridge/bridgeContext.tsx';
import { newCommandId } from '../bridge/newCommandId.ts';
import { useAction } from '../bridge/useAction.ts';
import { useStores } from '../state/storesContext.tsx';
import { Button } from '../ui/Button.tsx';
import { classes } from '../ui/classes.ts';
import { FailureNote } from '../ui/FailureNote.tsx';
import { useArmed } from '../ui/useArmed.ts';
import { VisibleText } from '../ui/VisibleText.tsx';
import { ViewFrame } from './ViewFrame.tsx';
import { ViewReachList } from './ViewReachList.tsx';

/** Which calls have something to show in a view. */
const canShow = ({ state, ...call }: ToolCall): boolean =>
  state === 'running' ||
  state === 'awaitingInput' ||
  state === 'succeeded' ||
  (state === 'failed' && 'error' in call && call.error.code === 'toolError');

/**
 * The view of a call, below its line: a page of the server, in a frame that can do nothing but what is passed on for it. Where there is none, or
 * the person wants none, the call stays text.
 */
export function CallView({ call }: { call: ToolCall }) {
  const { servers, conversation } = useStores();
  const offers = useStore(
    servers.store,
    (state) => state.servers.find(({ id }) => id === call.serverId)?.views?.includes(call.tool) === true,
  );
  const isInChat = useStore(conversation.store, ({ branch }) => branch.messages.some(({ id }) => id === call.messageId));
  const [begun, setBegun] = useState(false);
  const shows = offers && isInChat && canShow(call);
  useEffect(() => {
    // A view that is there stays until its call is gone, however that ends.
    if (shows) setBegun(true);
  }, [shows]);
  return offers && (shows || begun) ? <OpenedView call={call} /> : null;
}

function OpenedView({ call }: { call: ToolCall }) {
  const { t } = useTranslation('views');
  const bridge = useBridge();
  const { views } = useStores();
  const closed = useStore(views.store, (state) => state.closed.has(call.id));
  const contentId = useId();
  const [view, setView] = useState<ViewState>();
  const [details, setDetails] = useState(false);
  const [stopped, setStopped] = useState(false);
  const load = useAction(() => bridge.invoke('view.open', { callId: call.id }));
  const { run } = load;
  // It comes by itself, below a call that has ended just now.
  const armed = useArmed(view?.state === 'toReview' ? view.seen : null);
  const open = useCallback(async () => {
    setStopped(false);
    const result = await run();
    if (result.ok) setView(result.value.view);
    // `run` is another function on every rendering.
    // eslint-disable-next-line react-hooks/exhaustive-deps
  }, []);
  useEffect(() => {
    if (closed) setView(undefined);
    else void open();
  }, [closed, open]);
  const agree = useAction(async (seen: string) => {
    const result = await bridge.invoke('view.agree', { commandId: newCommandId(), callId: call.id, seen });
    // Another page by now: it is shown what that one is.
    if (result.ok || result.error.code === 'wrongHash') await open();
    return result;
  });

  if (closed) {
    return (
      <div className="px-2 pb-1">
        <Button kind="quiet" className="min-h-7" onClick={() => views.setClosed(call.id, false)}>
          <AppWindow size={16} aria-hidden />
          {t('show')}
        </Button>
      </div>
    );
  }
  if (view === undefined || view.state === 'none')
    return load.failure === undefined ? null : (
      <div className="px-3 pb-3">
        <FailureNote failure={load.failure} />
      </div>
    );
  if (view.state === 'unavailable') {
    return (
      <p className="px-3 pb-2 pl-9 text-caption wrap-anywhere text-ink-3">
        {t('unavailable')} <VisibleText text={view.message} />
      </p>
    );
  }
  const asText = (
    <Button kind="quiet" className="min-h-7 text-caption" onClick={() => views.setClosed(call.id, true)}>
      {t('asText')}
    </Button>
  );
  if (view.state === 'toReview') {
    return (
      <section
        aria-label={t('label', { server: call.serverName })}
        className="flex flex-col gap-2 border-t border-line px-4 py-3"
        data-view="toReview"
      >
        <p className="wrap-anywhere">
          <VisibleText text={t(view.changed ? 'changed' : 'offered', { server: call.serverName })} />
        </p>
        <p className="text-caption text-ink-2">{t('what')}</p>
        <ViewReachList reach={view.reach} />
        <div className="flex flex-wrap gap-2">
          <Button disabled={agree.busy || !armed} onClick={() => void agree.run(view.seen)}>
            {t(view.changed ? 'agreeAgain' : 'agree')}
          </Button>
          {asText}
        </div>
        <FailureNote failure={agree.failure} />
      </section>
    );
  }
  return (
    <section aria-label={t('label', { server: call.serverName })} className="border-t border-line" data-view="shown">
      <div className="flex min-h-8 flex-wrap items-center gap-x-2 pr-1 pl-3 text-caption text-ink-2">
        <AppWindow size={16} aria-hidden className="shrink-0 text-ink-3" />
        <span className="min-w-0 flex-1 truncate">
          <VisibleText text={t('label', { server: call.serverName })} />
        </span>
        <button
          type="button"
          aria-expanded={details}
          aria-controls={details ? contentId : undefined}
          className="flex min-h-7 items-center gap-1 rounded-control px-2 hover:bg-hover"
          onClick={() => setDetails(!details)}
        >
          {reachInShort(view.reach) ? t('reachesSome') : t('reachesNothing')}
          <ChevronDown size={16} aria-hidden className={classes('text-ink-3', details && 'rotate-180')} />
        </button>
        {asText}
      </div>
      {details ? (
        <div id={contentId} className="flex flex-col gap-2 px-4 pb-3">
          <p className="text-caption text-ink-2">{t('what')}</p>
          <ViewReachList reach={view.reach} />
        </div>
      ) : null}
      {stopped ? (
        <p role="alert" className="px-4 pb-3 text-caption text-danger">
          {t('stopped')}
        </p>
      ) : (
        <ViewFrame key={view.viewId} call={call} view={view} onStopped={() => setStopped(true)} />
      )}
    </section>
  );
}

const reachInShort = ({ connect, load }: ViewReach): boolean => connect.length > 0 || load.length > 0;

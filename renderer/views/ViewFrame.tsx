import { useEffect, useLayoutEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useStore } from 'zustand';
import type { ToolCall } from '../../preload/contract/calls.ts';
import type { ViewState } from '../../preload/contract/views.ts';
import { useBridge } from '../bridge/bridgeContext.tsx';
import { newCommandId } from '../bridge/newCommandId.ts';
import { linkTarget } from '../markdown/linkTarget.ts';
import { wordsIn } from '../state/views.ts';
import { useStores } from '../state/storesContext.tsx';
import { promptIn } from '../state/chosenPrompts.ts';
import { useShownTheme } from '../theme/useShownTheme.ts';
import { firstHeight, frameHeight, roomOf } from './frameHeight.ts';
import { keepKeys } from './keepKeys.ts';
import { LinkQuestion } from './LinkQuestion.tsx';
import { sayGoodbye } from './sayGoodbye.ts';
import { createViewSession, type ViewSession } from './viewSession.ts';
import { viewStyles } from './viewStyles.ts';

/** The frame of a view. It is made by hand, so that it can outlive its place for the moment in which the view says goodbye. */
export function ViewFrame({ call, view, onStopped }: { call: ToolCall; view: Extract<ViewState, { state: 'ready' }>; onStopped(): void }) {
  const { t } = useTranslation('views');
  const bridge = useBridge();
  const { app, conversation, views, chosenPrompts, notices } = useStores();
  const info = useStore(app.store, (state) => state.info);
  const theme = useShownTheme();
  const place = useRef<HTMLDivElement>(null);
  const session = useRef<ViewSession>(null);
  const [height, setHeight] = useState(firstHeight);
  const [asked, setAsked] = useState<{ url: string; host: string; answer(open: boolean): void } | null>(null);
  const now = useRef({ theme, onStopped, asked });
  now.current = { theme, onStopped, asked };

  useLayoutEffect(() => {
    const parent = place.current;
    if (parent === null) return;
    const { id } = conversation.store.getState();
    const frame = document.createElement('iframe');
    frame.title = t('label', { server: call.serverName });
    frame.referrerPolicy = 'no-referrer';
    frame.setAttribute('allow', '');
    frame.className = 'block h-full w-full border-0';
    const opened = createViewSession({
      bridge,
      view,
      version: info?.version ?? '',
      frame: () => frame.contentWindow,
      context: () => ({
        theme: now.current.theme,
        styles: { variables: viewStyles() },
        displayMode: 'inline',
        availableDisplayModes: ['inline'],
        containerDimensions: roomOf(parent.clientWidth),
        locale: document.documentElement.lang || navigator.language,
        timeZone: Intl.DateTimeFormat().resolvedOptions().timeZone,
        userAgent: 'maitre',
        platform: info?.shell === 'web' ? 'web' : 'desktop',
        deviceCapabilities: { touch: navigator.maxTouchPoints > 0, hover: matchMedia('(hover: hover)').matches },
      }),
      onSize: (size) => setHeight((before) => frameHeight(size.height, before)),
      onLink(url) {
        const target = linkTarget(url);
        // One question at a time: whatever else it asks meanwhile is answered with no.
        if (target === null || now.current.asked !== null) return Promise.resolve(false);
        return new Promise((answer) => setAsked({ ...target, answer }));
      },
      mayMessage: () =>
        promptIn(chosenPrompts.store.getState().chosen, id) === undefined &&
        !wordsIn(views.store.getState().words, id).some(({ kind }) => kind === 'message'),
      onWords(kind, isEmpty) {
        if (id === null) return;
        const words = { callId: call.id, kind, serverName: call.serverName, tool: call.tool };
        if (isEmpty) views.takeOff(id, words);
        else views.say(id, words);
      },
      onStopped: () => now.current.onStopped(),
    });
    session.current = opened;
    const receive = (event: MessageEvent) => opened.receive(event);
    window.addEventListener('message', receive);
    let width = parent.clientWidth;
    const watch = new ResizeObserver(() => {
      // Its height is what the view asked for: only the width is news.
      if (parent.clientWidth === width) return;
      width = parent.clientWidth;
      opened.contextChanged({ containerDimensions: roomOf(width) });
    });
    watch.observe(parent);
    frame.src = view.url;
    parent.append(frame);
    const endKeys = keepKeys(parent, frame, () => now.current.onStopped());
    return () => {
      session.current = null;
      watch.disconnect();
      endKeys();
      now.current.asked?.answer(false);
      sayGoodbye(frame, opened, () => window.removeEventListener('message', receive));
    };
    // The view is one for as long as it stands there; what changes around it is told to it.
    // eslint-disable-next-line react-hooks/exhaustive-deps
  }, [view.viewId]);

  useEffect(() => session.current?.contextChanged({ theme, styles: { variables: viewStyles() } }), [theme]);
  useEffect(() => session.current?.callChanged(), [call.state]);

  const answer = (open: boolean) => {
    if (asked === null) return;
    setAsked(null);
    if (open) void bridge.invoke('link.open', { commandId: newCommandId(), url: asked.url }).then((result) => notices.valueOf(result));
    asked.answer(open);
  };
  return (
    <div className="px-1 pb-1">
      {asked === null ? null : <LinkQuestion key={asked.url} url={asked.url} host={asked.host} onAnswer={answer} />}
      <div ref={place} style={{ height }} className="relative overflow-hidden rounded-control" />
    </div>
  );
}

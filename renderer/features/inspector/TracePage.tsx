import { type ReactNode, useEffect, useMemo, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useStore } from 'zustand';
import type { CallId, ConversationId } from '../../../preload/contract/ids.ts';
import type { Server } from '../../../preload/contract/servers.ts';
import type { TraceEntryId, TraceFilter } from '../../../preload/contract/trace.ts';
import { useAction } from '../../bridge/useAction.ts';
import { useStores } from '../../state/storesContext.tsx';
import { Button } from '../../ui/Button.tsx';
import { Checkbox } from '../../ui/Checkbox.tsx';
import { FailureNote } from '../../ui/FailureNote.tsx';
import { InlineError } from '../../ui/InlineError.tsx';
import { Segments } from '../../ui/Segments.tsx';
import { Skeleton } from '../../ui/Skeleton.tsx';
import { Switch } from '../../ui/Switch.tsx';
import { TextField } from '../../ui/TextField.tsx';
import { CopyReport } from './CopyReport.tsx';
import { MessageDetail, type ServedCall } from './MessageDetail.tsx';
import { SendRequest, type TriedCall } from './SendRequest.tsx';
import { TraceList } from './TraceList.tsx';

/** The filter rests this long after the last key, in milliseconds. */
const typingMs = 200;
const blankRequest = JSON.stringify({ method: 'tools/list', params: {} }, null, 2);

/**
 * The messages of one server. `about` comes with a link: the number of one message, or the id of a call whose messages are shown alone.
 */
export function TracePage({
  server,
  about,
  onShowAll,
  onShowChat,
  call,
}: {
  server: Server;
  about: string | undefined;
  /** Leaves the messages of one call. */
  onShowAll(): void;
  onShowChat(id: ConversationId): void;
  /** The card and the row of a call that was tried by hand. */
  call(made: TriedCall): ReactNode;
}) {
  const { t } = useTranslation('inspector');
  const { trace } = useStores();
  const state = useStore(trace.store);
  const linked = about !== undefined && /^\d+$/.test(about) ? Number(about) : undefined;
  // The host checks the id with the command; a wrong one finds nothing.
  const callId = about === undefined || linked !== undefined ? undefined : (about as CallId);
  const [text, setText] = useState('');
  const [direction, setDirection] = useState<'all' | 'toServer' | 'fromServer'>('all');
  const [errorsOnly, setErrorsOnly] = useState(false);
  const [chosen, setChosen] = useState<TraceEntryId | undefined>(linked);
  const [writing, setWriting] = useState<{ first: string; number: number }>();
  const [tried, setTried] = useState<ServedCall>();
  const record = useAction((on: boolean) => trace.record(on));
  const clear = useAction(() => trace.clear());

  const filter = useMemo<TraceFilter>(
    () => ({
      ...(text.trim() === '' ? {} : { text: text.trim() }),
      ...(direction === 'all' ? {} : { direction }),
      ...(errorsOnly ? { errorsOnly } : {}),
      ...(callId === undefined ? {} : { callId }),
    }),
    [text, direction, errorsOnly, callId],
  );
  useEffect(() => {
    void trace.open(server.id, callId === undefined ? {} : { callId });
    return () => void trace.open(null);
  }, [trace, server.id, callId]);
  useEffect(() => {
    if (JSON.stringify(trace.store.getState().filter) === JSON.stringify(filter)) return;
    const timer = setTimeout(() => void trace.setFilter(filter), typingMs);
    return () => clearTimeout(timer);
  }, [trace, filter]);
  useEffect(() => setChosen(linked), [linked]);
  const first = callId === undefined ? undefined : state.entries[0]?.id;
  useEffect(() => {
    // Who comes from a card wants to see what came back.
    if (first !== undefined) setChosen((known) => known ?? first);
  }, [first]);

  const write = (json: string) => setWriting((known) => ({ first: json, number: (known?.number ?? 0) + 1 }));
  const showCard = (served: ServedCall) => (served.triedByHand ? setTried(served) : onShowChat(served.conversationId));
  const filtered = Object.keys(filter).length > 0;
  return (
    <div className="flex min-w-0 flex-col gap-3">
      <p className="max-w-180 text-caption text-ink-3">{t('intro')}</p>
      <div className="flex flex-wrap items-end gap-3">
        <div className="min-w-52 flex-1">
          <TextField label={t('search')} type="search" value={text} onChange={setText} />
        </div>
        <div>
          <Segments<'all' | 'toServer' | 'fromServer'>
            label={t('direction.label')}
            value={direction}
            onChange={setDirection}
            options={[
              { value: 'all', label: t('direction.all') },
              { value: 'toServer', label: t('direction.toServer') },
              { value: 'fromServer', label: t('direction.fromServer') },
            ]}
          />
        </div>
        <Checkbox label={t('errorsOnly')} checked={errorsOnly} onChange={setErrorsOnly} />
      </div>
      {callId === undefined ? null : (
        <p className="flex flex-wrap items-center gap-2 text-ui text-ink-2">
          {t('oneCall')}
          <Button kind="quiet" onClick={onShowAll}>
            {t('showAll')}
          </Button>
        </p>
      )}
      {state.status === 'failed' && state.error !== null ? (
        <InlineError message={state.error.message} detail={state.error.detail} />
      ) : state.status !== 'ready' ? (
        <Skeleton label={t('loading')} />
      ) : state.entries.length === 0 ? (
        <p role="status" className="text-ui text-ink-3">
          {t(filtered ? 'noMatch' : 'empty')}
        </p>
      ) : (
        <TraceList
          label={t('list', { name: server.name })}
          entries={state.entries}
          prepended={state.prepended}
          chosen={chosen}
          onChoose={setChosen}
          onEnd={() => void trace.loadOlder()}
        />
      )}
      {chosen === undefined ? null : (
        <MessageDetail entryId={chosen} onChoose={setChosen} onClose={() => setChosen(undefined)} onResend={write} onShowCard={showCard} />
      )}
      {tried === undefined ? null : call(tried)}
      {writing === undefined ? null : (
        <SendRequest
          key={writing.number}
          serverId={server.id}
          first={writing.first}
          onSent={setChosen}
          onClose={() => setWriting(undefined)}
          call={call}
        />
      )}
      <div className="flex flex-wrap items-center gap-2">
        <Button disabled={server.status.state !== 'ready'} onClick={() => write(blankRequest)}>
          {t('send')}
        </Button>
        <CopyReport serverId={server.id} />
        <span className="flex-1" />
        <Button kind="quiet" disabled={clear.busy || state.entries.length === 0} onClick={() => void clear.run()}>
          {t('clear')}
        </Button>
      </div>
      <FailureNote failure={clear.failure} />
      <div className="flex flex-col gap-1">
        <div className="flex items-center gap-2">
          <Switch
            label={t('record')}
            checked={state.recording?.on ?? false}
            disabled={record.busy}
            onChange={(on) => void record.run(on)}
          />
          <span aria-hidden className="text-ui">
            {t('record')}
          </span>
        </div>
        {state.recording === null ? null : (
          <p className="text-caption wrap-anywhere text-ink-3">{t('recordHint', { file: state.recording.file })}</p>
        )}
        {state.recording?.problem === undefined ? null : <InlineError message={state.recording.problem} />}
        <FailureNote failure={record.failure} />
      </div>
    </div>
  );
}

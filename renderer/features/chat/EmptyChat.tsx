import { useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useStore } from 'zustand';
import type { ServerDetails } from '../../../preload/contract/servers.ts';
import { useBridge } from '../../bridge/bridgeContext.tsx';
import { useStores } from '../../state/storesContext.tsx';
import { useChatActions } from '../../state/useChatActions.ts';
import { Button } from '../../ui/Button.tsx';
import { EmptyState } from '../../ui/EmptyState.tsx';
import { pathInSentence, type Suggestion, suggestionsFor } from './suggestions.ts';

/** What stands where a chat will begin: the next thing that is missing, or what could be asked. */
export function EmptyChat({ hasModel, onSuggest }: { hasModel: boolean; onSuggest(text: string): void }) {
  const { t } = useTranslation('chat');
  const { app, servers, notices } = useStores();
  const { setModel } = useChatActions();
  const list = useStore(servers.store, (state) => state.servers);
  const demo = useStore(useStores().providers.store, (state) => state.providers.find(({ kind }) => kind === 'builtin')?.models[0]?.ref);
  if (!hasModel) {
    return (
      <EmptyState
        title={t('empty.model.title')}
        text={t('empty.model.text')}
        action={
          <div className="flex flex-wrap justify-center gap-2">
            <Button kind="primary" onClick={() => app.show({ page: 'settings', settings: 'models' })}>
              {t('empty.model.action')}
            </Button>
            {demo === undefined ? null : (
              <Button onClick={() => void setModel(demo).then((result) => notices.valueOf(result))}>{t('empty.model.demo')}</Button>
            )}
          </div>
        }
      />
    );
  }
  if (list.length === 0) {
    return (
      <EmptyState
        title={t('empty.server.title')}
        text={t('empty.server.text')}
        action={
          <Button kind="primary" onClick={() => app.show({ page: 'settings', settings: 'servers', part: 'add' })}>
            {t('empty.server.action')}
          </Button>
        }
      />
    );
  }
  return (
    <EmptyState title={t('empty.ready.title')}>
      <Suggestions onSuggest={onSuggest} />
    </EmptyState>
  );
}

function Suggestions({ onSuggest }: { onSuggest(text: string): void }) {
  const { t } = useTranslation('chat');
  const bridge = useBridge();
  const { servers } = useStores();
  const ready = useStore(servers.store, (state) =>
    state.servers
      .filter(({ status }) => status.state === 'ready')
      .slice(0, 3)
      .map(({ id }) => id)
      .join(' '),
  );
  const [details, setDetails] = useState<readonly ServerDetails[]>([]);
  useEffect(() => {
    let current = true;
    const ids = servers.store.getState().servers.filter(({ id }) => ready.split(' ').includes(id));
    void Promise.all(ids.map(({ id }) => bridge.invoke('server.details', { serverId: id }))).then((answers) => {
      // A server that cannot be read makes no suggestion; its row in the settings says why.
      if (current) setDetails(answers.flatMap((answer) => (answer.ok ? [answer.value.details] : [])));
    });
    return () => {
      current = false;
    };
  }, [bridge, servers, ready]);
  const words = (suggestion: Suggestion): string => {
    switch (suggestion.kind) {
      case 'listFiles':
        return t('suggest.listFiles', { folder: pathInSentence(suggestion.folder) });
      case 'readGraph':
        return t('suggest.readGraph');
      case 'echo':
        return t('suggest.echo');
      case 'tool':
        return t('suggest.tool', { server: suggestion.server });
    }
  };
  return (
    <div className="flex max-w-full flex-col items-stretch gap-2">
      {suggestionsFor(details).map((suggestion) => (
        <Button key={words(suggestion)} className="max-w-full" onClick={() => onSuggest(words(suggestion))}>
          <span className="truncate">{words(suggestion)}</span>
        </Button>
      ))}
    </div>
  );
}

import { useTranslation } from 'react-i18next';
import { useStore } from 'zustand';
import { useStores } from '../state/storesContext.tsx';
import { StatusDot } from '../ui/StatusDot.tsx';

/** How the servers are, in one line that leads to them. */
export function ServersLine() {
  const { t } = useTranslation('app');
  const { app, servers } = useStores();
  const list = useStore(servers.store, (state) => state.servers);
  const problem = useStore(servers.store, (state) => state.fileProblem);
  const count = (state: string) => list.filter((server) => server.enabled && server.status.state === state).length;
  const consent = list.filter(({ status }) => status.state === 'off' && status.needsConsent !== undefined).length;
  const toReview = list.filter((server) => server.toReview !== undefined).length;
  const failed = count('failed') + (problem === undefined ? 0 : 1);
  const leadsToReview = toReview > 0 && failed === 0 && consent === 0 && count('needsSignIn') === 0;
  const look =
    failed > 0
      ? 'bad'
      : count('needsSignIn') + consent + toReview > 0
        ? 'waiting'
        : count('starting') > 0
          ? 'busy'
          : count('ready') > 0
            ? 'good'
            : 'off';
  const aside =
    failed > 0
      ? t('serversFailed', { count: failed })
      : count('needsSignIn') > 0
        ? t('serversNeedSignIn', { count: count('needsSignIn') })
        : consent > 0
          ? t('serversNeedConsent', { count: consent })
          : toReview > 0
            ? t('serversToReview', { count: toReview })
            : count('starting') > 0
              ? t('serversStarting', { count: count('starting') })
              : '';
  return (
    <button
      type="button"
      className="flex min-h-8 w-full items-center gap-2 rounded-control px-2 text-left text-ink-2 -outline-offset-2 hover:bg-hover hover:text-ink"
      onClick={() => app.show({ page: 'settings', settings: leadsToReview ? 'toReview' : 'servers' })}
    >
      <span className="flex size-4 items-center justify-center">
        <StatusDot look={look} />
      </span>
      <span className="flex-1 truncate">
        {list.length === 0 && problem === undefined ? t('noServers') : t('serversReady', { count: count('ready') })}
      </span>
      <span className="shrink-0 text-caption text-ink-3">{aside}</span>
    </button>
  );
}

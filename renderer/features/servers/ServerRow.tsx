import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import type { Server } from '../../../preload/contract/servers.ts';
import { useBridge } from '../../bridge/bridgeContext.tsx';
import { newCommandId } from '../../bridge/newCommandId.ts';
import { useAction } from '../../bridge/useAction.ts';
import { Button } from '../../ui/Button.tsx';
import { FailureNote } from '../../ui/FailureNote.tsx';
import { ServerIcon } from '../../ui/ServerIcon.tsx';
import { StatusDot } from '../../ui/StatusDot.tsx';
import { Switch } from '../../ui/Switch.tsx';
import { nextStepOf } from './serverFacts.ts';
import type { ServersPlace } from './place.ts';
import { ServerFailureNote } from './ServerFailureNote.tsx';
import { lookOf, useServerWords } from './serverWords.ts';

export function ServerRow({
  server,
  frozen,
  signIn,
  go,
}: {
  server: Server;
  frozen: boolean;
  /** What its sign-in needs, if anything. */
  signIn: ReactNode;
  go(place: ServersPlace): void;
}) {
  const { t } = useTranslation('servers');
  const words = useServerWords();
  const bridge = useBridge();
  const enable = useAction((enabled: boolean) =>
    bridge.invoke('server.setEnabled', { commandId: newCommandId(), serverId: server.id, enabled }),
  );
  const restart = useAction(() => bridge.invoke('server.restart', { commandId: newCommandId(), serverId: server.id }));
  const step = nextStepOf(server);
  const page = { kind: 'server', serverId: server.id, tab: 'tools' } as const;
  const act = {
    review: () => go({ kind: 'review', serverId: server.id }),
    reviewTools: () => go(page),
    restart: () => void restart.run(),
    chooseFolders: () => go({ ...page, tab: 'configuration' }),
    editConfiguration: () => go({ ...page, tab: 'configuration' }),
  };
  return (
    <li className="relative flex flex-col gap-2 px-4 py-3 transition-colors duration-[120ms] has-[[data-opens]:hover]:bg-hover/50">
      <div className="flex flex-wrap items-center gap-x-3 gap-y-2">
        <StatusDot look={lookOf(server)} />
        <ServerIcon server={server} size={20} />
        <div className="min-w-0 flex-1 basis-52">
          <button
            type="button"
            data-opens
            aria-label={t('open', { name: server.name })}
            className="block max-w-full truncate text-left text-label after:absolute after:inset-0"
            onClick={() => go(page)}
          >
            {server.name}
          </button>
          <p className="text-caption wrap-anywhere text-ink-3 tabular-nums">{words.facts(server)}</p>
        </div>
        <div className="relative ml-auto flex items-center gap-3">
          <span className="text-caption whitespace-nowrap text-ink-3 tabular-nums">
            {server.counts === undefined ? '–' : t('tools', { count: server.counts.tools })}
          </span>
          {step === null ? null : (
            <Button
              kind={step === 'review' || step === 'reviewTools' ? 'primary' : 'secondary'}
              className="min-h-7"
              disabled={restart.busy || (frozen && step !== 'restart' && step !== 'reviewTools')}
              onClick={act[step]}
            >
              {t(`next.${step}`)}
            </Button>
          )}
          <Switch
            label={t('switchLabel', { name: server.name })}
            checked={server.enabled}
            disabled={frozen || enable.busy}
            onChange={(enabled) => void enable.run(enabled)}
          />
        </div>
      </div>
      <div className="flex flex-col gap-2 empty:hidden wide:pl-5">
        <ServerFailureNote server={server} frozen={frozen} go={go} />
        {signIn}
        <FailureNote failure={enable.failure ?? restart.failure} />
      </div>
    </li>
  );
}

import { type ReactNode, useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { Server, ServerDetails, ToolView } from '../../../preload/contract/servers.ts';
import { useBridge } from '../../bridge/bridgeContext.tsx';
import { newCommandId } from '../../bridge/newCommandId.ts';
import { useAction } from '../../bridge/useAction.ts';
import { Button } from '../../ui/Button.tsx';
import { FailureNote } from '../../ui/FailureNote.tsx';
import { Page } from '../../ui/Page.tsx';
import { Question } from '../../ui/Question.tsx';
import { Skeleton } from '../../ui/Skeleton.tsx';
import { ServerIcon } from '../../ui/ServerIcon.tsx';
import { StatusDot } from '../../ui/StatusDot.tsx';
import { Switch } from '../../ui/Switch.tsx';
import { Tabs } from '../../ui/Tabs.tsx';
import { VisibleText } from '../../ui/VisibleText.tsx';
import { BackLink } from './BackLink.tsx';
import { BundleSigned } from './BundleSigned.tsx';
import { ConfigurationTab } from './ConfigurationTab.tsx';
import { KnownServerNote } from './KnownServerNote.tsx';
import { LogTab } from './LogTab.tsx';
import { type ServersPlace, serverTabs, type ServerTab } from './place.ts';
import { RenameDialog } from './RenameDialog.tsx';
import { ServerFailureNote } from './ServerFailureNote.tsx';
import { isDenied, nextStepOf } from './serverFacts.ts';
import { lookOf, useServerWords } from './serverWords.ts';
import { ToolsTab } from './ToolsTab.tsx';
import { useServerDetails } from './useServerDetails.ts';

/** What other features put into the pages of servers: its sign-in, its trace, and the way to try what it offers. */
export interface ByHand {
  /** `brief` is for the row in the list. */
  signIn(server: Server, brief: boolean): ReactNode;
  /** What is to be looked at before any tool of a new server is used; null when nothing is. */
  review(server: Server): ReactNode;
  onReview(server: Server): void;
  resources(details: ServerDetails): ReactNode;
  prompts(details: ServerDetails): ReactNode;
  trace(server: Server, about: string | undefined, onShowAll: () => void): ReactNode;
  tool(server: Server, tool: ToolView): ReactNode;
}

/** One server: what it is doing, everything it offers, its log and its configuration. */
export function ServerPage({
  server,
  tab,
  about,
  byHand,
  frozen,
  go,
}: {
  server: Server;
  tab: ServerTab;
  about: string | undefined;
  byHand: ByHand;
  frozen: boolean;
  go(place: ServersPlace): void;
}) {
  const { t } = useTranslation(['servers', 'bundles']);
  const bridge = useBridge();
  const words = useServerWords();
  const { details, failure, reload } = useServerDetails(server);
  const [asking, setAsking] = useState<'remove' | 'rename' | null>(null);
  const enable = useAction((enabled: boolean) =>
    bridge.invoke('server.setEnabled', { commandId: newCommandId(), serverId: server.id, enabled }),
  );
  const restart = useAction(() => bridge.invoke('server.restart', { commandId: newCommandId(), serverId: server.id }));
  const waitsForConsent = nextStepOf(server) === 'review';
  const counts =
    details === undefined
      ? server.counts && { ...server.counts, resources: server.counts.resources + server.counts.templates }
      : {
          tools: details.tools.length,
          resources: details.resources.length + (details.templates?.length ?? 0),
          prompts: details.prompts.length,
        };
  return (
    <Page
      title={server.name}
      before={<BackLink go={go} />}
      actions={
        <div className="flex flex-wrap items-center gap-2">
          <Button kind="quiet" disabled={frozen} onClick={() => setAsking('rename')}>
            {t('page.rename')}
          </Button>
          <Button kind="quiet" disabled={frozen} onClick={() => setAsking('remove')}>
            {t('page.remove')}
          </Button>
          {waitsForConsent ? (
            <Button kind="primary" onClick={() => go({ kind: 'review', serverId: server.id })}>
              {t('next.review')}
            </Button>
          ) : (
            <Button
              disabled={restart.busy || !server.enabled || server.status.state === 'starting' || isDenied(server)}
              onClick={() => void restart.run()}
            >
              {t('page.restart')}
            </Button>
          )}
          <Switch
            label={t('switchLabel', { name: server.name })}
            checked={server.enabled}
            disabled={frozen || enable.busy}
            onChange={(enabled) => void enable.run(enabled)}
          />
        </div>
      }
    >
      <p className="mt-1 flex items-baseline gap-2 text-ui text-ink-2 tabular-nums">
        <StatusDot look={lookOf(server)} />
        <span className="mt-0.5 self-start">
          <ServerIcon server={server} />
        </span>
        <span className="min-w-0 wrap-anywhere">{words.facts(server)}</span>
      </p>
      {server.reported === undefined ? null : (
        <p className="text-caption wrap-anywhere text-ink-3">
          <VisibleText text={t('page.reported', server.reported)} />
          {server.protocol === undefined ? null : ` · ${t(`page.transport.${server.protocol.transport}`)}`}
        </p>
      )}
      {server.bundle === undefined ? null : (
        <p className="mt-1 flex flex-wrap items-center gap-2 text-caption text-ink-3">
          {t('bundles:page.from')}
          <BundleSigned bundle={server.bundle} />
        </p>
      )}
      {details?.known === undefined ? null : <KnownServerNote known={details.known} />}
      <div className="mt-3 flex flex-col gap-2 empty:hidden">
        <ServerFailureNote
          server={server}
          lines={12}
          frozen={frozen}
          go={go}
          onShowMessage={(traceId) => go({ kind: 'server', serverId: server.id, tab: 'trace', about: String(traceId) })}
        />
        {byHand.signIn(server, false)}
        {server.toReview === undefined || server.toReview.isFirst ? null : (
          <div data-outline className="flex flex-wrap items-center gap-2 rounded-control bg-sunken py-1 pr-1 pl-3 text-ui text-ink-2">
            <p className="min-w-40 flex-1">{t('page.toReview')}</p>
            <Button onClick={() => byHand.onReview(server)}>{t('page.review')}</Button>
          </div>
        )}
        <FailureNote failure={enable.failure ?? restart.failure} />
      </div>
      {details === undefined ? (
        <div className="mt-4">{failure === undefined ? <Skeleton label={t('page.loading')} /> : <FailureNote failure={failure} />}</div>
      ) : (
        <div className="mt-4 flex flex-col gap-4">
          {details.warnings.length === 0 ? null : (
            <div data-outline className="rounded-control bg-write-soft px-3 py-2 text-ui text-write">
              <p className="font-strong">{t('page.warnings')}</p>
              <ul className="list-disc pl-4">
                {details.warnings.map((warning, index) => (
                  <li key={index} className="wrap-anywhere">
                    <VisibleText text={warning} />
                  </li>
                ))}
              </ul>
            </div>
          )}
          <Tabs<ServerTab>
            label={t('page.tabs.label')}
            value={tab}
            onChange={(next) => {
              // Lines come without the row changing.
              if (next === 'log') void reload();
              go({ kind: 'server', serverId: server.id, tab: next });
            }}
            tabs={serverTabs.map((value) => ({
              value,
              label: t(`page.tabs.${value}`),
              count: value === 'tools' || value === 'resources' || value === 'prompts' ? counts?.[value] : undefined,
            }))}
          >
            {tab === 'tools'
              ? (byHand.review(server) ?? (
                  <div className="flex flex-col gap-4">
                    {details.tools.length === 0 ? null : (
                      <Button className="self-start" onClick={() => byHand.onReview(server)}>
                        {t('page.agreed')}
                      </Button>
                    )}
                    <ToolsTab server={server} details={details} onChanged={reload} tryTool={(tool) => byHand.tool(server, tool)} />
                  </div>
                ))
              : null}
            {tab === 'resources' ? byHand.resources(details) : null}
            {tab === 'prompts' ? byHand.prompts(details) : null}
            {tab === 'trace' ? byHand.trace(server, about, () => go({ kind: 'server', serverId: server.id, tab: 'trace' })) : null}
            {tab === 'log' ? <LogTab server={server} log={details.log} level={details.logLevel} onRefresh={reload} /> : null}
            {tab === 'configuration' ? <ConfigurationTab server={server} details={details} frozen={frozen} onChanged={reload} /> : null}
          </Tabs>
        </div>
      )}
      <Question
        open={asking === 'remove'}
        onClose={() => setAsking(null)}
        title={t('remove.title', { name: server.name })}
        description={
          <>
            {t('remove.what')} {t('remove.stays')} {server.bundled === 'memory' ? t('remove.memoryStays') : ''}
            {server.bundle === undefined ? '' : t('bundles:removeFiles')}
          </>
        }
        confirm={t('remove.confirm')}
        keep={t('remove.keep')}
        onConfirm={async () => {
          const result = await bridge.invoke('server.remove', { commandId: newCommandId(), serverId: server.id });
          if (result.ok) go({ kind: 'list' });
          return result;
        }}
      />
      <RenameDialog server={server} open={asking === 'rename'} onClose={() => setAsking(null)} />
    </Page>
  );
}

import { Plus } from 'lucide-react';
import { useTranslation } from 'react-i18next';
import { useBridge } from '../../bridge/bridgeContext.tsx';
import { newCommandId } from '../../bridge/newCommandId.ts';
import { useAction } from '../../bridge/useAction.ts';
import type { ServersState } from '../../state/servers.ts';
import { Button } from '../../ui/Button.tsx';
import { EmptyState } from '../../ui/EmptyState.tsx';
import { FailureNote } from '../../ui/FailureNote.tsx';
import { Page, panelClasses, Rows } from '../../ui/Page.tsx';
import { InlineError } from '../../ui/InlineError.tsx';
import { OrganisationProblem, SetByOrganisation } from '../../ui/SetByOrganisation.tsx';
import type { ServersFileProblem } from '../../../preload/contract/servers.ts';
import type { ServersPlace } from './place.ts';
import type { ByHand } from './ServerPage.tsx';
import { ServerRow } from './ServerRow.tsx';

/** Every configured server: what it is doing, and the one thing to do next. */
export function ServersPage({
  servers,
  fileProblem,
  byHand,
  go,
}: ServersState & { byHand: Pick<ByHand, 'signIn'>; go(place: ServersPlace): void }) {
  const { t } = useTranslation('servers');
  const frozen = fileProblem !== undefined;
  const add = (
    <Button kind="primary" disabled={frozen} onClick={() => go({ kind: 'add' })}>
      <Plus size={16} aria-hidden />
      {t('add')}
    </Button>
  );
  return (
    <Page title={t('title')} intro={t('intro')} actions={servers.length > 0 || frozen ? add : undefined}>
      <div className="mt-4 empty:hidden">
        <OrganisationProblem />
        <SetByOrganisation what="servers" />
      </div>
      {fileProblem === undefined ? null : <FileProblem problem={fileProblem} />}
      {servers.length > 0 ? (
        <Rows label={t('listLabel')} className="mt-4">
          {servers.map((server) => (
            <ServerRow key={server.id} server={server} frozen={frozen} signIn={byHand.signIn(server, true)} go={go} />
          ))}
        </Rows>
      ) : frozen ? null : (
        <div className={`mt-4 ${panelClasses}`}>
          <EmptyState title={t('empty.title')} text={t('empty.sentence')} action={add} />
        </div>
      )}
    </Page>
  );
}

function FileProblem({ problem }: { problem: ServersFileProblem }) {
  const { t } = useTranslation('servers');
  const bridge = useBridge();
  const reload = useAction(() => bridge.invoke('server.reload', { commandId: newCommandId() }));
  return (
    <div className="mt-4 flex flex-col gap-2">
      <InlineError
        message={
          <>
            <strong className="block font-strong">{t('file.title')}</strong>
            <span className="block">{problem.message}</span>
            <code className="block">
              {problem.path}
              {problem.at === undefined ? null : <> · {t('file.place', problem.at)}</>}
            </code>
            <span className="mt-1 block">{t('file.hint')}</span>
          </>
        }
        action={
          <Button disabled={reload.busy} onClick={() => void reload.run()}>
            {t('file.reload')}
          </Button>
        }
      />
      {/* A file that still cannot be read says so above; anything else went wrong here. */}
      {reload.failure?.code === 'configurationUnreadable' ? null : <FailureNote failure={reload.failure} />}
    </div>
  );
}

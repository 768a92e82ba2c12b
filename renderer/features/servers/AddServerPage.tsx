import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { useStore } from 'zustand';
import type { Server } from '../../../preload/contract/servers.ts';
import type { NewServer } from '../../state/newServer.ts';
import { useStores } from '../../state/storesContext.tsx';
import { Page, Section } from '../../ui/Page.tsx';
import { Segments } from '../../ui/Segments.tsx';
import { BackLink } from './BackLink.tsx';
import { BundleChooser } from './BundleChooser.tsx';
import { BundledServers } from './BundledServers.tsx';
import { LocalForm } from './LocalForm.tsx';
import { PasteJson } from './PasteJson.tsx';
import type { ServersPlace } from './place.ts';
import { RemoteForm } from './RemoteForm.tsx';

type Way = NewServer['way'];

const ways: readonly Way[] = ['local', 'remote', 'bundle', 'json'];

/** Every way to add a server. What is typed stays while another way, or another page, is looked at. */
export function AddServerPage({ servers, go }: { servers: readonly Server[]; go(place: ServersPlace): void }) {
  const { t } = useTranslation(['servers', 'bundles']);
  const { newServer } = useStores();
  const way = useStore(newServer.store, (state) => state.way);
  const takenNames = new Set(servers.map((server) => server.name));
  const added = (server: Server) =>
    go(
      server.status.state === 'off' && server.status.needsConsent !== undefined
        ? { kind: 'review', serverId: server.id }
        : { kind: 'server', serverId: server.id, tab: 'tools' },
    );
  const forms: Record<Way, ReactNode> = {
    bundle: (
      <div className="flex flex-col gap-3">
        <p className="max-w-180 text-ui text-ink-2">{t('bundles:intro')}</p>
        <BundleChooser onChosen={() => go({ kind: 'bundle' })} />
      </div>
    ),
    local: <LocalForm takenNames={takenNames} onAdded={added} />,
    remote: <RemoteForm takenNames={takenNames} onAdded={added} />,
    json: (
      <PasteJson
        takenNames={takenNames}
        onAdded={(all) => (all.length === 1 && all[0] !== undefined ? added(all[0]) : go({ kind: 'list' }))}
      />
    ),
  };
  return (
    <Page title={t('adding.title')} before={<BackLink go={go} />}>
      <Section title={t('adding.bundledTitle')} hint={t('adding.bundledHint')}>
        <BundledServers servers={servers} onAdded={added} />
      </Section>
      <Section title={t('adding.ownTitle')} hint={t('adding.afterAdd')}>
        <Segments<Way>
          label={t('adding.ways.label')}
          value={way}
          onChange={(next) => newServer.set({ way: next })}
          options={ways.map((value) => ({ value, label: value === 'bundle' ? t('bundles:way') : t(`adding.ways.${value}`) }))}
        />
        {ways.map((each) => (
          <div key={each} hidden={each !== way} className="mt-4">
            {forms[each]}
          </div>
        ))}
      </Section>
    </Page>
  );
}

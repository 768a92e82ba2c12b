import { useTranslation } from 'react-i18next';
import { useStore } from 'zustand';
import { useStores } from '../../state/storesContext.tsx';
import { Page } from '../../ui/Page.tsx';
import { AddServerPage } from './AddServerPage.tsx';
import { BackLink } from './BackLink.tsx';
import { BundlePage } from './BundlePage.tsx';
import { partOfPlace, placeOfPart, type ServersPlace } from './place.ts';
import { ReviewPage } from './ReviewPage.tsx';
import { type ByHand, ServerPage } from './ServerPage.tsx';
import { ServersPage } from './ServersPage.tsx';

/** The pages of servers. `part` says which one, as in the settings view; `onPart` goes to another. */
export function Servers({
  part,
  onPart,
  byHand,
}: {
  part: string | undefined;
  onPart(part: string | undefined): void;
  /** What another feature puts into a server's page. */
  byHand: ByHand;
}) {
  const { t } = useTranslation('servers');
  const stores = useStores();
  const { servers, fileProblem } = useStore(stores.servers.store);
  const place = placeOfPart(part);
  const go = (next: ServersPlace) => onPart(partOfPlace(next));
  if (place.kind === 'list') return <ServersPage servers={servers} fileProblem={fileProblem} byHand={byHand} go={go} />;
  if (place.kind === 'add') return <AddServerPage servers={servers} go={go} />;
  if (place.kind === 'bundle') return <BundlePage go={go} />;
  const server = servers.find((each) => each.id === place.serverId);
  if (server === undefined) {
    return (
      <Page title={t('title')} before={<BackLink go={go} />}>
        <p className="mt-4 text-ui text-ink-2">{t('page.gone')}</p>
      </Page>
    );
  }
  if (place.kind === 'review') return <ReviewPage key={server.id} server={server} go={go} />;
  return (
    <ServerPage
      key={server.id}
      server={server}
      tab={place.tab}
      about={place.about}
      byHand={byHand}
      frozen={fileProblem !== undefined}
      go={go}
    />
  );
}

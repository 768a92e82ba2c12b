import { ChevronLeft } from 'lucide-react';
import { useTranslation } from 'react-i18next';
import { useStore } from 'zustand';
import { useStores } from '../../state/storesContext.tsx';
import { Button } from '../../ui/Button.tsx';
import { Page, Rows } from '../../ui/Page.tsx';
import { ReviewServer } from './ReviewServer.tsx';
import { useWaitingWords } from './waitingWords.ts';

/** What of all servers waits for the person's review. */
export function ToReviewPage({
  part,
  tool,
  onPart,
  onBackToCard,
}: {
  /** The server whose offer is shown. */
  part: string | undefined;
  /** The one of its tools to begin with. */
  tool: string | undefined;
  onPart(part: string | undefined): void;
  /** To the card of a call from which the person came to look at the change. */
  onBackToCard: (() => void) | undefined;
}) {
  const { t } = useTranslation('review');
  const stores = useStores();
  const words = useWaitingWords();
  const servers = useStore(stores.servers.store, (state) => state.servers);
  const server = servers.find(({ id }) => id === part);
  const back = onBackToCard ?? (() => onPart(undefined));
  if (server)
    return (
      <Page
        title={server.name}
        before={
          <button
            type="button"
            className="-ml-1 mb-2 inline-flex min-h-7 items-center gap-1 self-start rounded-control pr-2 text-ui text-ink-2 hover:text-ink"
            onClick={back}
          >
            <ChevronLeft size={16} aria-hidden />
            {t(onBackToCard === undefined ? 'back' : 'backToCard')}
          </button>
        }
      >
        <div className="mt-2">
          <ReviewServer key={server.id} server={server} tool={tool} onDone={back} />
        </div>
      </Page>
    );
  const waiting = servers.flatMap(({ id, name, toReview }) => (toReview === undefined ? [] : [{ id, name, toReview }]));
  return (
    <Page title={t('title')} intro={t('intro')}>
      {waiting.length === 0 ? (
        <p className="mt-4 max-w-160 text-ui text-ink-2">{t('nothing')}</p>
      ) : (
        <Rows label={t('listLabel')} className="mt-4">
          {waiting.map(({ id, name, toReview }) => (
            <li key={id} className="flex flex-wrap items-center gap-x-3 gap-y-2 px-4 py-3">
              <div className="min-w-0 flex-1 basis-52">
                <p className="truncate text-label">{name}</p>
                <p className="text-caption text-ink-3">{words(toReview)}</p>
              </div>
              <Button kind="primary" aria-label={t('openLabel', { name })} onClick={() => onPart(id)}>
                {t('open')}
              </Button>
            </li>
          ))}
        </Rows>
      )}
    </Page>
  );
}

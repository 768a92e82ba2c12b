import { ListChecks } from 'lucide-react';
import { useTranslation } from 'react-i18next';
import { useStore } from 'zustand';
import { useStores } from '../../state/storesContext.tsx';
import { Button } from '../../ui/Button.tsx';
import { VisibleText } from '../../ui/VisibleText.tsx';
import { useWaitingWords } from './waitingWords.ts';

/** One line in the chat while something waits for the person's review. */
export function ReviewLine() {
  const { t } = useTranslation('review');
  const { app, servers } = useStores();
  const words = useWaitingWords();
  const list = useStore(servers.store, (state) => state.servers);
  const waiting = list.flatMap(({ id, name, toReview }) => (toReview === undefined ? [] : [{ id, name, toReview }]));
  const [first] = waiting;
  if (first === undefined) return null;
  const { tools, prompts, templates } = first.toReview;
  const sentence =
    waiting.length > 1
      ? t('waitsMany', { count: waiting.length })
      : t('waits', { count: tools + prompts + templates, what: words(first.toReview), server: first.name });
  return (
    <div
      role="status"
      data-outline
      className="flex flex-wrap items-center gap-2 rounded-control bg-sunken py-1 pr-1 pl-3 text-ui text-ink-2"
    >
      <ListChecks size={16} aria-hidden className="shrink-0 text-ink-3" />
      <span className="min-w-40 flex-1 wrap-anywhere">
        <VisibleText text={sentence} />
      </span>
      <Button
        className="min-h-7"
        onClick={() => app.show({ page: 'settings', settings: 'toReview', ...(waiting.length === 1 && { part: first.id }) })}
      >
        {t('open')}
      </Button>
    </div>
  );
}

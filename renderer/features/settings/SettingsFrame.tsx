import { useEffect, useRef, type ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import type { SettingsPage } from '../../state/app.ts';
import { classes } from '../../ui/classes.ts';
import { Kbd } from '../../ui/Kbd.tsx';
import { matchesKeys } from '../../ui/keys.ts';

const groups: readonly { key: 'application' | 'trust' | 'dataGroup'; pages: readonly SettingsPage[] }[] = [
  { key: 'application', pages: ['general', 'models', 'servers'] },
  { key: 'trust', pages: ['permissions', 'toReview', 'audit'] },
  { key: 'dataGroup', pages: ['data', 'keyboard'] },
];

/** The settings in place of the chat: their own sidebar, and the page beside it. */
export function SettingsFrame({
  page,
  place,
  counts,
  onPage,
  onBack,
  children,
}: {
  page: SettingsPage;
  /** Changes with what is shown: then the page begins at its top and its title is where reading starts. */
  place: string;
  counts: Partial<Record<SettingsPage, number>>;
  onPage(page: SettingsPage): void;
  onBack(): void;
  children: ReactNode;
}) {
  const { t } = useTranslation('settings');
  const main = useRef<HTMLElement>(null);
  const shownPlace = useRef<string>(undefined);
  useEffect(() => {
    if (shownPlace.current === place) return;
    main.current?.scrollTo({ top: 0 });
    // The first page is reached by a key or a click whose focus is gone with the chat; later ones by a control that may be gone too.
    if (shownPlace.current === undefined || document.activeElement === document.body) main.current?.focus();
    shownPlace.current = place;
  }, [place]);
  useEffect(() => {
    const back = (event: KeyboardEvent) => {
      // A dialog, a menu or a list that is open takes Escape for itself, and a field that is being written in is not left by it.
      if (event.defaultPrevented || !matchesKeys(event, 'Escape') || document.querySelector('[role=dialog],[role=menu]') !== null) return;
      const { activeElement } = document;
      if (activeElement instanceof HTMLElement && activeElement.matches('input, textarea, select')) activeElement.blur();
      else onBack();
    };
    window.addEventListener('keydown', back);
    return () => window.removeEventListener('keydown', back);
  }, [onBack]);
  return (
    <div className="flex h-full min-h-0 flex-col wide:flex-row">
      <nav
        aria-label={t('nav.label')}
        data-region="settings"
        tabIndex={-1}
        className="flex shrink-0 flex-row flex-wrap items-center gap-x-1 border-b border-line bg-sunken p-2 wide:w-65 wide:flex-col wide:flex-nowrap wide:items-stretch wide:overflow-y-auto wide:border-r wide:border-b-0 wide:p-3"
      >
        <h2 className="hidden h-8 items-center px-2 text-label wide:flex">{t('title')}</h2>
        {groups.map((group) => (
          <div key={group.key} role="group" aria-label={t(`nav.${group.key}`)} className="contents wide:block">
            <p aria-hidden className="hidden px-2 pt-4 pb-1 text-caption text-ink-3 wide:block">
              {t(`nav.${group.key}`)}
            </p>
            {group.pages.map((each) => (
              <button
                key={each}
                type="button"
                aria-current={each === page ? 'page' : undefined}
                {...(each === page && { 'data-region-focus': '' })}
                onClick={() => onPage(each)}
                className={classes(
                  'flex h-8 items-center gap-2 rounded-control px-2 text-left text-ui transition-colors duration-[120ms] wide:w-full',
                  each === page ? 'bg-hover text-ink' : 'text-ink-2 hover:bg-hover hover:text-ink',
                )}
              >
                <span className="min-w-0 flex-1 truncate">{t(`nav.${each}`)}</span>
                {counts[each] === undefined ? null : <span className="text-caption text-ink-3 tabular-nums">{counts[each]}</span>}
              </button>
            ))}
          </div>
        ))}
        <button
          type="button"
          onClick={onBack}
          className="ml-auto flex h-8 shrink-0 items-center gap-2 rounded-control px-2 text-left text-ui text-ink-2 transition-colors duration-[120ms] hover:bg-hover hover:text-ink wide:mt-auto wide:ml-0"
        >
          <span className="flex-1">{t('back')}</span>
          <Kbd keys="Escape" />
        </button>
      </nav>
      <main
        ref={main}
        tabIndex={0}
        data-region="page"
        aria-label={t(`nav.${page}`)}
        className="min-h-0 min-w-0 flex-1 overflow-y-auto outline-none [scrollbar-gutter:stable]"
      >
        {children}
      </main>
    </div>
  );
}

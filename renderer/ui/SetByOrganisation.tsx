import { Building2 } from 'lucide-react';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { useStore } from 'zustand';
import type { ManagedView } from '../../preload/contract/managed.ts';
import { useStores } from '../state/storesContext.tsx';
import { InlineError } from './InlineError.tsx';

/** Says at the place of a choice that an organisation has made it, and how. Nothing where it has not. */
export function SetByOrganisation({ what }: { what: ManagedView['sets'][number] }) {
  const { t } = useTranslation('managed');
  const { app } = useStores();
  const managed = useStore(app.store, (state) => state.info?.managed);
  if (!managed?.sets.includes(what)) return null;
  return <OrganisationLine organisation={managed.organisation}>{t(`sets.${what}`)}</OrganisationLine>;
}

/** What an organisation has set cannot be used: then nothing runs, and this says why. */
export function OrganisationProblem() {
  const { app } = useStores();
  const problem = useStore(app.store, (state) => state.info?.managed?.problem);
  return problem === undefined ? null : <InlineError message={problem} />;
}

/** Why an organisation keeps something from running. A problem with what it has set is told once for all, by {@link OrganisationProblem}. */
export function DeniedByOrganisation({ reason }: { reason: string }) {
  const { app } = useStores();
  const managed = useStore(app.store, (state) => state.info?.managed);
  return <OrganisationLine organisation={managed?.organisation}>{managed?.problem === undefined ? reason : undefined}</OrganisationLine>;
}

/** The same with any words behind it. */
function OrganisationLine({ organisation, children }: { organisation: string | undefined; children?: ReactNode }) {
  const { t } = useTranslation('managed');
  return (
    <p className="flex items-start gap-2 text-ui text-ink-2">
      <Building2 size={16} aria-hidden className="mt-0.5 shrink-0 text-ink-3" />
      <span className="min-w-0 wrap-anywhere">
        <b className="font-strong text-ink">{organisation === undefined ? t('set') : t('setBy', { organisation })}</b>
        {children === undefined ? null : <>. {children}</>}
      </span>
    </p>
  );
}

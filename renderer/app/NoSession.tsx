import type { i18n } from 'i18next';
import { I18nextProvider, useTranslation } from 'react-i18next';
import { EmptyState } from '../ui/EmptyState.tsx';

function Explanation() {
  const { t } = useTranslation('app');
  return (
    <main>
      <EmptyState title={t('noSessionTitle')} text={t('noSession')} />
    </main>
  );
}

/** What a browser tab without a session sees. It holds nothing of the user. */
export function NoSession({ i18n }: { i18n: i18n }) {
  return (
    <I18nextProvider i18n={i18n}>
      <Explanation />
    </I18nextProvider>
  );
}

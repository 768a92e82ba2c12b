import { useTranslation } from 'react-i18next';
import { KeyList } from '../../ui/KeyList.tsx';
import { Page, panelClasses } from '../../ui/Page.tsx';

export function KeyboardPage() {
  const { t } = useTranslation('settings');
  return (
    <Page title={t('keyboard.title')}>
      <div className={`mt-4 max-w-160 px-4 py-2 ${panelClasses}`}>
        <KeyList />
      </div>
    </Page>
  );
}

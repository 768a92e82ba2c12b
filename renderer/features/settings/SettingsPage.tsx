import { useTranslation } from 'react-i18next';
import { useStores } from '../../state/storesContext.tsx';
import { Button } from '../../ui/Button.tsx';

/** The settings, in place of the chat. */
export function SettingsPage() {
  const { t } = useTranslation('app');
  const { app } = useStores();
  return (
    <main className="h-full p-6">
      <h1 className="text-display">{t('settings')}</h1>
      <Button onClick={() => app.show({ page: 'chat', conversationId: null })}>{t('close')}</Button>
    </main>
  );
}

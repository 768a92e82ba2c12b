import { useTranslation } from 'react-i18next';
import { useStores } from '../state/storesContext.tsx';
import { Button } from '../ui/Button.tsx';

export function ChatPage() {
  const { t } = useTranslation('app');
  const { app } = useStores();
  return (
    <main className="h-full p-6">
      <Button onClick={() => app.show({ page: 'settings', settings: 'servers' })}>{t('settings')}</Button>
    </main>
  );
}

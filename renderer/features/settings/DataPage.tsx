import { useTranslation } from 'react-i18next';
import { useStore } from 'zustand';
import { useStores } from '../../state/storesContext.tsx';
import { CopyButton } from '../../ui/CopyButton.tsx';
import { Page, panelClasses, Section } from '../../ui/Page.tsx';

/** Where everything is kept, and who sees what. */
export function DataPage() {
  const { t } = useTranslation('settings');
  const { app } = useStores();
  const info = useStore(app.store, (state) => state.info);
  if (info === null) return null;
  return (
    <Page title={t('data.title')}>
      <Section title={t('data.folder')} hint={t('data.folderHint')}>
        <div className={`flex items-center gap-2 px-4 py-2 ${panelClasses}`}>
          <code className="min-w-0 flex-1 text-ui wrap-anywhere">{info.dataDir}</code>
          <CopyButton text={() => info.dataDir} label={t('data.copy')} />
        </div>
        <p className="mt-2 max-w-160 text-ui text-ink-2">{t('data.backups')}</p>
      </Section>
      <Section title={t('data.privacy')}>
        <p className="max-w-160 text-ui text-ink-2">{t('data.privacyText')}</p>
      </Section>
      <Section title={t('data.secrets')}>
        <p className="max-w-160 text-ui text-ink-2">{t(info.keychain.available ? 'data.secretsKeychain' : 'data.secretsMemory')}</p>
        {info.keychain.reason === undefined ? null : <p className="mt-1 max-w-160 text-caption text-ink-3">{info.keychain.reason}</p>}
      </Section>
    </Page>
  );
}

import type { i18n } from 'i18next';
import { useEffect } from 'react';
import { I18nextProvider, useTranslation } from 'react-i18next';
import { useStore } from 'zustand';
import { BridgeContext } from '../bridge/bridgeContext.tsx';
import type { ConnectedBridge } from '../bridge/connectedBridge.ts';
import { languageOf } from '../i18n/i18n.ts';
import type { Stores } from '../state/stores.ts';
import { StoresContext, useStores } from '../state/storesContext.tsx';
import { applyTheme } from '../theme/applyTheme.ts';
import { Button } from '../ui/Button.tsx';
import { InlineError } from '../ui/InlineError.tsx';
import { Skeleton } from '../ui/Skeleton.tsx';
import { TooltipLayer } from '../ui/Tooltip.tsx';
import { ChatPage } from './ChatPage.tsx';
import { ConnectionBanner } from './ConnectionBanner.tsx';
import { Notices } from './Notices.tsx';
import { SettingsPage } from './SettingsPage.tsx';
import { useBundleDrop } from './useBundleDrop.ts';
import { WindowKeys } from './WindowKeys.tsx';

/** The window. `bridge`, `stores` and `i18n` are made outside, so that tests and fixtures bring their own. */
export function App({ bridge, stores, i18n }: { bridge: ConnectedBridge; stores: Stores; i18n: i18n }) {
  const settings = useStore(stores.settings.store, (state) => state.settings);
  useEffect(() => {
    applyTheme(settings?.theme ?? 'system');
    const language = languageOf(settings?.language ?? 'system');
    document.documentElement.lang = language;
    void i18n.changeLanguage(language);
  }, [settings?.theme, settings?.language, i18n]);
  return (
    <I18nextProvider i18n={i18n}>
      <BridgeContext value={bridge}>
        <StoresContext value={stores}>
          <Frame />
          <TooltipLayer />
        </StoresContext>
      </BridgeContext>
    </I18nextProvider>
  );
}

function Frame() {
  const { t } = useTranslation('app');
  const { app } = useStores();
  const phase = useStore(app.store, (state) => state.phase);
  const page = useStore(app.store, (state) => state.view.page);
  useBundleDrop();
  if (phase.kind === 'opening') {
    return (
      <main className="p-6">
        <Skeleton label={t('opening')} />
      </main>
    );
  }
  if (phase.kind === 'failed') {
    return (
      <main className="mx-auto flex max-w-180 flex-col gap-4 p-12">
        <h1 className="text-title">{t('openFailed')}</h1>
        <InlineError
          message={phase.error.message}
          detail={phase.error.detail}
          action={<Button onClick={() => void app.open()}>{t('tryAgain')}</Button>}
        />
      </main>
    );
  }
  return (
    <div className="flex h-full flex-col">
      <ConnectionBanner />
      <div className="min-h-0 flex-1">
        <WindowKeys>{(onSearch) => (page === 'settings' ? <SettingsPage /> : <ChatPage onSearch={onSearch} />)}</WindowKeys>
      </div>
      <Notices />
    </div>
  );
}

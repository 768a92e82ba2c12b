import { RefreshCw } from 'lucide-react';
import { useTranslation } from 'react-i18next';
import { useStore } from 'zustand';
import type { Provider } from '../../../preload/contract/models.ts';
import { useBridge } from '../../bridge/bridgeContext.tsx';
import { newCommandId } from '../../bridge/newCommandId.ts';
import { useAction } from '../../bridge/useAction.ts';
import { useStores } from '../../state/storesContext.tsx';
import { Button } from '../../ui/Button.tsx';
import { FailureNote } from '../../ui/FailureNote.tsx';
import { ModelPicker } from '../../ui/ModelPicker.tsx';
import { Page, Rows, Section } from '../../ui/Page.tsx';
import { AddProvider } from './AddProvider.tsx';
import { ProviderRow } from './ProviderRow.tsx';

const groups = ['builtin', 'local', 'cloud'] as const;
/** Looked for on their usual ports; listed also while they are not there. */
const isConnected = (provider: Provider) => provider.models.length > 0 || provider.custom;

/** Where models come from, and which one a new chat begins with. */
export function ModelsPage() {
  const { t } = useTranslation('models');
  const stores = useStores();
  const bridge = useBridge();
  const providers = useStore(stores.providers.store, (state) => state.providers);
  const keychain = useStore(stores.app.store, (state) => state.info?.keychain);
  const defaultModel = useStore(stores.settings.store, (state) => state.settings?.defaultModel);
  const setDefault = useAction((ref: string) => stores.settings.set({ defaultModel: ref }));
  const local = providers.filter((provider) => provider.kind === 'local');
  const look = useAction(async () => {
    const results = await Promise.all(
      local.map((provider) => bridge.invoke('provider.refresh', { commandId: newCommandId(), providerId: provider.id })),
    );
    return results.find((result) => !result.ok) ?? { ok: true as const, value: {} };
  });
  return (
    <Page title={t('title')} intro={t('intro')}>
      {keychain?.available === false ? <NoKeychain reason={keychain.reason} /> : null}
      <div className="mt-4 flex max-w-90 flex-col gap-1">
        <span className="text-label">{t('defaultModel')}</span>
        <ModelPicker
          label={t('defaultModel')}
          providers={providers}
          value={defaultModel}
          onChange={(ref) => void setDefault.run(ref)}
          onManage={() => document.getElementById('providers')?.scrollIntoView({ block: 'start' })}
        />
        <p className="text-caption text-ink-3">{t('defaultHint')}</p>
        <FailureNote failure={setDefault.failure} />
      </div>
      <div id="providers">
        {groups.map((group) => {
          const members = providers.filter((provider) => provider.kind === group);
          const nothingFound = group === 'local' && !members.some(isConnected);
          return (
            <Section
              key={group}
              title={t(`groups.${group}`)}
              {...(nothingFound && { hint: t('noLocal') })}
              actions={
                group === 'local' && local.length > 0 ? (
                  <Button disabled={look.busy} onClick={() => void look.run()}>
                    <RefreshCw size={16} aria-hidden />
                    {t('lookAgain')}
                  </Button>
                ) : undefined
              }
            >
              {members.length === 0 ? null : (
                <Rows label={t(`groups.${group}`)}>
                  {members.map((provider) => (
                    <ProviderRow key={provider.id} provider={provider} />
                  ))}
                </Rows>
              )}
            </Section>
          );
        })}
        <Section title={t('custom.title')} hint={t('custom.hint')}>
          <AddProvider />
        </Section>
      </div>
    </Page>
  );
}

/** One calm sentence, once: a missing keychain is no error. */
function NoKeychain({ reason }: { reason: string | undefined }) {
  const { t } = useTranslation('models');
  return (
    <div data-outline className="mt-4 rounded-control bg-write-soft px-3 py-2 text-ui text-write">
      <p>{t('noKeychain')}</p>
      {reason === undefined ? null : (
        <details>
          <summary className="w-fit rounded-control underline underline-offset-2">{t('noKeychainDetail')}</summary>
          <p className="wrap-anywhere">{reason}</p>
        </details>
      )}
    </div>
  );
}

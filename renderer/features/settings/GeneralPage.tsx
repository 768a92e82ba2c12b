import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { useStore } from 'zustand';
import type { Settings } from '../../../preload/contract/settings.ts';
import { useAction } from '../../bridge/useAction.ts';
import { useStores } from '../../state/storesContext.tsx';
import { FailureNote } from '../../ui/FailureNote.tsx';
import { Page, panelClasses, Section } from '../../ui/Page.tsx';
import { Segments } from '../../ui/Segments.tsx';
import { Switch } from '../../ui/Switch.tsx';
import { NumberField } from './NumberField.tsx';

/** What concerns the whole window. Every change holds at once; one that the host refuses is taken back, with the reason. */
export function GeneralPage() {
  const { t } = useTranslation('settings');
  const stores = useStores();
  const settings = useStore(stores.settings.store, (state) => state.settings);
  const info = useStore(stores.app.store, (state) => state.info);
  const set = useAction((patch: Partial<Settings>) => stores.settings.set(patch));
  const save = (patch: Partial<Settings>) => void set.run(patch);
  if (settings === null) return null;
  return (
    <Page title={t('general.title')}>
      <Section title={t('general.appearance')}>
        <Panel>
          <Row label={t('general.theme')}>
            <Segments<Settings['theme']>
              label={t('general.theme')}
              value={settings.theme}
              onChange={(theme) => save({ theme })}
              options={(['system', 'light', 'dark'] as const).map((value) => ({ value, label: t(`general.themes.${value}`) }))}
            />
          </Row>
          <Row label={t('general.language')}>
            <Segments<Settings['language']>
              label={t('general.language')}
              value={settings.language}
              onChange={(language) => save({ language })}
              options={(['system', 'en', 'zh'] as const).map((value) => ({ value, label: t(`general.languages.${value}`) }))}
            />
          </Row>
        </Panel>
      </Section>
      <Section title={t('general.limits')}>
        <Panel>
          <NumberField
            label={t('general.stepLimit')}
            hint={t('general.stepLimitHint')}
            unit={t('general.steps')}
            value={settings.stepLimit}
            min={1}
            max={200}
            onSave={(stepLimit) => save({ stepLimit })}
          />
          <NumberField
            label={t('general.callTimeout')}
            hint={t('general.callTimeoutHint')}
            unit={t('general.seconds')}
            value={Math.round(settings.callTimeoutMs / 1000)}
            min={1}
            max={3600}
            onSave={(seconds) => save({ callTimeoutMs: seconds * 1000 })}
          />
          <NumberField
            label={t('general.modelTimeout')}
            hint={t('general.modelTimeoutHint')}
            unit={t('general.seconds')}
            value={Math.round(settings.modelTimeoutMs / 1000)}
            min={1}
            max={3600}
            onSave={(seconds) => save({ modelTimeoutMs: seconds * 1000 })}
          />
        </Panel>
      </Section>
      {info?.shell === 'electron' ? (
        <Section title={t('general.window')}>
          <Panel>
            <Row label={t('general.tray')} hint={t('general.trayHint')}>
              <Switch label={t('general.tray')} checked={settings.tray} onChange={(tray) => save({ tray })} />
            </Row>
          </Panel>
        </Section>
      ) : null}
      <div className="mt-4 flex flex-col gap-4">
        <FailureNote failure={set.failure} />
        {info === null ? null : <p className="text-caption text-ink-3 tabular-nums">{t('general.version', { version: info.version })}</p>}
      </div>
    </Page>
  );
}

function Panel({ children }: { children: ReactNode }) {
  return <div className={`flex flex-col [&>*+*]:border-t [&>*]:border-line ${panelClasses}`}>{children}</div>;
}

function Row({ label, hint, children }: { label: string; hint?: string; children: ReactNode }) {
  return (
    <div className="flex flex-wrap items-center gap-x-4 gap-y-2 px-4 py-3">
      <div className="min-w-0 flex-1 basis-52">
        <p className="text-label">{label}</p>
        {hint === undefined ? null : <p className="text-caption text-ink-3">{hint}</p>}
      </div>
      {children}
    </div>
  );
}

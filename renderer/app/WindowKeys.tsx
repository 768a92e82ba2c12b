import { type ReactNode, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useStore } from 'zustand';
import type { Settings } from '../../preload/contract/settings.ts';
import { Palette, type PaletteCommand } from '../features/palette/Palette.tsx';
import { useBridge } from '../bridge/bridgeContext.tsx';
import { newCommandId } from '../bridge/newCommandId.ts';
import type { SettingsPage } from '../state/app.ts';
import { useStores } from '../state/storesContext.tsx';
import { Button } from '../ui/Button.tsx';
import { Dialog } from '../ui/Dialog.tsx';
import { KeyList } from '../ui/KeyList.tsx';
import { cycleRegions } from './cycleRegions.ts';
import { useShortcuts } from './useShortcuts.ts';

/** The keys that work on every page, with the palette and the list of keys that they open. */
export function WindowKeys({ children }: { children(onSearch: () => void): ReactNode }) {
  const { t } = useTranslation(['app', 'history']);
  const bridge = useBridge();
  const { app, conversation, settings, notices } = useStores();
  const shell = useStore(app.store, (state) => state.info?.shell);
  const [shown, setShown] = useState<'palette' | 'keys' | null>(null);
  const showSettings = (page: SettingsPage) => app.show({ page: 'settings', settings: page });
  const newChat = () => app.show({ page: 'chat', conversationId: null });
  const set = (patch: Partial<Settings>) => void settings.set(patch).then((result) => notices.valueOf(result));
  const copyLink = async () => {
    const link = notices.valueOf(await bridge.invoke('app.createLink', { commandId: newCommandId() }));
    if (link === null) return;
    try {
      await navigator.clipboard.writeText(link.url);
    } catch (error) {
      notices.add({ code: 'unsupported', message: t('copyFailed'), detail: String(error) });
    }
  };
  const commands: PaletteCommand[] = [
    { id: 'newChat', label: t('history:command.newChat'), keys: 'Mod+N', run: newChat },
    { id: 'settings', label: t('history:command.settings'), keys: 'Mod+,', run: () => showSettings('general') },
    { id: 'servers', label: t('history:command.servers'), run: () => showSettings('servers') },
    { id: 'addServer', label: t('history:command.addServer'), run: () => app.show({ page: 'settings', settings: 'servers', part: 'add' }) },
    { id: 'models', label: t('history:command.models'), run: () => showSettings('models') },
    { id: 'permissions', label: t('history:command.permissions'), run: () => showSettings('permissions') },
    { id: 'audit', label: t('history:command.audit'), run: () => showSettings('audit') },
    {
      id: 'sidebar',
      label: t('history:command.sidebar'),
      keys: 'Mod+B',
      run: () => set({ sidebarCollapsed: settings.store.getState().settings?.sidebarCollapsed !== true }),
    },
    { id: 'keyboard', label: t('history:command.keyboard'), keys: 'Mod+/', run: () => setShown('keys') },
    { id: 'themeLight', label: t('history:command.themeLight'), run: () => set({ theme: 'light' }) },
    { id: 'themeDark', label: t('history:command.themeDark'), run: () => set({ theme: 'dark' }) },
    { id: 'themeSystem', label: t('history:command.themeSystem'), run: () => set({ theme: 'system' }) },
    ...(shell === 'web' ? [{ id: 'link', label: t('history:command.link'), run: () => void copyLink() }] : []),
  ];
  useShortcuts({
    'Mod+K': () => setShown('palette'),
    'Mod+,': () => showSettings('general'),
    'Mod+/': () => setShown('keys'),
    F6: () => cycleRegions(false),
    'Shift+F6': () => cycleRegions(true),
  });
  return (
    <>
      {children(() => setShown('palette'))}
      <Palette
        open={shown === 'palette'}
        onClose={() => setShown(null)}
        commands={commands}
        onOpenChat={(id, messageId) => {
          app.show({ page: 'chat', conversationId: id });
          if (messageId !== undefined) void conversation.find(id, messageId);
        }}
      />
      <Dialog
        open={shown === 'keys'}
        onClose={() => setShown(null)}
        title={t('keys.title')}
        footer={<Button onClick={() => setShown(null)}>{t('close')}</Button>}
      >
        <KeyList />
      </Dialog>
    </>
  );
}

import { type ReactNode, useCallback } from 'react';
import { useStore } from 'zustand';
import { ModelsPage } from '../features/models/ModelsPage.tsx';
import { Servers } from '../features/servers/Servers.tsx';
import { DataPage } from '../features/settings/DataPage.tsx';
import { GeneralPage } from '../features/settings/GeneralPage.tsx';
import { KeyboardPage } from '../features/settings/KeyboardPage.tsx';
import { PermissionsPage } from '../features/settings/PermissionsPage.tsx';
import { SettingsFrame } from '../features/settings/SettingsFrame.tsx';
import type { SettingsPage as PageName } from '../state/app.ts';
import { useStores } from '../state/storesContext.tsx';

/** The settings: the frame, and in it the page that the view names. */
export function SettingsPage() {
  const { app, conversation, servers } = useStores();
  const view = useStore(app.store, (state) => state.view);
  const count = useStore(servers.store, (state) => state.servers.length);
  const onPage = useCallback((settings: PageName) => app.show({ page: 'settings', settings }), [app]);
  const onBack = useCallback(() => app.show({ page: 'chat', conversationId: conversation.store.getState().id }), [app, conversation]);
  const onPart = (part: string | undefined) => app.show({ page: 'settings', settings: 'servers', ...(part !== undefined && { part }) });
  if (view.page !== 'settings') return null;
  const pages: Record<PageName, ReactNode> = {
    general: <GeneralPage />,
    models: <ModelsPage />,
    servers: <Servers part={view.part} onPart={onPart} />,
    permissions: <PermissionsPage />,
    data: <DataPage />,
    keyboard: <KeyboardPage />,
  };
  return (
    <SettingsFrame
      page={view.settings}
      place={`${view.settings}/${view.part ?? ''}`}
      counts={count > 0 ? { servers: count } : {}}
      onPage={onPage}
      onBack={onBack}
    >
      {pages[view.settings]}
    </SettingsFrame>
  );
}

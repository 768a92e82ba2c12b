import { type ReactNode, useCallback } from 'react';
import { useStore } from 'zustand';
import type { ConversationId } from '../../preload/contract/ids.ts';
import { AuditPage } from '../features/audit/AuditPage.tsx';
import { ResourcesTab } from '../features/attachments/ResourcesTab.tsx';
import type { TriedCall } from '../features/inspector/SendRequest.tsx';
import { TracePage } from '../features/inspector/TracePage.tsx';
import { TryTool } from '../features/inspector/TryTool.tsx';
import { ModelsPage } from '../features/models/ModelsPage.tsx';
import { PromptsTab } from '../features/prompts/PromptsTab.tsx';
import type { ByHand } from '../features/servers/ServerPage.tsx';
import { Servers } from '../features/servers/Servers.tsx';
import { DataPage } from '../features/settings/DataPage.tsx';
import { GeneralPage } from '../features/settings/GeneralPage.tsx';
import { KeyboardPage } from '../features/settings/KeyboardPage.tsx';
import { PermissionsPage } from '../features/settings/PermissionsPage.tsx';
import { ReviewServer } from '../features/review/ReviewServer.tsx';
import { ToReviewPage } from '../features/review/ToReviewPage.tsx';
import { SettingsFrame } from '../features/settings/SettingsFrame.tsx';
import { SignIn } from '../features/signin/SignIn.tsx';
import type { SettingsPage as PageName } from '../state/app.ts';
import { useStores } from '../state/storesContext.tsx';
import { TriedCallView } from './TriedCallView.tsx';

/** The settings: the frame, and in it the page that the view names. */
export function SettingsPage() {
  const { app, conversation, servers } = useStores();
  const view = useStore(app.store, (state) => state.view);
  const count = useStore(servers.store, (state) => state.servers.length);
  const onPage = useCallback((settings: PageName) => app.show({ page: 'settings', settings }), [app]);
  const back = view.page === 'settings' ? view.back : undefined;
  const onBack = useCallback(
    () => app.show(back ?? { page: 'chat', conversationId: conversation.store.getState().id }),
    [app, conversation, back],
  );
  const onPart = (part: string | undefined) => app.show({ page: 'settings', settings: 'servers', ...(part !== undefined && { part }) });
  const onReviewPart = (part: string | undefined) =>
    app.show({ page: 'settings', settings: 'toReview', ...(part !== undefined && { part }) });
  const waiting = useStore(servers.store, (state) => state.servers.filter(({ toReview }) => toReview !== undefined).length);
  const onShowChat = (conversationId: ConversationId) => app.show({ page: 'chat', conversationId });
  const tried = ({ conversationId, callId }: TriedCall) => <TriedCallView key={callId} conversationId={conversationId} callId={callId} />;
  const byHand: ByHand = {
    signIn: (server, brief) => <SignIn server={server} brief={brief} />,
    review: (server) => (server.toReview?.isFirst ? <ReviewServer server={server} onDone={() => undefined} /> : null),
    onReview: (server) => onReviewPart(server.id),
    resources: (details) => <ResourcesTab details={details} />,
    prompts: (details) => <PromptsTab details={details} />,
    trace: (server, about, onShowAll) => (
      <TracePage server={server} about={about} onShowAll={onShowAll} onShowChat={onShowChat} call={tried} />
    ),
    tool: (server, tool) => <TryTool serverId={server.id} tool={tool} call={tried} />,
  };
  if (view.page !== 'settings') return null;
  const pages: Record<PageName, ReactNode> = {
    general: <GeneralPage />,
    models: <ModelsPage />,
    servers: <Servers part={view.part} onPart={onPart} byHand={byHand} />,
    permissions: <PermissionsPage />,
    toReview: (
      <ToReviewPage part={view.part} tool={view.tool} onPart={onReviewPart} onBackToCard={back === undefined ? undefined : onBack} />
    ),
    audit: <AuditPage onShowChat={onShowChat} />,
    data: <DataPage />,
    keyboard: <KeyboardPage />,
  };
  return (
    <SettingsFrame
      page={view.settings}
      place={`${view.settings}/${view.part ?? ''}`}
      counts={{ ...(count > 0 && { servers: count }), ...(waiting > 0 && { toReview: waiting }) }}
      onPage={onPage}
      onBack={onBack}
    >
      {pages[view.settings]}
    </SettingsFrame>
  );
}

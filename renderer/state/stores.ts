import type { ConnectedBridge } from '../bridge/connectedBridge.ts';
import { createAppStore } from './app.ts';
import { createApprovalsStore } from './approvals.ts';
import { createAttachmentsStore } from './attachments.ts';
import { createChosenPromptsStore } from './chosenPrompts.ts';
import { createConversationStore } from './conversation.ts';
import { createDraftsStore } from './drafts.ts';
import { createHistoryStore } from './history.ts';
import { createIconsStore } from './icons.ts';
import { createNewServerStore } from './newServer.ts';
import { createOpenedBundleStore } from './openedBundle.ts';
import { createNoticesStore } from './notices.ts';
import { createProvidersStore } from './providers.ts';
import { createRulesStore } from './rules.ts';
import { createServersStore } from './servers.ts';
import { createSettingsStore } from './settings.ts';
import { createTasksStore } from './tasks.ts';
import { createTraceStore } from './trace.ts';
import { createViewsStore } from './views.ts';

export type Stores = ReturnType<typeof createStores>;

/** All stores of a window over one bridge. Nothing is loaded before `app.open()`. */
export function createStores(bridge: ConnectedBridge) {
  const history = createHistoryStore(bridge);
  const conversation = createConversationStore(bridge);
  const approvals = createApprovalsStore(bridge);
  const settings = createSettingsStore(bridge);
  const servers = createServersStore();
  const providers = createProvidersStore();
  const bench = createConversationStore(bridge);
  const trace = createTraceStore(bridge);
  const attachments = createAttachmentsStore(bridge);
  const tasks = createTasksStore(bridge);
  const app = createAppStore(bridge, [history, approvals, settings, servers, providers, trace, attachments, tasks], {
    apply(message) {
      conversation.apply(message);
      bench.apply(message);
      tasks.apply(message);
    },
    reload() {
      void conversation.reload();
      void bench.reload();
    },
  });
  const rules = createRulesStore(bridge);
  return {
    app,
    history,
    conversation,
    /** Calls tried by hand on the server's page that is shown. */
    bench,
    trace,
    approvals,
    attachments,
    chosenPrompts: createChosenPromptsStore(),
    tasks,
    views: createViewsStore(),
    settings,
    servers,
    providers,
    icons: createIconsStore(bridge),
    rules,
    drafts: createDraftsStore(),
    newServer: createNewServerStore(),
    openedBundle: createOpenedBundleStore(bridge),
    notices: createNoticesStore(),
  };
}

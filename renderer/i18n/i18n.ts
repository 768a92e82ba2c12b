import { createInstance, type i18n } from 'i18next';
import { initReactI18next } from 'react-i18next';
import type { Settings } from '../../preload/contract/settings.ts';
import { app as enApp } from './en/app.ts';
import { approval as enApproval } from './en/approval.ts';
import { attachments as enAttachments } from './en/attachments.ts';
import { audit as enAudit } from './en/audit.ts';
import { bundles as enBundles } from './en/bundles.ts';
import { chat as enChat } from './en/chat.ts';
import { forms as enForms } from './en/forms.ts';
import { history as enHistory } from './en/history.ts';
import { inspector as enInspector } from './en/inspector.ts';
import { managed as enManaged } from './en/managed.ts';
import { models as enModels } from './en/models.ts';
import { patterns as enPatterns } from './en/patterns.ts';
import { prompts as enPrompts } from './en/prompts.ts';
import { review as enReview } from './en/review.ts';
import { sandbox as enSandbox } from './en/sandbox.ts';
import { servers as enServers } from './en/servers.ts';
import { settings as enSettings } from './en/settings.ts';
import { signin as enSignin } from './en/signin.ts';
import { tasks as enTasks } from './en/tasks.ts';
import { views as enViews } from './en/views.ts';
import { app as zhApp } from './zh/app.ts';
import { approval as zhApproval } from './zh/approval.ts';
import { attachments as zhAttachments } from './zh/attachments.ts';
import { audit as zhAudit } from './zh/audit.ts';
import { bundles as zhBundles } from './zh/bundles.ts';
import { chat as zhChat } from './zh/chat.ts';
import { forms as zhForms } from './zh/forms.ts';
import { history as zhHistory } from './zh/history.ts';
import { inspector as zhInspector } from './zh/inspector.ts';
import { managed as zhManaged } from './zh/managed.ts';
import { models as zhModels } from './zh/models.ts';
import { patterns as zhPatterns } from './zh/patterns.ts';
import { prompts as zhPrompts } from './zh/prompts.ts';
import { review as zhReview } from './zh/review.ts';
import { sandbox as zhSandbox } from './zh/sandbox.ts';
import { servers as zhServers } from './zh/servers.ts';
import { settings as zhSettings } from './zh/settings.ts';
import { signin as zhSignin } from './zh/signin.ts';
import { tasks as zhTasks } from './zh/tasks.ts';
import { views as zhViews } from './zh/views.ts';

const en = {
  app: enApp,
  chat: enChat,
  approval: enApproval,
  forms: enForms,
  history: enHistory,
  settings: enSettings,
  servers: enServers,
  bundles: enBundles,
  sandbox: enSandbox,
  review: enReview,
  audit: enAudit,
  managed: enManaged,
  models: enModels,
  attachments: enAttachments,
  patterns: enPatterns,
  prompts: enPrompts,
  signin: enSignin,
  tasks: enTasks,
  views: enViews,
  inspector: enInspector,
};
const zh = {
  app: zhApp,
  chat: zhChat,
  approval: zhApproval,
  forms: zhForms,
  history: zhHistory,
  settings: zhSettings,
  servers: zhServers,
  bundles: zhBundles,
  sandbox: zhSandbox,
  review: zhReview,
  audit: zhAudit,
  managed: zhManaged,
  models: zhModels,
  attachments: zhAttachments,
  patterns: zhPatterns,
  prompts: zhPrompts,
  signin: zhSignin,
  tasks: zhTasks,
  views: zhViews,
  inspector: zhInspector,
};

declare module 'i18next' {
  interface CustomTypeOptions {
    defaultNS: 'app';
    resources: typeof en;
    keySeparator: false;
  }
}

/** The language that a setting means on this system. */
export function languageOf(setting: Settings['language'], system: readonly string[] = navigator.languages): 'en' | 'zh' {
  if (setting !== 'system') return setting;
  return system[0]?.toLowerCase().startsWith('zh') === true ? 'zh' : 'en';
}

/** All strings are in the bundle: no text ever arrives later than the screen it stands on. */
export function createI18n(language: 'en' | 'zh'): i18n {
  const instance = createInstance();
  void instance.use(initReactI18next).init({
    lng: language,
    fallbackLng: 'en',
    resources: { en, zh },
    defaultNS: 'app',
    keySeparator: false,
    initAsync: false,
    interpolation: { escapeValue: false },
  });
  return instance;
}

import { setNonce } from 'get-nonce';
import { createRoot } from 'react-dom/client';
import { App } from './app/App.tsx';
import { NoSession } from './app/NoSession.tsx';
import { rememberView } from './app/rememberView.ts';
import { electronBridge } from './bridge/electronBridge.ts';
import { openSession, socketBridge } from './bridge/socketBridge.ts';
import { createI18n, languageOf } from './i18n/i18n.ts';
import { createStores } from './state/stores.ts';
import './theme/theme.css';

// Dialogs put one style sheet into the page while they are open; the policy lets it in by this nonce only.
const nonce = document.querySelector<HTMLMetaElement>('meta[name="nonce"]')?.content;
if (nonce !== undefined) setNonce(nonce);

const element = document.getElementById('root');
if (element === null) throw new Error('The page has no #root.');
const root = createRoot(element);
const i18n = createI18n(languageOf('system'));

async function findBridge() {
  const electron = electronBridge();
  if (electron !== null) return electron;
  const session = await openSession({ location, history, storage: sessionStorage });
  if (session === null) return null;
  return socketBridge(`${location.protocol === 'https:' ? 'wss' : 'ws'}://${location.host}/socket`, session);
}

const bridge = await findBridge();
if (bridge === null) root.render(<NoSession i18n={i18n} />);
else {
  const stores = createStores(bridge);
  rememberView(stores.app, sessionStorage);
  root.render(<App bridge={bridge} stores={stores} i18n={i18n} />);
  await stores.app.open();
}

import { mkdirSync } from 'node:fs';
import path from 'node:path';
import {
  BrowserWindow,
  Menu,
  Notification,
  type OpenDialogOptions,
  app,
  dialog,
  ipcMain,
  nativeTheme,
  protocol,
  screen,
  session,
  shell,
} from 'electron';
import { createHost } from '../host/createHost.ts';
import type { Host } from '../host/createHost.ts';
import { nodePorts } from '../host/nodePorts.ts';
import type { Ports } from '../host/ports.ts';
import { messageOf } from '../host/refusal.ts';
import { appOrigin, appScheme, appUrl, serveApp } from './appProtocol.ts';
import { answerInvocations, forwardEvents } from './ipc.ts';
import { menuTemplate, pressKeyIn } from './menu.ts';
import { stopNavigation } from './navigation.ts';
import { denyPermissions } from './permissions.ts';
import { utilityScripts } from './runNodeScript.ts';
import { startFailureText } from './startFailure.ts';
import { followTraySetting } from './tray.ts';
import { serveViews, viewScheme } from './viewProtocol.ts';
import { webAddress } from './webAddress.ts';
import { windowOptions } from './windowOptions.ts';
import { loadWindowState, restoredBounds, saveWindowState } from './windowState.ts';

/** How long quitting waits for servers and database before it goes without them, in milliseconds. */
const quitMs = 15_000;

const builtDir = import.meta.dirname;
const preload = path.join(builtDir, '../preload/preload.cjs');
const rendererDir = path.join(builtDir, '../renderer');
const trayIcon = path.join(app.getAppPath(), 'build/icons/tray.png');

const base = nodePorts({ env: process.env });
const { log } = base;
const stateFile = path.join(base.paths.dataDir, 'window.json');

let window: BrowserWindow | null = null;

function showWindow(): void {
  if (window === null) return;
  if (window.isMinimized()) window.restore();
  window.show();
  window.focus();
}

const ports: Ports = {
  ...base,
  runNodeScript: utilityScripts(path.join(builtDir, 'utilityShim.js')),
  openUrl: async (url) => shell.openExternal(webAddress(url)),
  async pickPath(what) {
    const options: OpenDialogOptions = { properties: what === 'file' ? ['openFile'] : ['openDirectory', 'createDirectory'] };
    const answer = window === null ? await dialog.showOpenDialog(options) : await dialog.showOpenDialog(window, options);
    return answer.canceled ? null : (answer.filePaths[0] ?? null);
  },
  notify({ title, body }) {
    if (window?.isFocused() === true || !Notification.isSupported()) return;
    const notification = new Notification({ title, body });
    notification.on('click', showWindow);
    notification.show();
  },
};

function openWindow(host: Host): void {
  const { bounds, maximized } = restoredBounds(
    loadWindowState(stateFile, log),
    screen.getAllDisplays().map((display) => display.workArea),
  );
  const opened = new BrowserWindow(windowOptions(preload, bounds, nativeTheme.shouldUseDarkColors));
  window = opened;
  // Nothing here speaks to other browsers: a view of a server that would finds no way out.
  opened.webContents.setWebRTCIPHandlingPolicy('disable_non_proxied_udp');
  if (maximized) opened.maximize();
  forwardEvents(host, opened);
  opened.once('ready-to-show', () => opened.show());
  opened.on('close', () => saveWindowState(stateFile, { bounds: opened.getNormalBounds(), maximized: opened.isMaximized() }, log));
  opened.once('closed', () => {
    window = null;
  });
  opened.webContents.on('render-process-gone', (_event, details) => {
    log.error('The window crashed and is loaded again.', { reason: details.reason });
    if (details.reason !== 'clean-exit') opened.reload();
  });
  opened.loadURL(appUrl).catch((error: unknown) => log.error('The window could not be loaded.', { error: messageOf(error) }));
}

/** Servers, turns and database end before the application does; a second quit meanwhile changes nothing. */
function quitInOrder(host: Host): void {
  let state: 'running' | 'closing' | 'closed' = 'running';
  app.on('will-quit', (event) => {
    if (state === 'closed') return;
    event.preventDefault();
    if (state === 'closing') return;
    state = 'closing';
    const leave = (): void => {
      state = 'closed';
      app.quit();
    };
    const late = setTimeout(() => {
      log.error('Closing took too long; Maitre quits without it.', { ms: quitMs });
      leave();
    }, quitMs);
    host
      .close()
      .catch((error: unknown) => log.error('Closing failed.', { error: messageOf(error) }))
      .finally(() => {
        clearTimeout(late);
        if (state === 'closing') leave();
      });
  });
}

async function start(): Promise<void> {
  await app.whenReady();
  // `npm start` waits for it: whatever ends Electron before this line, the browser takes over; what goes wrong from here on is said in a box.
  process.send?.('ready');
  const host = await createHost(ports, { shell: 'electron', version: app.getVersion() });
  quitInOrder(host);
  serveApp(protocol, rendererDir, log);
  serveViews(protocol, host, appOrigin, log);
  denyPermissions(session.defaultSession, log);
  answerInvocations(ipcMain, host, () => window, log);
  Menu.setApplicationMenu(
    Menu.buildFromTemplate(
      menuTemplate(process.platform, app.isPackaged, (key) => {
        if (window !== null) pressKeyIn(window, key, process.platform);
      }),
    ),
  );
  const show = (): void => {
    if (window === null) openWindow(host);
    else showWindow();
  };
  app.on('activate', show);
  app.on('second-instance', show);
  openWindow(host);
  const tray = await followTraySetting(host, trayIcon, { show, quit: () => app.quit() }, log);
  app.on('window-all-closed', () => {
    if (process.platform !== 'darwin' && !tray.isOn()) app.quit();
  });
}

function failToStart(thrown: unknown): void {
  const { title, body } = startFailureText(thrown);
  log.error(title, { error: messageOf(thrown), stack: thrown instanceof Error ? thrown.stack : undefined });
  dialog.showErrorBox(title, body);
  app.exit(1);
}

app.enableSandbox();
app.on('web-contents-created', (_event, contents) => stopNavigation(contents, log));
protocol.registerSchemesAsPrivileged([appScheme, viewScheme]);
try {
  // Chromium's own files and the single-instance lock belong to the data folder: two data folders are two Maitres.
  const chromiumDir = path.join(base.paths.dataDir, 'chromium');
  mkdirSync(chromiumDir, { recursive: true });
  app.setPath('userData', chromiumDir);
  // The first instance shows its window; what the second was started with is not taken over.
  if (app.requestSingleInstanceLock()) start().catch(failToStart);
  else app.quit();
} catch (thrown) {
  failToStart(thrown);
}

import { fork } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { closeSync, existsSync, mkdirSync, openSync, readFileSync, rmSync, unwatchFile, watchFile, writeFileSync } from 'node:fs';
import path from 'node:path';
import { runInThisContext } from 'node:vm';
import { launchChromium } from './cdp.ts';
import { refuseExecPath } from './execPath.ts';
import { LoudEmitter, loud, preventable, state } from './state.ts';
import type { Handler } from './state.ts';
import { BrowserWindow, appEvents } from './window.ts';

/** What `launch.ts` hands over. */
interface DoubleConfig {
  home: string;
  chromium: string;
  appPath: string;
  openNetwork: boolean;
  packaged: boolean;
}
const config = JSON.parse(process.env['ELECTRON_DOUBLE'] ?? 'null') as DoubleConfig;
delete process.env['ELECTRON_DOUBLE'];
const node = refuseExecPath();

// ---- app ------------------------------------------------------------------------------------------------------------

let quitting = false;
const paths: Record<string, string> = { home: config.home, temp: config.home, userData: path.join(config.home, 'userData') };
const { promise: ready, resolve: becomeReady } = Promise.withResolvers<void>();

function finishQuit(): void {
  const event = preventable({});
  appEvents.emit('will-quit', event);
  if (event.defaultPrevented) {
    quitting = false;
    return;
  }
  appEvents.emit('quit', {}, 0);
  process.exit(0);
}

state.onWindowClosed = () => {
  if (quitting || state.windows.length > 0) return;
  if (appEvents.listenerCount('window-all-closed') > 0) appEvents.emit('window-all-closed');
  else app.quit();
};

/** A file names the first instance; a second one leaves its arguments beside it and goes. */
function takeSingleInstance(): boolean {
  mkdirSync(paths['userData'] ?? '', { recursive: true });
  const lock = path.join(paths['userData'] ?? '', 'double.lock');
  const knock = path.join(paths['userData'] ?? '', 'double.second');
  if (existsSync(lock) && isAlive(Number(readFileSync(lock, 'utf8')))) {
    writeFileSync(knock, JSON.stringify(process.argv));
    return false;
  }
  closeSync(openSync(lock, 'w'));
  writeFileSync(lock, String(process.pid));
  rmSync(knock, { force: true });
  watchFile(knock, { interval: 50 }, (now) => {
    if (now.size > 0) appEvents.emit('second-instance', {}, JSON.parse(readFileSync(knock, 'utf8')) as string[], '');
  });
  process.on('exit', () => {
    unwatchFile(knock);
    rmSync(lock, { force: true });
  });
  return true;
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ESRCH') return false;
    throw error;
  }
}

const app = Object.assign(appEvents, {
  isPackaged: config.packaged,
  name: 'Maitre',
  whenReady: () => ready,
  isReady: () => state.isReady,
  enableSandbox() {
    if (state.isReady) throw new Error('app.enableSandbox() can only be called before app is ready');
  },
  getAppPath: () => config.appPath,
  getVersion: () => (JSON.parse(readFileSync(path.join(config.appPath, 'package.json'), 'utf8')) as { version: string }).version,
  getPath: (name: string) => paths[name],
  setPath(name: string, value: string) {
    paths[name] = value;
  },
  requestSingleInstanceLock: takeSingleInstance,
  quit() {
    if (quitting) return;
    const event = preventable({});
    appEvents.emit('before-quit', event);
    if (event.defaultPrevented) return;
    quitting = true;
    for (const window of [...state.windows]) window.close();
    if (state.windows.length > 0) quitting = false;
    else setImmediate(finishQuit);
  },
  exit: (code = 0) => process.exit(code),
});
process.on('SIGTERM', () => app.quit());
process.on('SIGINT', () => app.quit());

// ---- the other modules of the main process --------------------------------------------------------------------------

const protocol = loud('protocol', {
  registerSchemesAsPrivileged(schemes: { scheme: string; privileges: Record<string, boolean> }[]) {
    if (state.isReady) throw new Error('protocol.registerSchemesAsPrivileged should be called before app is ready');
    if (state.schemes.size > 0) throw new Error('double: registerSchemesAsPrivileged may be called once.');
    for (const { scheme, privileges } of schemes) state.schemes.set(scheme, privileges);
  },
  handle(scheme: string, handler: (request: Request) => Response | Promise<Response>) {
    if (!state.isReady) throw new Error('double: protocol.handle before ready.');
    state.protocolHandlers.set(scheme, handler);
  },
});

const ipcMain = loud('ipcMain', {
  handle(channel: string, handler: Handler) {
    if (state.ipcHandlers.has(channel)) throw new Error(`Attempted to register a second handler for '${channel}'`);
    state.ipcHandlers.set(channel, handler);
  },
});

const session = loud('session', {
  defaultSession: loud('session.defaultSession', {
    setPermissionRequestHandler(handler: typeof state.permissionRequest) {
      state.permissionRequest = handler;
    },
    setPermissionCheckHandler(handler: typeof state.permissionCheck) {
      state.permissionCheck = handler;
    },
    setDevicePermissionHandler(_handler: unknown) {},
    setDisplayMediaRequestHandler(_handler: unknown) {},
  }),
});

const dialog = loud('dialog', {
  showErrorBox(title: string, body: string) {
    state.recorded.errorBoxes.push({ title, body });
    console.error(`double: error box: ${title}: ${body}`);
  },
  async showOpenDialog(..._args: unknown[]): Promise<{ canceled: boolean; filePaths: string[] }> {
    return { canceled: true, filePaths: [] };
  },
});

const screen = loud('screen', { getAllDisplays: () => [{ workArea: { x: 0, y: 0, width: 1280, height: 800 } }] });
const nativeTheme = loud('nativeTheme', { shouldUseDarkColors: false });
const shell = loud('shell', {
  async openExternal(url: string) {
    state.recorded.openedUrls.push(url);
  },
});

interface MenuItem {
  id?: string;
  label?: string;
  submenu?: MenuItem[];
  click?: (item: MenuItem, window: BrowserWindow | undefined, event: object) => void;
}
let applicationMenu: { items: MenuItem[] } | null = null;
const Menu = loud('Menu', {
  buildFromTemplate: (items: MenuItem[]) => ({ items }),
  setApplicationMenu(menu: { items: MenuItem[] }) {
    applicationMenu = menu;
  },
});

class Tray extends LoudEmitter {
  constructor(icon: string) {
    super();
    if (!existsSync(icon)) throw new Error(`Failed to load image from path '${icon}'`);
    state.recorded.trays += 1;
  }
  setToolTip(_text: string): void {}
  setContextMenu(_menu: object): void {}
  destroy(): void {
    state.recorded.trays -= 1;
  }
}

class Notification extends LoudEmitter {
  static isSupported(): boolean {
    return true;
  }
  readonly options: object;
  constructor(options: object) {
    super();
    this.options = options;
  }
  show(): void {
    state.recorded.notifications.push(this.options);
  }
}

class UtilityProcess extends LoudEmitter {
  readonly #child: ChildProcess;
  constructor(modulePath: string, args: string[], options: { env?: Record<string, string>; cwd?: string; stdio: string[] }) {
    super();
    if (!state.isReady) throw new Error('utilityProcess cannot be created before app is ready.');
    if (options.stdio[0] !== 'ignore') throw new Error("stdin in the utilityProcess supports only 'ignore'.");
    this.#child = fork(modulePath, args, {
      execPath: node,
      execArgv: ['--import', new URL('./utility.ts', import.meta.url).href],
      stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
      serialization: 'advanced',
      env: options.env,
      cwd: options.cwd,
    });
    this.#child.once('spawn', () => this.emit('spawn'));
    this.#child.on('message', (message) => this.emit('message', message));
    this.#child.once('exit', (code) => this.emit('exit', code ?? 1));
  }
  get pid(): number | undefined {
    return this.#child.exitCode === null && this.#child.signalCode === null ? this.#child.pid : undefined;
  }
  get stdout() {
    return this.#child.stdout;
  }
  get stderr() {
    return this.#child.stderr;
  }
  postMessage(message: unknown): void {
    if (this.#child.connected) this.#child.send(message as object);
  }
  kill(): boolean {
    return this.#child.kill();
  }
}
const utilityProcess = loud('utilityProcess', {
  fork: (modulePath: string, args: string[], options: ConstructorParameters<typeof UtilityProcess>[2]) =>
    new UtilityProcess(modulePath, args, options),
});

// ---- the test's side ------------------------------------------------------------------------------------------------

/** What tests see beyond Electron's own modules. */
const double = {
  recorded: state.recorded,
  /** Clicks an item of the application menu. */
  clickMenu(id: string) {
    const all = (items: MenuItem[]): MenuItem[] => items.flatMap((item) => [item, ...all(item.submenu ?? [])]);
    const item = all(applicationMenu?.items ?? []).find((candidate) => candidate.id === id);
    if (item?.click === undefined) throw new Error(`double: no menu item ${id} that can be clicked.`);
    item.click(item, state.windows[0], {});
  },
};

const electron = loud('electron', {
  app,
  BrowserWindow,
  Menu,
  Notification,
  Tray,
  dialog,
  ipcMain,
  nativeTheme,
  protocol,
  screen,
  session,
  shell,
  utilityProcess,
});

process.on('message', (message: { id: number; source: string; arg: unknown }) => {
  // The source comes from the test that started this process.
  const run = runInThisContext(`(${message.source})`) as (electron: object, arg: unknown) => unknown;
  Promise.resolve()
    .then(() => run({ ...electron, double }, message.arg))
    .then(
      (value) => process.send?.({ id: message.id, ok: true, value }),
      (error: unknown) => process.send?.({ id: message.id, ok: false, value: String(error) }),
    );
});
process.channel?.unref();

launchChromium(config.chromium, path.join(config.home, 'chromium'), config.openNetwork)
  .then(async (browser) => {
    state.browser = browser;
    // Whatever opens a page beside our windows is closed before it asks for anything.
    browser.root.on('Target.attachedToTarget', (params) => {
      const { sessionId, targetInfo } = params as { sessionId: string; targetInfo: { targetId: string; openerId?: string } };
      if (targetInfo.openerId === undefined) void browser.session(sessionId).send('Runtime.runIfWaitingForDebugger');
      else void browser.root.send('Target.closeTarget', { targetId: targetInfo.targetId });
    });
    await browser.root.send('Target.setAutoAttach', { autoAttach: true, waitForDebuggerOnStart: true, flatten: true });
    state.isReady = true;
    process.send?.({ endpoint: browser.endpoint });
    becomeReady();
    appEvents.emit('ready');
  })
  .catch((error: unknown) => {
    console.error('double: Chromium did not start.', error);
    process.exit(1);
  });

export { app, BrowserWindow, Menu, Notification, Tray, dialog, ipcMain, nativeTheme, protocol, screen, session, shell, utilityProcess };
export { electron as 'module.exports' };

import { readFileSync } from 'node:fs';
import type { CdpSession } from './cdp.ts';
import { LoudEmitter, preventable, state } from './state.ts';
import { decode, encode } from './wire.ts';
import { mainWorld, makeBridge, preloadWorld } from './worlds.ts';

export const toHttps = (url: string): string => url.replace(/^app:\/\/([^/?#]+)/, 'https://$1.app.test');
export const toApp = (url: string): string => url.replace(/^https:\/\/([^/?#]+)\.app\.test/, 'app://$1');

interface Frame {
  url: string;
  origin: string;
}
interface Paused {
  requestId: string;
  frameId: string;
  resourceType: string;
  request: { url: string; method: string; headers: Record<string, string> };
}
interface Preferences {
  preload: string;
  [name: string]: unknown;
}

const hardened: Record<string, boolean> = {
  contextIsolation: true,
  sandbox: true,
  nodeIntegration: false,
  nodeIntegrationInWorker: false,
  nodeIntegrationInSubFrames: false,
  webviewTag: false,
  webSecurity: true,
};

export class WebContents extends LoudEmitter {
  readonly mainFrame: Frame = { url: '', origin: 'null' };
  /** The page's own session; everything on it waits until the page is prepared. */
  #session: Promise<CdpSession>;
  #contextId: number | null = null;
  #mainFrameId = '';
  /** A navigation that main itself has asked for raises no will-navigate. */
  #ownNavigation = false;
  #openHandler: (details: { url: string }) => { action: string } = () => ({ action: 'allow' });
  #targetId = '';

  constructor(preload: string, size: { width: number; height: number }) {
    super();
    this.#session = this.#prepare(preload, size);
    this.#session.catch((error: unknown) => {
      console.error('double: the page could not be prepared.', error);
      process.exit(1);
    });
  }

  async #prepare(preload: string, size: { width: number; height: number }): Promise<CdpSession> {
    if (state.browser === null) throw new Error('double: a window was opened before the application was ready.');
    const { root, session: sessionOf } = state.browser;
    const { targetId } = (await root.send('Target.createTarget', { url: 'about:blank', newWindow: true, ...size })) as { targetId: string };
    this.#targetId = targetId;
    const { sessionId } = (await root.send('Target.attachToTarget', { targetId, flatten: true })) as { sessionId: string };
    const session = sessionOf(sessionId);
    const tree = (await session.send('Page.getFrameTree')) as { frameTree: { frame: { id: string } } };
    this.#mainFrameId = tree.frameTree.frame.id;
    session.on('Runtime.executionContextCreated', (params) => {
      const { context } = params as { context: { id: number; name: string; auxData: { frameId: string } } };
      if (context.name === 'preload' && context.auxData.frameId === this.#mainFrameId) this.#contextId = context.id;
    });
    session.on('Runtime.bindingCalled', (params) => {
      const { payload, executionContextId } = params as { payload: string; executionContextId: number };
      if (executionContextId === this.#contextId) this.#receive(decode(payload) as FromPage, executionContextId);
    });
    session.on('Fetch.requestPaused', (params) => {
      this.#answerRequest(session, params as Paused).catch((error: unknown) => {
        // The page may have gone while the answer was made.
        if (!this.isDestroyed()) console.error('double: a request could not be answered.', error);
      });
    });
    session.on('Page.windowOpen', (params) => this.#askToOpen((params as { url: string }).url));
    session.on('Page.frameNavigated', (params) => {
      const { frame } = params as { frame: { id: string; url: string } };
      if (frame.id !== this.#mainFrameId) return;
      this.mainFrame.url = toApp(frame.url);
      this.mainFrame.origin = URL.parse(this.mainFrame.url)?.origin ?? 'null';
      this.emit('did-navigate', {}, this.mainFrame.url);
    });
    session.on('Page.loadEventFired', () => this.emit('did-finish-load'));
    const code = readFileSync(preload, 'utf8');
    await session.send('Page.enable');
    await session.send('Runtime.enable');
    await session.send('Runtime.addBinding', { name: 'doubleWire', executionContextName: 'preload' });
    await session.send('Page.addScriptToEvaluateOnNewDocument', { source: `(${mainWorld.toString()})(${makeBridge.toString()});` });
    await session.send('Page.addScriptToEvaluateOnNewDocument', {
      worldName: 'preload',
      source: `(${preloadWorld.toString()})(${makeBridge.toString()}, ${encode.toString()}, ${decode.toString()}, function (require, module, exports) {${code}\n});`,
    });
    await session.send('Fetch.enable', { patterns: [{ urlPattern: '*' }] });
    return session;
  }

  #askToOpen(url: string): void {
    if (this.#openHandler({ url: toApp(url) }).action !== 'deny')
      throw new Error(`double: opening ${url} was allowed, which is not played.`);
  }

  #receive(message: FromPage, contextId: number): void {
    if (message.kind === 'open') return this.#askToOpen(message.url);
    if (message.kind === 'navigate') {
      this.emit('will-navigate', preventable({ url: toApp(message.url), isMainFrame: true }));
      return;
    }
    const event = { sender: this, senderFrame: this.mainFrame, frameId: 1, processId: 1, type: 'frame' };
    this.#invoke(event, message.channel, message.args).then(
      (value) => this.#deliver(contextId, { kind: 'answer', id: message.id, ok: true, value }),
      (error: unknown) =>
        this.#deliver(contextId, {
          kind: 'answer',
          id: message.id,
          ok: false,
          value: `Error invoking remote method '${message.channel}': ${String(error)}`,
        }),
    );
  }

  async #invoke(event: object, channel: string, args: unknown[]): Promise<unknown> {
    const handler = state.ipcHandlers.get(channel);
    if (handler === undefined) throw new Error(`No handler registered for '${channel}'`);
    return handler(event, ...args);
  }

  #deliver(contextId: number | null, message: object): void {
    if (contextId === null) return;
    this.#session
      .then((session) => session.send('Runtime.evaluate', { contextId, expression: `doubleDeliver(${JSON.stringify(encode(message))})` }))
      .catch((error: unknown) => {
        // The context goes with its page, the page with its window.
        if (!this.isDestroyed() && contextId === this.#contextId) console.error('double: a message could not be delivered.', error);
      });
  }

  async #answerRequest(session: CdpSession, { requestId, frameId, resourceType, request }: Paused): Promise<void> {
    const url = toApp(request.url);
    if (resourceType === 'Document') {
      const isMainFrame = frameId === this.#mainFrameId;
      const own = isMainFrame && this.#ownNavigation;
      if (isMainFrame) this.#ownNavigation = false;
      if (!own) {
        const event = preventable({ url, isMainFrame });
        this.emit('will-frame-navigate', event);
        if (isMainFrame) this.emit('will-navigate', event);
        if (event.defaultPrevented) return void (await session.send('Fetch.failRequest', { requestId, errorReason: 'Aborted' }));
      }
    }
    const scheme = new URL(url).protocol.slice(0, -1);
    if (scheme !== 'app') return void (await session.send('Fetch.continueRequest', { requestId }));
    if (new URL(url).pathname === '/favicon.ico')
      return void (await session.send('Fetch.fulfillRequest', { requestId, responseCode: 204 }));
    const { standard, secure } = state.schemes.get(scheme) ?? {};
    const handler = state.protocolHandlers.get(scheme);
    if (standard !== true || secure !== true || handler === undefined) {
      return void (await session.send('Fetch.failRequest', { requestId, errorReason: 'Failed' }));
    }
    const response = await handler(new Request(url, { method: request.method }));
    const body = Buffer.from(await response.arrayBuffer()).toString('base64');
    const responseHeaders = [...response.headers].map(([name, value]) => ({
      name,
      value: name === 'content-security-policy' ? value.replace(/app:\/\/[^\s;]+/g, toHttps) : value,
    }));
    await session.send('Fetch.fulfillRequest', { requestId, responseCode: response.status, responseHeaders, body });
  }

  async #applyPermissions(origin: string): Promise<void> {
    const names: Record<string, string> = {
      geolocation: 'geolocation',
      notifications: 'notifications',
      midi: 'midi',
      'clipboard-read': 'clipboard-read',
      'clipboard-sanitized-write': 'clipboard-write',
    };
    for (const [permission, name] of Object.entries(names)) {
      const details = { requestingUrl: this.mainFrame.url || toApp(origin), isMainFrame: true };
      const checked = state.permissionCheck?.(this, permission, toApp(origin), details) ?? true;
      const requested = await new Promise<boolean>((resolve) => {
        if (state.permissionRequest === null) resolve(true);
        else state.permissionRequest(this, permission, resolve, details);
      });
      await state.browser?.root.send('Browser.setPermission', {
        origin,
        permission: { name },
        setting: checked && requested ? 'granted' : 'denied',
      });
    }
  }

  async load(url: string): Promise<void> {
    const session = await this.#session;
    await this.#applyPermissions(new URL(toHttps(url)).origin);
    const loaded = new Promise<void>((resolve) => this.once('did-finish-load', resolve));
    this.#ownNavigation = true;
    await session.send('Page.navigate', { url: toHttps(url) });
    await loaded;
  }

  reload(): void {
    this.#ownNavigation = true;
    this.#session.then((session) => session.send('Page.reload')).catch((error: unknown) => console.error('double: reload failed.', error));
  }

  send(channel: string, ...args: unknown[]): void {
    this.#deliver(this.#contextId, { kind: 'event', channel, args });
  }

  /** Plays a message from a frame that the page itself could not make speak. */
  invokeFrom(frame: Frame | null, channel: string, ...args: unknown[]): Promise<unknown> {
    return this.#invoke({ sender: this, senderFrame: frame, frameId: 2, processId: 1, type: 'frame' }, channel, args);
  }

  setWindowOpenHandler(handler: (details: { url: string }) => { action: string }): void {
    this.#openHandler = handler;
  }

  setWebRTCIPHandlingPolicy(_policy: string): void {}

  focus(): void {}

  sendInputEvent({ type, keyCode, modifiers = [] }: { type: string; keyCode: string; modifiers?: string[] }): void {
    const bits = (modifiers.includes('control') ? 2 : 0) + (modifiers.includes('meta') ? 4 : 0);
    const params = {
      type: type === 'keyDown' ? 'rawKeyDown' : 'keyUp',
      key: keyCode.toLowerCase(),
      code: `Key${keyCode}`,
      windowsVirtualKeyCode: keyCode.charCodeAt(0),
      modifiers: bits,
    };
    this.#session
      .then((session) => session.send('Input.dispatchKeyEvent', params))
      .catch((error: unknown) => console.error('double: a key could not be pressed.', error));
  }

  #destroyed = false;
  isDestroyed(): boolean {
    return this.#destroyed;
  }
  destroy(): void {
    this.#destroyed = true;
    this.#contextId = null;
    this.#session
      .then(() => state.browser?.root.send('Target.closeTarget', { targetId: this.#targetId }))
      .catch((error: unknown) => console.error('double: a page could not be closed.', error));
  }
}

type FromPage =
  { kind: 'open'; url: string } | { kind: 'navigate'; url: string } | { kind: 'invoke'; id: number; channel: string; args: unknown[] };

export class BrowserWindow extends LoudEmitter {
  static getAllWindows(): BrowserWindow[] {
    return [...state.windows];
  }

  readonly webContents: WebContents;
  readonly options: Record<string, unknown>;
  #bounds: { x: number; y: number; width: number; height: number };
  #maximized = false;
  #minimized = false;
  #visible = false;
  #destroyed = false;

  constructor(options: Record<string, unknown> & { webPreferences: Preferences }) {
    super();
    for (const [name, wanted] of Object.entries(hardened)) {
      if (options.webPreferences[name] !== wanted) throw new Error(`double: a window needs ${name}: ${wanted}.`);
    }
    const { x = 100, y = 80, width = 800, height = 600 } = options as Partial<Record<'x' | 'y' | 'width' | 'height', number>>;
    this.options = options;
    this.#bounds = { x, y, width, height };
    this.webContents = new WebContents(options.webPreferences.preload, { width, height });
    this.webContents.once('did-finish-load', () => this.emit('ready-to-show'));
    state.windows.push(this);
    appEvents.emit('web-contents-created', {}, this.webContents);
  }

  loadURL(url: string): Promise<void> {
    return this.webContents.load(url);
  }
  reload(): void {
    this.webContents.reload();
  }
  show(): void {
    this.#visible = true;
    this.emit('show');
  }
  focus(): void {
    this.emit('focus');
  }
  isVisible(): boolean {
    return this.#visible;
  }
  isFocused(): boolean {
    return this.#visible && !this.#minimized;
  }
  maximize(): void {
    this.#maximized = true;
  }
  isMaximized(): boolean {
    return this.#maximized;
  }
  minimize(): void {
    this.#minimized = true;
  }
  isMinimized(): boolean {
    return this.#minimized;
  }
  restore(): void {
    this.#minimized = false;
  }
  setBounds(bounds: Partial<{ x: number; y: number; width: number; height: number }>): void {
    Object.assign(this.#bounds, bounds);
  }
  getNormalBounds(): { x: number; y: number; width: number; height: number } {
    return { ...this.#bounds };
  }
  isDestroyed(): boolean {
    return this.#destroyed;
  }
  close(): void {
    if (this.#destroyed) return;
    const event = preventable({});
    this.emit('close', event);
    if (event.defaultPrevented) return;
    this.#destroyed = true;
    state.windows.splice(state.windows.indexOf(this), 1);
    this.webContents.destroy();
    this.emit('closed');
    state.onWindowClosed();
  }
}

/** The part of `app` that a window speaks to. */
export const appEvents = new LoudEmitter();

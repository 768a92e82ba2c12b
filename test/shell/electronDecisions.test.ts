import { describe, expect, test } from 'vitest';
import type { MenuItemConstructorOptions } from 'electron';
import type { ServerId } from '../../preload/contract/ids.ts';
import { appScheme, requestedPath } from '../../main/electron/appProtocol.ts';
import { jsonBytes, senderProblem } from '../../main/electron/ipc.ts';
import { menuTemplate } from '../../main/electron/menu.ts';
import { isOwnPage } from '../../main/electron/navigation.ts';
import { allowsPermission } from '../../main/electron/permissions.ts';
import { startFailureText } from '../../main/electron/startFailure.ts';
import { webAddress } from '../../main/electron/webAddress.ts';
import { isViewPage, requestedView, viewOriginOf, viewScheme } from '../../main/electron/viewProtocol.ts';
import { windowOptions } from '../../main/electron/windowOptions.ts';
import { parseWindowState, restoredBounds } from '../../main/electron/windowState.ts';
import { Refusal } from '../../main/host/refusal.ts';

test('The window is pinned: isolated, sandboxed, without Node in page, worker or frame, without web views', () => {
  expect(windowOptions('/p.cjs', { width: 800, height: 600 }, false).webPreferences).toStrictEqual({
    preload: '/p.cjs',
    contextIsolation: true,
    sandbox: true,
    nodeIntegration: false,
    nodeIntegrationInWorker: false,
    nodeIntegrationInSubFrames: false,
    webviewTag: false,
    webSecurity: true,
    allowRunningInsecureContent: false,
    experimentalFeatures: false,
    navigateOnDragDrop: false,
    spellcheck: false,
  });
});

test('The scheme is standard and secure, and may do nothing else', () => {
  expect(appScheme).toStrictEqual({ scheme: 'app', privileges: { standard: true, secure: true } });
});

describe('Which requests the protocol answers', () => {
  test.each([
    ['GET', 'app://maitre/', '/'],
    ['GET', 'app://maitre/assets/a.js?x#y', '/assets/a.js'],
  ])('%s %s', (method, url, expected) => expect(requestedPath(method, url)).toBe(expected));
  test.each([
    ['POST', 'app://maitre/'],
    ['HEAD', 'app://maitre/'],
    ['GET', 'app://other/'],
    ['GET', 'app://maitre.evil/'],
    ['GET', 'app://maitre:8080/'],
    ['GET', 'app://user@maitre/'],
    ['GET', 'file:///etc/passwd'],
    ['GET', 'https://maitre/'],
    ['GET', 'nonsense'],
  ])('not %s %s', (method, url) => expect(requestedPath(method, url)).toBeNull());
});

describe('Views of servers', () => {
  const origin = viewOriginOf('Server_1' as ServerId);
  const id = 'a'.repeat(43);
  test('have an origin for each server, which is not that of the window', () => {
    expect(viewScheme).toStrictEqual({ scheme: 'maitre-view', privileges: { standard: true, secure: true } });
    expect(origin).toMatch(/^maitre-view:\/\/[0-9a-f]{32}$/);
    expect(viewOriginOf('server_1' as ServerId)).not.toBe(origin);
  });
  test.each([`/frame/${id}`, `/view/${id}`])('are answered and may stand in a frame: %s', (path) => {
    expect(requestedView('GET', `${origin}${path}`)).toEqual({ origin, path });
    expect(isViewPage(`${origin}${path}`)).toBe(true);
  });
  test.each([
    `${origin}/`,
    `${origin}/view/short`,
    `${origin}/view/${id}/more`,
    `maitre-view://user@${'0'.repeat(32)}/view/${id}`,
    `maitre-view://other/view/${id}`,
    `https://${'0'.repeat(32)}/view/${id}`,
    'app://maitre/index.html',
    'about:blank',
    'nonsense',
  ])('nothing else is: %s', (url) => {
    expect(requestedView('GET', url)).toBeNull();
    expect(isViewPage(url)).toBe(false);
  });
  test('by GET alone, and without a question', () => {
    expect(requestedView('POST', `${origin}/view/${id}`)).toBeNull();
    expect(requestedView('GET', `${origin}/view/${id}?again`)).toBeNull();
  });
});

describe('What counts as our own page', () => {
  test.each(['app://maitre/', 'app://maitre/index.html#x'])('%s', (url) => expect(isOwnPage(url)).toBe(true));
  test.each([
    'app://maitre.evil/',
    'app://evil/maitre',
    'app://maitre@evil/',
    'app://user:pw@maitre/',
    'https://maitre/',
    'file:///app://maitre/',
    'javascript:alert(1)',
    'data:text/html,x',
    'about:blank',
    'about:srcdoc',
    '',
  ])('not “%s”', (url) => expect(isOwnPage(url)).toBe(false));
});

describe('Permissions', () => {
  test('grant only a plain clipboard write, only to our own main frame', () => {
    expect(allowsPermission('clipboard-sanitized-write', 'app://maitre/index.html', true)).toBe(true);
    expect(allowsPermission('clipboard-sanitized-write', 'app://maitre/index.html', false)).toBe(false);
    expect(allowsPermission('clipboard-sanitized-write', 'https://evil.example/', true)).toBe(false);
  });
  test.each([
    'clipboard-read',
    'display-capture',
    'fileSystem',
    'fullscreen',
    'geolocation',
    'hid',
    'idle-detection',
    'keyboardLock',
    'media',
    'midi',
    'midiSysex',
    'notifications',
    'openExternal',
    'pointerLock',
    'serial',
    'storage-access',
    'top-level-storage-access',
    'usb',
    'window-management',
    'unknown',
    'constructor',
    '__proto__',
  ])('deny %s', (permission) => expect(allowsPermission(permission, 'app://maitre/', true)).toBe(false));
});

describe('What is opened in the browser', () => {
  test.each(['https://example.org/a?b#c', 'http://127.0.0.1:8080/'])('%s', (url) => expect(webAddress(url)).toBe(url));
  test.each([
    'file:///etc/passwd',
    'javascript:alert(1)',
    'https://user:pw@example.org/',
    'https://user@example.org/',
    'ms-msdt:/id',
    'app://maitre/',
    '\\\\host\\share',
    'example.org',
    '',
  ])('not “%s”', (url) => expect(() => webAddress(url)).toThrow(/Only web addresses/));
});

describe('Who may send commands', () => {
  const ours = { isOurWindow: true, isMainFrame: true, frameUrl: 'app://maitre/index.html' };
  test('the main frame of our window on our page', () => expect(senderProblem(ours)).toBeNull());
  test.each([
    [{ ...ours, isOurWindow: false }, 'another window'],
    [{ ...ours, isMainFrame: false }, 'a frame inside the page'],
    [{ ...ours, frameUrl: 'https://evil.example/' }, 'a foreign page'],
    [{ ...ours, frameUrl: 'about:blank' }, 'a foreign page'],
    [{ ...ours, frameUrl: null }, 'a frame that is gone'],
  ])('nobody else: %o', (sender, problem) => expect(senderProblem(sender)).toBe(problem));

  test('a message is measured in bytes of its JSON, and what has no JSON form has no size', () => {
    expect(jsonBytes({ a: 'é' })).toBe(Buffer.byteLength('{"a":"é"}'));
    expect(jsonBytes(undefined)).toBe(0);
    expect(jsonBytes(1n)).toBeNull();
    const cycle: Record<string, unknown> = {};
    cycle['self'] = cycle;
    expect(jsonBytes(cycle)).toBeNull();
  });
});

describe('Where the window opens', () => {
  const screens = [
    { x: 0, y: 0, width: 1920, height: 1040 },
    { x: 1920, y: 0, width: 1280, height: 1024 },
  ];
  const at = (x: number, y: number, width = 1000, height = 700) => ({ bounds: { x, y, width, height }, maximized: false });

  test('centred in its first size when nothing is known', () =>
    expect(restoredBounds(null, screens)).toStrictEqual({ bounds: { width: 1120, height: 760 }, maximized: false }));
  test.each([at(100, 100), at(2000, 50), at(-800, 10), at(3000, 0)])('where it was left: %o', (saved) =>
    expect(restoredBounds(saved, screens)).toStrictEqual(saved),
  );
  test.each([at(5000, 100), at(100, 2000), at(-950, 100), at(100, -200)])('centred where no display shows its title: %o', (saved) =>
    expect(restoredBounds(saved, screens).bounds).toStrictEqual({ width: 1000, height: 700 }),
  );
  test('never smaller than the layout allows, and maximised again', () =>
    expect(restoredBounds({ ...at(10, 10, 100, 100), maximized: true }, screens)).toStrictEqual({
      bounds: { x: 10, y: 10, width: 760, height: 520 },
      maximized: true,
    }));

  test('a saved state is read as it was written', () => {
    const saved = at(1, 2);
    expect(parseWindowState(JSON.stringify(saved))).toStrictEqual(saved);
  });
  test.each([
    '',
    '{',
    'null',
    '[]',
    '{"bounds":null,"maximized":false}',
    '{"bounds":{"x":1,"y":1,"width":"9","height":9},"maximized":false}',
    '{"bounds":{"x":1e9,"y":1,"width":9,"height":9},"maximized":false}',
    '{"bounds":{"x":1,"y":1,"width":9,"height":9}}',
  ])('a saved state that is none is not used: %s', (text) => expect(parseWindowState(text)).toBeNull());
});

describe('The menu', () => {
  const all = (items: MenuItemConstructorOptions[]): MenuItemConstructorOptions[] =>
    items.flatMap((item) => [item, ...(Array.isArray(item.submenu) ? all(item.submenu) : [])]);
  const roles = (platform: NodeJS.Platform, packaged: boolean) =>
    all(menuTemplate(platform, packaged, () => undefined)).map((item) => item.role);

  test.each(['linux', 'win32', 'darwin'] as const)('has no developer tools in a release on %s', (platform) => {
    expect(roles(platform, true)).not.toContain('toggleDevTools');
    expect(roles(platform, false)).toContain('toggleDevTools');
    expect(roles(platform, true)).toEqual(expect.arrayContaining(['quit', 'copy', 'paste', 'undo', 'zoomIn', 'togglefullscreen']));
  });

  test('replays keys of the page on a click, not when the key itself was pressed', () => {
    const pressed: string[] = [];
    const items = all(menuTemplate('linux', true, (key) => pressed.push(key))).filter((item) => item.id !== undefined);
    expect(items.map((item) => item.accelerator).sort()).toEqual(
      ['B', 'F', 'J', 'K', 'N', ',', '.', '/'].map((key) => `CmdOrCtrl+${key}`).sort(),
    );
    for (const item of items) {
      expect(item.registerAccelerator).toBe(false);
      Reflect.apply(item.click ?? (() => undefined), null, [item, undefined, { triggeredByAccelerator: true }]);
    }
    expect(pressed).toEqual([]);
    for (const item of items) Reflect.apply(item.click ?? (() => undefined), null, [item, undefined, {}]);
    expect(pressed.sort()).toEqual(['B', 'F', 'J', 'K', 'N', ',', '.', '/'].sort());
  });
});

test('A refusal at start speaks with its own sentence, a bug with a general one', () => {
  expect(startFailureText(new Refusal('dataFolderInUse', 'Maitre runs already.', { detail: 'pid 7' })).body).toBe(
    'Maitre runs already.\n\npid 7',
  );
  expect(startFailureText(new Error('x is not a function')).body).toContain('Something went wrong inside Maitre');
});

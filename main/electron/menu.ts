import type { BrowserWindow, BaseWindow, KeyboardEvent, MenuItemConstructorOptions } from 'electron';

/** Keys that the page answers itself, shown in the menu so that they can be found. `key` as `sendInputEvent` takes it. */
const pageKeys = {
  newChat: { label: 'New chat', accelerator: 'CmdOrCtrl+N', key: 'N' },
  palette: { label: 'Command palette', accelerator: 'CmdOrCtrl+K', key: 'K' },
  find: { label: 'Find', accelerator: 'CmdOrCtrl+F', key: 'F' },
  settings: { label: 'Settings…', accelerator: 'CmdOrCtrl+,', key: ',' },
  sidebar: { label: 'Toggle sidebar', accelerator: 'CmdOrCtrl+B', key: 'B' },
  stop: { label: 'Stop the answer', accelerator: 'CmdOrCtrl+.', key: '.' },
  approval: { label: 'Go to the waiting approval', accelerator: 'CmdOrCtrl+J', key: 'J' },
  keys: { label: 'Keyboard shortcuts', accelerator: 'CmdOrCtrl+/', key: '/' },
} as const;

/** What a click on such an item needs; the window of the click, or null when none is open. */
type PressKey = (key: string) => void;

/**
 * The menu. Items of the page replay their key to it, so that a key and its menu item cannot come to mean two things,
 * and no third channel is needed. Their accelerators are not registered: the page has the key already.
 */
export function menuTemplate(platform: NodeJS.Platform, packaged: boolean, pressKey: PressKey): MenuItemConstructorOptions[] {
  const item = (name: keyof typeof pageKeys): MenuItemConstructorOptions => ({
    id: name,
    label: pageKeys[name].label,
    accelerator: pageKeys[name].accelerator,
    registerAccelerator: false,
    // macOS registers accelerators all the same; there the page was asked first, and a second press would do it twice.
    click: (_item: unknown, _window: BaseWindow | undefined, event: KeyboardEvent) => {
      if (event.triggeredByAccelerator !== true) pressKey(pageKeys[name].key);
    },
  });
  const separator: MenuItemConstructorOptions = { type: 'separator' };
  const isMac = platform === 'darwin';
  return [
    ...(isMac
      ? [
          {
            role: 'appMenu' as const,
            submenu: [
              { role: 'about' as const },
              separator,
              item('settings'),
              separator,
              { role: 'services' as const },
              separator,
              { role: 'hide' as const },
              { role: 'hideOthers' as const },
              { role: 'unhide' as const },
              separator,
              { role: 'quit' as const },
            ],
          },
        ]
      : []),
    {
      role: 'fileMenu',
      submenu: [
        item('newChat'),
        ...(isMac ? [{ role: 'close' as const }] : [separator, item('settings'), separator, { role: 'quit' as const }]),
      ],
    },
    {
      role: 'editMenu',
      submenu: [
        { role: 'undo' },
        { role: 'redo' },
        separator,
        { role: 'cut' },
        { role: 'copy' },
        { role: 'paste' },
        { role: 'pasteAndMatchStyle' },
        { role: 'selectAll' },
        separator,
        item('find'),
      ],
    },
    {
      role: 'viewMenu',
      submenu: [
        item('palette'),
        item('sidebar'),
        item('approval'),
        item('stop'),
        separator,
        { role: 'resetZoom' },
        { role: 'zoomIn' },
        { role: 'zoomOut' },
        { role: 'togglefullscreen' },
        // A release has no developer tools: whoever gets at the keyboard could read every chat through them.
        ...(packaged ? [] : [separator, { role: 'reload' as const }, { role: 'toggleDevTools' as const }]),
      ],
    },
    { role: 'windowMenu' },
    { role: 'help', submenu: [item('keys')] },
  ];
}

/** Presses a key in the page together with Cmd (macOS) or Ctrl. */
export function pressKeyIn(window: BrowserWindow, key: string, platform: NodeJS.Platform): void {
  const modifiers: ('meta' | 'control')[] = [platform === 'darwin' ? 'meta' : 'control'];
  window.webContents.focus();
  window.webContents.sendInputEvent({ type: 'keyDown', keyCode: key, modifiers });
  window.webContents.sendInputEvent({ type: 'keyUp', keyCode: key, modifiers });
}

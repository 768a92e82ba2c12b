import { Menu, Tray } from 'electron';
import type { Host } from '../host/createHost.ts';
import { messageOf } from '../host/refusal.ts';
import type { Log } from '../host/ports.ts';

/** Whether the settings of an `app.open` answer or of a settings event ask for a tray icon. */
interface TraySetting {
  settings: { tray: boolean };
}

function isTraySetting(value: unknown): value is TraySetting {
  return (
    typeof value === 'object' &&
    value !== null &&
    'settings' in value &&
    typeof value.settings === 'object' &&
    value.settings !== null &&
    'tray' in value.settings &&
    typeof value.settings.tray === 'boolean'
  );
}

/** The tray icon as the settings want it. `isOn` tells whether closing the window is to leave Maitre running. */
export async function followTraySetting(
  host: Host,
  iconFile: string,
  actions: { show(): void; quit(): void },
  log: Log,
): Promise<{ isOn(): boolean }> {
  let tray: Tray | null = null;
  const set = (wanted: boolean): void => {
    if (wanted === (tray !== null)) return;
    if (!wanted) {
      tray?.destroy();
      tray = null;
      return;
    }
    try {
      tray = new Tray(iconFile);
    } catch (error) {
      // Some Linux desktops have no tray. Then closing the window must quit, or nothing would be left to click.
      log.warn('The tray icon could not be shown.', { error: messageOf(error) });
      return;
    }
    tray.setToolTip('Maitre');
    tray.setContextMenu(
      Menu.buildFromTemplate([
        { label: 'Show Maitre', click: actions.show },
        { type: 'separator' },
        { label: 'Quit', click: actions.quit },
      ]),
    );
    tray.on('click', actions.show);
  };
  host.on((message) => {
    if (message.topic === 'settings' && message.event.type === 'settings.changed') set(message.event.settings.tray);
  });
  const opened = await host.invoke('app.open', {});
  if (opened.ok && isTraySetting(opened.value)) set(opened.value.settings.tray);
  return { isOn: () => tray !== null };
}

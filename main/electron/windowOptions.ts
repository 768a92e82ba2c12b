import type { BrowserWindowConstructorOptions } from 'electron';

/** The smallest window that the layout is made for. */
export const minimumSize = { width: 760, height: 520 };

/**
 * Options of the one window. The web preferences are pinned, not left to Electron's defaults, so that neither a new
 * major version nor a careless edit opens the page to Node.
 */
export function windowOptions(
  preload: string,
  bounds: { x?: number; y?: number; width: number; height: number },
  dark: boolean,
): BrowserWindowConstructorOptions {
  return {
    ...bounds,
    minWidth: minimumSize.width,
    minHeight: minimumSize.height,
    show: false,
    title: 'Maitre',
    backgroundColor: dark ? '#171716' : '#FBFBFA',
    webPreferences: {
      preload,
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
    },
  };
}

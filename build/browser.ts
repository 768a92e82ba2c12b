import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';
import { chromium } from 'playwright-core';

const commandsOnPath = ['chromium', 'chromium-browser', 'google-chrome-stable', 'google-chrome', 'microsoft-edge-stable', 'microsoft-edge'];

const macApplications = [
  'Google Chrome.app/Contents/MacOS/Google Chrome',
  'Chromium.app/Contents/MacOS/Chromium',
  'Microsoft Edge.app/Contents/MacOS/Microsoft Edge',
];

const windowsPrograms = [
  'Google\\Chrome\\Application\\chrome.exe',
  'Chromium\\Application\\chrome.exe',
  'Microsoft\\Edge\\Application\\msedge.exe',
];

/** Absolute path of a Chromium-based browser on this computer, or null. `MAITRE_TEST_BROWSER` names one and goes first. */
export function findBrowser(env: NodeJS.ProcessEnv = process.env): string | null {
  const named = env['MAITRE_TEST_BROWSER'];
  if (named !== undefined && named !== '') {
    if (!isExecutable(named)) throw new Error(`MAITRE_TEST_BROWSER names ${named}, which is no program that can be started.`);
    return named;
  }
  return candidates(env).find(isExecutable) ?? null;
}

function candidates(env: NodeJS.ProcessEnv): string[] {
  const ownDownload = chromium.executablePath();
  if (process.platform === 'darwin') {
    const folders = ['/Applications', join(env['HOME'] ?? '', 'Applications')];
    return [...folders.flatMap((folder) => macApplications.map((name) => join(folder, name))), ownDownload];
  }
  if (process.platform === 'win32') {
    const folders = [env['ProgramFiles'], env['ProgramFiles(x86)'], env['LOCALAPPDATA']].filter((folder) => folder !== undefined);
    return [...folders.flatMap((folder) => windowsPrograms.map((name) => join(folder, name))), ownDownload];
  }
  const folders = (env['PATH'] ?? '').split(delimiter).filter((folder) => folder !== '');
  return [...commandsOnPath.flatMap((name) => folders.map((folder) => join(folder, name))), ownDownload];
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

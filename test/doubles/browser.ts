import { chromium, type Browser } from 'playwright-core';
import { findBrowser } from '../../build/browser.ts';

/**
 * Starts a real Chromium (the one that `npm test` chose, else any on this computer) without a window. The caller closes it.
 * Chromium refuses to run as root with its sandbox, which is the usual case in a container, so only there it runs without.
 */
export async function launchBrowser(args: readonly string[] = []): Promise<Browser> {
  const executablePath = findBrowser();
  if (executablePath === null) {
    throw new Error('No Chrome, Chromium or Edge was found: run `npm test`, which installs one, or name one in MAITRE_TEST_BROWSER.');
  }
  const sandboxOff = process.getuid?.() === 0 ? ['--no-sandbox'] : [];
  return chromium.launch({ executablePath, args: [...sandboxOff, '--disable-gpu', '--disable-background-networking', ...args] });
}

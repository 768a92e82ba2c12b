import { mkdirSync } from 'node:fs';
import path from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { onTestFinished } from 'vitest';
import type { HostOptions } from '../../main/host/createHost.ts';
import type { Ports } from '../../main/host/ports.ts';
import { startWebShell } from '../../main/web/webShell.ts';
import { tempFolder } from '../doubles/hostParts.ts';
import { startTestHost, type TestHost } from '../doubles/testHost.ts';

export interface RealWindow {
  page: Page;
  test: TestHost;
  /** Of the person who sits at this computer, as the host sees it. */
  home: string;
  /** Errors and broken policies of the console, uncaught errors. */
  problems: string[];
}

/** A real host behind the web shell, and a real browser that shows its window. All of it ends with the test. */
export async function openRealWindow(
  browser: Browser,
  rendererDir: string,
  options: Partial<HostOptions> & { prepare?(dataDir: string, home: string): void; ports?: Partial<Ports>; reviews?: 'wait' } = {},
): Promise<RealWindow> {
  const { prepare, ports, ...hostOptions } = options;
  const folder = tempFolder();
  const dataDir = path.join(folder, 'data');
  const home = path.join(folder, 'home');
  mkdirSync(dataDir);
  mkdirSync(home);
  prepare?.(dataDir, home);
  const test = await startTestHost({ ...hostOptions, dataDir, ports: { paths: { dataDir, home, temp: folder }, ...ports } });
  const shell = await startWebShell({ host: test.host, port: 0, rendererDir, log: test.log });
  const context = await browser.newContext({ viewport: { width: 1280, height: 860 }, reducedMotion: 'reduce', locale: 'en' });
  onTestFinished(async () => {
    await context.close();
    await shell.close();
  });
  const page = await context.newPage();
  const problems: string[] = [];
  page.on('pageerror', (error) => problems.push(String(error)));
  page.on('console', (message) => {
    if (message.type() === 'error' && !message.location().url.endsWith('/favicon.ico')) problems.push(message.text());
  });
  await page.goto(shell.createLink());
  await page.locator('#composer').waitFor();
  return { page, test, home, problems };
}

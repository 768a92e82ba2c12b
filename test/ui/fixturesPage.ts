import { randomBytes } from 'node:crypto';
import { mkdir, readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Browser, Page } from 'playwright-core';
import { contentSecurityPolicy, pageFile } from '../../main/host/pageFiles.ts';
import { launchBrowser } from '../doubles/browser.ts';
import { builtPage } from './builtPage.ts';

const screenshots = fileURLToPath(new URL('../../dist/screenshots', import.meta.url));

export interface FixtureLook {
  theme?: 'light' | 'dark';
  width?: number;
  height?: number;
  lang?: 'en' | 'zh';
}

export interface Opened {
  page: Page;
  /** What the console said of errors and broken policies, uncaught errors, and requests to other places than the page's own. */
  problems: string[];
  close(): Promise<void>;
}

export interface FixturesPage {
  /** Names of all fixtures. */
  names(): Promise<string[]>;
  /** In a window of its own, or in one that was opened before. */
  open(fixture: string, look?: FixtureLook, opened?: Opened): Promise<Opened>;
  shoot(page: Page, name: string): Promise<void>;
  close(): Promise<void>;
}

/** Builds the fixtures page and serves it to a real browser under the policy of the application. */
export async function openFixtures(): Promise<FixturesPage> {
  const folder = await builtPage('fixtures');
  await mkdir(screenshots, { recursive: true });
  const server = createServer((request, response) => {
    const { pathname } = new URL(request.url ?? '/', 'http://127.0.0.1');
    const found = pageFile(folder, pathname === '/' ? '/fixtures.html' : pathname);
    const nonce = randomBytes(16).toString('base64');
    void (found === null ? Promise.reject(new Error('No such file')) : readFile(found.file)).then(
      (body) => {
        response.setHeader('content-security-policy', contentSecurityPolicy(nonce, []));
        response.setHeader('content-type', found?.mimeType ?? '');
        // Their names change with what they hold: a window that goes on to the next state need not fetch and compile them again.
        if (pathname.startsWith('/assets/')) response.setHeader('cache-control', 'max-age=3600, immutable');
        response.end(pathname === '/' ? body.toString().replace('<head>', `<head><meta name="nonce" content="${nonce}" />`) : body);
      },
      () => {
        response.statusCode = 404;
        response.end();
      },
    );
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const browser: Browser = await launchBrowser();

  const openWindow = async (): Promise<Opened> => {
    const context = await browser.newContext({ reducedMotion: 'reduce', colorScheme: 'light' });
    await context.grantPermissions(['clipboard-read', 'clipboard-write'], { origin });
    const page = await context.newPage();
    const problems: string[] = [];
    page.on('console', (message) => {
      if (message.type() === 'error') problems.push(message.text());
    });
    page.on('pageerror', (error) => problems.push(String(error)));
    page.on('request', (request) => {
      const { protocol } = new URL(request.url());
      if (!request.url().startsWith(`${origin}/`) && protocol !== 'blob:' && protocol !== 'data:')
        problems.push(`Request to ${request.url()}`);
    });
    return { page, problems, close: () => context.close() };
  };
  const open = async (
    fixture: string,
    { theme = 'light', width = 1280, height = 860, lang = 'en' }: FixtureLook = {},
    opened?: Opened,
  ): Promise<Opened> => {
    const shown = opened ?? (await openWindow());
    const { page } = shown;
    shown.problems.length = 0;
    await page.setViewportSize({ width, height });
    await page.goto(`${origin}/?fixture=${fixture}&theme=${theme}&lang=${lang}`);
    await page.locator('#root > *').first().waitFor();
    // A list is measured before it is shown, and a skeleton stands only until its text is there.
    await page.waitForFunction(() => {
      const log = document.querySelector('[role=log]');
      const settled =
        log === null ||
        [...log.querySelectorAll('[data-message]')].some((message) => message.checkVisibility({ visibilityProperty: true }));
      return settled && document.querySelector('[role=status][aria-label]') === null;
    });
    await page.evaluate(() => (window as { fixtureShown?: Promise<void> }).fixtureShown);
    await page.evaluate(() => document.fonts.ready);
    return shown;
  };

  return {
    open,
    async names() {
      const opened = await open('');
      const names = await opened.page.locator('[data-names]').getAttribute('data-names');
      await opened.close();
      return (names ?? '').split(' ');
    },
    async shoot(page, name) {
      await page.screenshot({ path: path.join(screenshots, `${name}.png`) });
    },
    async close() {
      await browser.close();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

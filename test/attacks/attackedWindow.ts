import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Browser, BrowserContext, Locator, Page } from 'playwright-core';
import { build, type Plugin } from 'vite';
import { afterAll, beforeAll, expect, onTestFinished } from 'vitest';
import type { Conversation } from '../../preload/contract/conversations.ts';
import { startWebShell } from '../../main/web/webShell.ts';
import { launchBrowser } from '../doubles/browser.ts';
import { turnEnd } from '../doubles/testHost.ts';
import type { WindowGuard } from './insteadOfGuards.tsx';
import { type Scene, setStage, type Stage } from './stage.ts';
import { guardsOff } from './windowGuards.ts';

const here = (file: string): string => fileURLToPath(new URL(file, import.meta.url));

/** Where each guard of the window stands: a module of the renderer, or a package, and the name that it exports it under. */
const places: Readonly<Record<WindowGuard, readonly [module: string, name: string]>> = {
  pictures: ['react-markdown', 'default'],
  links: ['markdown/MarkdownLink.tsx', 'MarkdownLink'],
  plainResults: ['ui/LongTextView.tsx', 'LongTextView'],
  plainAnswers: ['markdown/Markdown.tsx', 'Markdown'],
  arming: ['ui/useArmed.ts', 'useArmed'],
  wholeSeen: ['features/approval/useShown.ts', 'useShown'],
  hiddenShown: ['text/visiblePieces.ts', 'visiblePieces'],
  quoted: ['features/approval/InputFrame.tsx', 'ServerWords'],
};

const wrapped = '\0guard:';

/** The module of each guard is replaced by itself, with the guard asked through `__guardsOff` of the page. */
function guardSwitches(): Plugin {
  const guardOf = (source: string, file: string) =>
    (Object.keys(places) as WindowGuard[]).find(
      (guard) => places[guard][0] === source || file === here(`../../renderer/${places[guard][0]}`),
    );
  return {
    name: 'guard-switches',
    enforce: 'pre',
    async resolveId(source, importer, options) {
      if (importer?.startsWith(wrapped) === true) return path.isAbsolute(source) ? source : null;
      if (importer === here('insteadOfGuards.tsx')) return null;
      const resolved = await this.resolve(source, importer, { ...options, skipSelf: true });
      const guard = resolved ? guardOf(source, resolved.id) : undefined;
      return resolved && guard !== undefined ? `${wrapped}${guard}:${resolved.id}` : null;
    },
    load(id) {
      if (!id.startsWith(wrapped)) return null;
      const [guard = '', file = ''] = id.slice(wrapped.length).split(/:(.*)/s);
      const name = places[guard as WindowGuard][1];
      return [
        `import * as real from ${JSON.stringify(file)};`,
        `import { instead } from ${JSON.stringify(here('insteadOfGuards.tsx'))};`,
        `export * from ${JSON.stringify(file)};`,
        `const guard = globalThis.__guardsOff?.includes(${JSON.stringify(guard)}) ? instead.${guard}(real.${name}) : real.${name};`,
        `export { guard as ${name} };`,
      ].join('\n');
    },
  };
}

/** One page for all attacks. */
async function buildAttackedPage(): Promise<string> {
  const rendererDir = here('../../dist/testPages/attackedWindow');
  await build({
    configFile: here('../../build/vite.renderer.config.ts'),
    logLevel: 'error',
    plugins: [guardSwitches()],
    build: { outDir: rendererDir, minify: false },
  });
  return rendererDir;
}

export interface AttackedWindow {
  page: Page;
  /** Lets the first moments of cards pass: until then they last. */
  letTimePass(): Promise<void>;
  /** A chat whose model does what `steps` say, in sight. */
  say(steps: unknown[]): Promise<Conversation>;
  ended(conversation: Conversation): Promise<void>;
  /** Resolves when all that the window has asked for so far, anywhere, was answered. */
  settled(): Promise<void>;
}

/** A window with what stands behind it. */
export interface StagedWindow extends AttackedWindow {
  stage: Stage;
  /** What the person’s own browser was asked to open, after the host’s check. */
  opened: string[];
}

/** To be called once at the top of a file: all its attacks share the browser and the page. Sets the stage for one, and opens a window on it. */
export function attackedWindows(): (scene?: Partial<Scene>) => Promise<StagedWindow> {
  let browser: Browser;
  let rendererDir: string;
  beforeAll(async () => {
    rendererDir = await buildAttackedPage();
    browser = await launchBrowser();
  }, 300_000);
  afterAll(() => browser.close());
  return async (scene) => {
    const opened: string[] = [];
    const stage = await setStage({ servers: {}, ports: { openUrl: async (url) => void opened.push(url) }, ...scene });
    return { stage, opened, ...(await openAttackedWindow(browser, rendererDir, stage)) };
  };
}

export const cardOf = ({ page }: AttackedWindow): Locator => page.locator('[data-card]');

/** The web shell over the host of a stage, and a real browser at it. */
export async function openAttackedWindow(browser: Browser, rendererDir: string, { host, folder }: Stage): Promise<AttackedWindow> {
  const shell = await startWebShell({ host: host.host, port: 0, rendererDir, log: host.log });
  const context = await browser.newContext({ viewport: { width: 1280, height: 860 }, reducedMotion: 'reduce', locale: 'en' });
  onTestFinished(async () => {
    await context.close();
    await shell.close();
  });
  const settled = watchRequests(context);
  await context.addInitScript(holdFirstMoments, guardsOff());
  const page = await context.newPage();
  await page.goto(shell.createLink());
  await page.locator('#composer').waitFor();
  const script = path.join(folder, 'script.json');
  return {
    page,
    letTimePass: () => page.evaluate(() => (globalThis as unknown as Held).__letTimePass()),
    async say(steps) {
      writeFileSync(script, JSON.stringify({ steps }));
      const { conversation } = await host.run('conversation.create', { model: `scripted:${script}` });
      await host.run('turn.send', { conversationId: conversation.id, text: 'Please do what is needed.' });
      await page.getByText('Please do what is needed.').first().click();
      return conversation;
    },
    async ended({ id }) {
      await host.until(turnEnd(id));
    },
    settled: () => settled(page),
  };
}

interface Held {
  __guardsOff: readonly string[];
  __letTimePass(): void;
}

/** Runs in the page. The 400 ms for which a card cannot be answered last until the test lets them pass, however slow the computer is. */
function holdFirstMoments(off: readonly string[]): void {
  const held = new Map<number, () => void>();
  const page = globalThis as unknown as Held;
  const { setTimeout: set, clearTimeout: clear } = globalThis;
  let passes = 0;
  page.__guardsOff = off;
  page.__letTimePass = () => {
    for (const run of held.values()) run();
    held.clear();
  };
  globalThis.setTimeout = ((run: () => void, ms?: number, ...args: unknown[]) => {
    if (ms !== 400) return set(run, ms, ...args);
    passes -= 1;
    held.set(passes, run);
    return passes;
  }) as typeof setTimeout;
  globalThis.clearTimeout = ((id: number | undefined) => {
    if (id === undefined || !held.delete(id)) clear(id);
  }) as typeof clearTimeout;
}

/** What is asked for by any page of the browser, prefetches and pages that a link opened included. */
function watchRequests(context: BrowserContext): (page: Page) => Promise<void> {
  const open = new Set<unknown>();
  context.on('request', (request) => open.add(request));
  context.on('requestfinished', (request) => open.delete(request));
  context.on('requestfailed', (request) => open.delete(request));
  return async (page) => {
    // What was drawn before this frame has asked for its pictures and styles.
    await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => setTimeout(done))));
    await expect.poll(() => open.size).toBe(0);
  };
}

/**
 * What an eye reads there, line by line from left to right: the order in which the characters stand on the screen, which is not that of the
 * text where it holds marks of direction.
 */
export const seenIn = (place: Locator): Promise<string> =>
  place.evaluate((element) => {
    const lines = new Map<number, { left: number; right: number; character: string }[]>();
    const walker = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
    const range = document.createRange();
    for (let node = walker.nextNode(); node; node = walker.nextNode()) {
      const text = node.textContent ?? '';
      for (let at = 0; at < text.length; at += 1) {
        range.setStart(node, at);
        range.setEnd(node, at + 1);
        const { left, right, top, height, width } = range.getBoundingClientRect();
        if (width === 0) continue;
        const line = Math.round((top + height / 2) / 6);
        lines.set(line, [...(lines.get(line) ?? []), { left, right, character: text[at] ?? '' }]);
      }
    }
    const wordGap = 3;
    return [...lines]
      .sort(([one], [other]) => one - other)
      .map(([, line]) =>
        line
          .sort((one, other) => one.left - other.left)
          .map(({ left, character }, at) => (left - (line[at - 1]?.right ?? left) > wordGap ? ` ${character}` : character))
          .join(''),
      )
      .join('\n');
  });

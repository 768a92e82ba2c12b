/** Views of servers (MCP Apps), in a real browser over the web shell: a page of a server below its call, in a frame that can do nothing by itself. */
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Browser, Frame, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { launchBrowser } from '../doubles/browser.ts';
import { tempFolder } from '../doubles/hostParts.ts';
import { turnEnd } from '../doubles/testHost.ts';
import { testServer } from '../host/mcp/harness.ts';
import { axeProblems } from './driveApp.ts';
import { buildPage, openRealWindow, type RealWindow } from './realWindow.ts';

let browser: Browser;
let rendererDir: string;
beforeAll(async () => {
  [browser, rendererDir] = await Promise.all([launchBrowser(), buildPage('views')]);
}, 120_000);
afterAll(() => browser.close());

/** What the page of the order board offers to whoever looks into it. */
interface Board {
  heard: { method?: string; params?: Record<string, unknown> }[];
  context: Record<string, unknown>;
  ask(method: string, params?: object): Promise<Record<string, unknown>>;
  tell(method: string, params?: object): void;
}

interface Shop extends RealWindow {
  /** Every message that the server has heard. */
  heard(): { method?: string; params?: Record<string, unknown> }[];
  prompts: { messages: string; tools: string }[];
}

/** A chat whose model has shown an order. */
async function openShop(steps: unknown[] = [show, { text: 'Here it is.' }], effects: Record<string, 'reads' | 'changes'> = {}): Promise<Shop> {
  const folder = tempFolder();
  const journal = path.join(folder, 'journal');
  const script = path.join(folder, 'script.json');
  const serversFile = path.join(folder, 'named.json');
  writeFileSync(journal, '');
  writeFileSync(script, JSON.stringify({ steps }));
  writeFileSync(serversFile, JSON.stringify({ mcpServers: { Orders: { command: process.execPath, args: [testServer('orders'), journal] } } }));
  const prompts: Shop['prompts'] = [];
  const window = await openRealWindow(browser, rendererDir, {
    serversFile,
    scriptFiles: [script],
    onModelRequest: ({ messages, tools }) => void prompts.push({ messages: JSON.stringify(messages), tools: JSON.stringify(tools) }),
  });
  const { page, test: host } = window;
  await host.serversReady();
  const [server] = (await host.run('server.list', {})).servers;
  if (!server) throw new Error('The shop is not there.');
  for (const [tool, effect] of Object.entries({ show_order: 'reads' as const, ...effects }))
    await host.run('server.classifyTool', { serverId: server.id, tool, effects: [effect] });
  await host.run('settings.set', { patch: { defaultModel: `scripted:${script}` } });
  await page.getByRole('textbox', { name: 'Message' }).fill('Show me the order');
  await page.keyboard.press('Enter');
  await page.locator('[data-card]').getByRole('button', { name: 'Allow once' }).click();
  await host.until((message) => message.topic === 'conversation' && message.event.type === 'turn.changed' && message.event.turn.state === 'done');
  return {
    ...window,
    prompts,
    heard: () =>
      readFileSync(journal, 'utf8')
        .split('\n')
        .filter((line) => line !== '')
        .map((line) => JSON.parse(line)),
  };
}

const show = { calls: [{ tool: 'Orders.show_order', arguments: { id: 'A7' } }] };

/** The frame of the view itself, once it stands there. */
async function boardOf(page: Page): Promise<Frame> {
  await page.locator('[data-view=shown] iframe').waitFor();
  await expect.poll(() => page.frames().some((frame) => /\/view\/[\w-]{43}$/.test(frame.url()))).toBe(true);
  const frame = page.frames().find((each) => /\/view\//.test(each.url()));
  if (!frame) throw new Error('There is no view.');
  await expect.poll(() => frame.evaluate(() => (globalThis as unknown as Board).heard.length)).toBeGreaterThan(2);
  return frame;
}

const agreeTo = (page: Page) => page.getByRole('button', { name: 'Show the view' }).click();

test('a view is shown once it was agreed to, with the arguments once and then the result; its call is asked about, and its result is its own', async () => {
  const { page, heard, prompts, problems } = await openShop();
  await page.locator('[data-view=toReview]').waitFor();
  expect(page.frames()).toHaveLength(1);
  expect(await page.locator('[data-view=toReview]').innerText()).toContain('It reaches nothing outside of Maitre.');
  await agreeTo(page);
  const board = await boardOf(page);
  await expect.poll(() => board.locator('#state').innerText()).toBe('packed');
  const told = await board.evaluate(() => (globalThis as unknown as Board).heard.map(({ method }) => method ?? 'answer'));
  expect(told).toEqual(['answer', 'ui/notifications/tool-input', 'ui/notifications/tool-result']);
  console.log(problems);
  await page.screenshot({ path: '/tmp/apps/shown.png' });
  void heard; void prompts; void turnEnd; void axeProblems; void fileURLToPath;
});

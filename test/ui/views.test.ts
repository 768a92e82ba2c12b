/** Views of servers (MCP Apps), in a real browser over the web shell: a page of a server below its call, in a frame that can do nothing by itself. */
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Browser, Frame, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { launchBrowser } from '../doubles/browser.ts';
import { tempFolder } from '../doubles/hostParts.ts';
import { testServer } from '../host/mcp/harness.ts';
import { builtPage } from './builtPage.ts';
import { axeProblems } from './driveApp.ts';
import { openRealWindow, type RealWindow } from './realWindow.ts';

let browser: Browser;
let rendererDir: string;
beforeAll(async () => {
  [browser, rendererDir] = await Promise.all([launchBrowser(), builtPage('renderer')]);
}, 120_000);
afterAll(() => browser.close());

const screenshots = fileURLToPath(new URL('../../dist/screenshots', import.meta.url));
const shoot = (page: Page, name: string) => page.screenshot({ path: path.join(screenshots, `views-${name}.png`), animations: 'disabled' });
/** What a browser writes of scripts that are run by hand instead. */
const ofTheView = /Executing inline script violates/;

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
  /** What the person's browser was told to open. */
  opened: string[];
  /** What the model does from now on, in each answer. */
  answer(steps: unknown[]): void;
}

/** A chat whose model has shown an order. */
async function openShop(
  steps: unknown[] = [show, { text: 'Here it is.' }],
  effects: Record<string, 'reads' | 'changes'> = {},
): Promise<Shop> {
  const folder = tempFolder();
  const journal = path.join(folder, 'journal');
  const script = path.join(folder, 'script.json');
  const serversFile = path.join(folder, 'named.json');
  writeFileSync(journal, '');
  writeFileSync(script, JSON.stringify({ steps }));
  writeFileSync(
    serversFile,
    JSON.stringify({ mcpServers: { Orders: { command: process.execPath, args: [testServer('orders'), journal] } } }),
  );
  const prompts: Shop['prompts'] = [];
  const opened: string[] = [];
  const window = await openRealWindow(browser, rendererDir, {
    ports: { openUrl: async (url) => void opened.push(url) },
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
  await host.until(
    (message) => message.topic === 'conversation' && message.event.type === 'turn.changed' && message.event.turn.state === 'done',
  );
  return {
    ...window,
    prompts,
    opened,
    answer: (next) => writeFileSync(script, JSON.stringify({ steps: next })),
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
const asked = (board: Frame, method: string, params: object) =>
  board.evaluate(
    ([name, values]) =>
      (globalThis as unknown as Board).ask(name as string, values as object).catch((error: Error) => ({ refused: error.message })),
    [method, params] as const,
  );
/** As a person does it: the pointer comes first. */
async function press(page: Page, board: Frame, button: string): Promise<void> {
  const box = await board.locator(button).boundingBox();
  if (!box) throw new Error('The button is not in sight.');
  const [x, y] = [box.x + box.width / 2, box.y + box.height / 2];
  await page.mouse.move(x, y, { steps: 3 });
  await page.mouse.click(x, y);
}
const cardOf = (page: Page) => page.locator('[data-card]');

test(
  'a view is shown once it was agreed to: the arguments once, then the result; its call is asked about, and what comes back is its own',
  { timeout: 60_000 },
  async () => {
    const { page, heard, prompts, problems, answer } = await openShop();
    answer([{ text: 'Fine.' }]);
    const review = page.locator('[data-view=toReview]');
    await review.waitFor();
    expect(page.frames()).toHaveLength(1);
    expect(await review.innerText()).toContain('It reaches nothing outside of Maitre.');
    expect(await axeProblems(page, 'views')).toEqual([]);
    await shoot(page, 'review');
    await agreeTo(page);
    const board = await boardOf(page);
    await expect.poll(() => board.locator('#state').innerText()).toBe('packed');
    const told = await board.evaluate(() => (globalThis as unknown as Board).heard.map(({ method, params }) => ({ method, params })));
    expect(told.map(({ method }) => method ?? 'answer')).toEqual(['answer', 'ui/notifications/tool-input', 'ui/notifications/tool-result']);
    expect(told[1]?.params).toEqual({ arguments: { id: 'A7' } });
    expect(told[2]?.params).toEqual({
      content: [{ type: 'text', text: 'Order A7 for Ada is packed.' }],
      structuredContent: { id: 'A7', state: 'packed', customer: 'Ada' },
      _meta: { 'shop.example/edition': 3 },
    });

    await press(page, board, '#ship');
    const card = cardOf(page);
    await card.waitFor();
    expect(await card.innerText()).toContain('asked by a view of the MCP server');
    expect(await card.innerText()).toContain('shipped');
    expect(heard().some(({ params }) => params?.['name'] === 'change_order')).toBe(false);
    await shoot(page, 'card');
    await card.getByRole('button', { name: 'Deny', exact: true }).click();
    await expect.poll(() => board.locator('#said').innerText()).toContain('denied');
    await press(page, board, '#ship');
    await card.getByRole('button', { name: 'Allow once' }).click();
    await expect.poll(() => board.locator('#state').innerText()).toBe('shipped');

    // To the model nothing of it: neither the call, nor its result, nor what only the view was sent.
    await page.getByRole('textbox', { name: 'Message' }).fill('And now?');
    await page.keyboard.press('Enter');
    await expect.poll(() => prompts.length).toBe(3);
    expect(prompts[2]?.messages).not.toMatch(/shipped|edition/);
    expect(problems.filter((problem) => !ofTheView.test(problem))).toEqual([]);
  },
);

test(
  'tools of an app alone are hidden from models, and tools of models alone from the view; a resource is read behind a card',
  { timeout: 60_000 },
  async () => {
    const { page, prompts } = await openShop([show, { text: 'Here.' }], { list_states: 'reads' });
    expect(prompts[0]?.tools).toContain('change_order');
    expect(prompts[0]?.tools).toContain('audit_orders');
    expect(prompts[0]?.tools).not.toContain('list_states');
    await agreeTo(page);
    const board = await boardOf(page);
    expect(await asked(board, 'tools/call', { name: 'audit_orders', arguments: {} })).toEqual({ refused: 'This tool is not for views.' });
    expect(await asked(board, 'tools/call', { name: 'nothing', arguments: {} })).toEqual({
      refused: 'This server has no tool of that name that is in use here.',
    });
    const states = asked(board, 'tools/call', { name: 'list_states', arguments: {} });
    await cardOf(page).getByRole('button', { name: 'Allow once' }).click();
    expect(await states).toMatchObject({ structuredContent: { states: ['packed', 'shipped'] } });
    const terms = asked(board, 'resources/read', { uri: 'orders://terms' });
    await cardOf(page).getByRole('button', { name: 'Allow once' }).click();
    expect(await terms).toEqual({ contents: [{ uri: 'orders://terms', mimeType: 'text/plain', text: 'Paid within 30 days.' }] });
    expect(await asked(board, 'sampling/createMessage', {})).toEqual({ refused: 'There is no such method here.' });
    expect(await asked(board, 'ui/request-display-mode', { mode: 'fullscreen' })).toEqual({ mode: 'inline' });
    expect(await asked(board, 'ping', {})).toEqual({});
  },
);

test(
  'words of a view stand beside the message as the server’s, are sent with it or taken off, and never by themselves',
  { timeout: 60_000 },
  async () => {
    const { page, prompts, answer, test: host } = await openShop([show, { text: 'One.' }]);
    answer([{ text: 'Two.' }]);
    await agreeTo(page);
    const board = await boardOf(page);
    const context = (text: string) => asked(board, 'ui/update-model-context', { content: [{ type: 'text', text }] });
    await context('The person looks at page 1.');
    const chips = page.getByRole('list', { name: 'From views' }).getByRole('listitem');
    // What he has opened is what would be sent, though the view says something else meanwhile.
    await chips.getByRole('button').first().click();
    await chips.getByText('page 1').waitFor();
    await context('The person looks at page 2.');
    await chips.getByText('page 2').waitFor();
    await expect.poll(() => chips.getByText('page 1').count()).toBe(0);
    await press(page, board, '#ask');
    await expect.poll(() => chips.count()).toBe(2);
    expect(await asked(board, 'ui/message', { role: 'user', content: { type: 'text', text: 'again' } })).toEqual({ isError: true });
    expect(prompts).toHaveLength(2);
    await chips.filter({ hasText: 'Message of a view' }).getByRole('button').first().click();
    await page.getByText('When does this order arrive?').waitFor();
    await shoot(page, 'words');
    await page.getByRole('button', { name: 'Send', exact: true }).click();
    await expect.poll(() => prompts.length).toBe(3);
    expect(prompts[2]?.messages).toContain('When does this order arrive?');
    expect(prompts[2]?.messages).toContain('page 2');
    expect(prompts[2]?.messages).not.toContain('page 1');
    const [{ id } = { id: '' }] = (await host.run('conversation.list', {})).conversations;
    const { messages } = await host.run('conversation.open', { conversationId: id as never });
    const said = messages.at(-2)?.parts.map(({ kind, labels }) => [kind, labels.source.kind, labels.untrusted, labels.private]);
    expect(said).toEqual([
      ['prompt', 'prompt', true, true],
      ['attachment', 'resource', true, true],
    ]);

    await page.getByText('Two.', { exact: true }).waitFor();
    answer([{ text: 'Three.' }]);
    await context('The person looks at page 3.');
    await chips.getByRole('button', { name: /^Take off/ }).click();
    await page.getByRole('textbox', { name: 'Message' }).fill('Go on');
    await page.keyboard.press('Enter');
    await expect.poll(() => prompts.length).toBe(4);
    expect(prompts[3]?.messages).not.toContain('page 3');
  },
);

test(
  'row 78: a view says that it is endless, no number, or a thousand million high, or 400 wide: the frame stays within bounds, and as wide as the column',
  { timeout: 60_000 },
  async () => {
    const { page } = await openShop();
    await agreeTo(page);
    const board = await boardOf(page);
    const place = page.locator('[data-view=shown] iframe');
    const size = async () => (await place.boundingBox()) ?? { width: 0, height: 0 };
    const say = (params: object) =>
      board.evaluate((values) => (globalThis as unknown as Board).tell('ui/notifications/size-changed', values), params);
    const height = async () => (await size()).height;
    await say({ height: 300 });
    await expect.poll(height).toBe(300);
    for (const wrong of [Infinity, NaN, -Infinity, '9', undefined]) await say({ height: wrong });
    await say({ height: 301 });
    await expect.poll(height).toBe(301);
    await say({ height: 1e9 });
    await expect.poll(height).toBe(640);
    await say({ height: -5 });
    await expect.poll(height).toBe(40);
    const { width } = await size();
    await say({ width: 400, height: 200 });
    await expect.poll(height).toBe(200);
    expect((await size()).width).toBe(width);
    await page.setViewportSize({ width: 500, height: 860 });
    await expect.poll(async () => (await size()).width).toBeLessThan(width);
    await expect
      .poll(() => board.evaluate(() => (globalThis as unknown as Board).context['containerDimensions']))
      .toEqual({ width: Math.round((await size()).width), maxHeight: 640 });
    await page.setViewportSize({ width: 1280, height: 860 });
    await expect.poll(async () => (await size()).width).toBe(width);
  },
);

test(
  'a view reaches neither the window nor the web, is forged by nobody, and says goodbye before it goes',
  { timeout: 60_000 },
  async () => {
    const { page, heard } = await openShop();
    await agreeTo(page);
    const board = await boardOf(page);
    const tried = await board.evaluate(() => {
      const attempt = (run: () => unknown) => {
        try {
          return typeof run();
        } catch {
          return 'refused';
        }
      };
      return {
        window: attempt(() => top?.document.body),
        around: attempt(() => parent.document.body),
        storage: attempt(() => localStorage.length),
        cookies: attempt(() => document.cookie),
        elsewhere: attempt(() => {
          if (top) top.location.href = 'https://evil.example';
        }),
        opened: window.open('https://evil.example') === null,
        origin: self.origin,
        peers: typeof (globalThis as { RTCPeerConnection?: unknown }).RTCPeerConnection,
      };
    });
    expect(tried).toEqual({
      window: 'refused',
      around: 'refused',
      storage: 'refused',
      cookies: 'refused',
      elsewhere: 'refused',
      opened: true,
      origin: 'null',
      peers: 'undefined',
    });

    // The window itself, and a frame of somebody else, speak as the view would: nobody hears them.
    const forged = {
      jsonrpc: '2.0',
      id: 99,
      method: 'tools/call',
      params: { name: 'change_order', arguments: { id: 'A7', state: 'lost' } },
    };
    await page.evaluate((message) => window.postMessage(message, '*'), forged);
    const around = page.frames().find((frame) => /\/frame\//.test(frame.url()));
    await around?.evaluate((message) => window.postMessage(message, '*'), forged);
    await asked(board, 'ping', {});
    expect(await cardOf(page).count()).toBe(0);
    expect(heard().some(({ params }) => params?.['name'] === 'change_order')).toBe(false);

    // It takes no keys from whoever writes.
    const message = page.getByRole('textbox', { name: 'Message' });
    await message.click();
    await board.evaluate(
      () =>
        new Promise((lost) => {
          window.addEventListener('blur', lost, { once: true });
          document.querySelector('button')?.focus();
          window.focus();
        }),
    );
    await expect.poll(() => message.evaluate((field) => field === document.activeElement)).toBe(true);
    await page.keyboard.type('secret');
    expect(await message.inputValue()).toBe('secret');
    await press(page, board, '#ask');
    await expect.poll(() => page.evaluate(() => document.activeElement?.tagName)).toBe('IFRAME');
    await page.getByRole('button', { name: 'Take off Message of a view' }).click();

    // It is given out once: whoever loads it again, or asks from outside, gets nothing.
    const again = await fetch(board.url());
    expect([again.status, await again.text()]).toEqual([404, 'There is no such view.\n']);

    await page.getByRole('button', { name: 'Text only' }).click();
    await expect
      .poll(() => board.evaluate(() => (globalThis as unknown as Board).heard.at(-1)?.method).catch(() => 'gone'))
      .toMatch(/^(ui\/resource-teardown|gone)$/);
    await expect.poll(() => page.frames().length).toBe(1);
  },
);

test('a link is opened by the person alone, and a view of a server that is switched off is text', { timeout: 60_000 }, async () => {
  const { page, test: host, opened } = await openShop();
  await agreeTo(page);
  const board = await boardOf(page);
  const opens = asked(board, 'ui/open-link', { url: 'https://shop.example/terms' });
  await page.getByText('The view wants to open shop.example').waitFor();
  expect(await asked(board, 'ui/open-link', { url: 'https://evil.example/' })).toEqual({ isError: true });
  await page.getByRole('button', { name: 'Do not open' }).click();
  expect(await opens).toEqual({ isError: true });
  const again = asked(board, 'ui/open-link', { url: 'https://shop.example/terms' });
  await page.getByRole('button', { name: 'Open', exact: true }).click();
  expect(await again).toEqual({});
  await expect.poll(() => opened).toEqual(['https://shop.example/terms']);
  expect(await asked(board, 'ui/open-link', { url: 'javascript:alert(1)' })).toEqual({ isError: true });

  const [server] = (await host.run('server.list', {})).servers;
  if (!server) throw new Error('The shop is not there.');
  expect(server.views).toEqual(['show_order']);
  await host.run('server.setClientFeatures', { serverId: server.id, showsViews: false });
  await expect.poll(() => page.locator('[data-view]').count()).toBe(0);
  expect((await host.run('server.list', {})).servers[0]?.views).toBeUndefined();
});

test('in both themes and narrow, a view has the colours and the room of the window', { timeout: 60_000 }, async () => {
  const { page } = await openShop();
  await agreeTo(page);
  const board = await boardOf(page);
  await shoot(page, 'light');
  await page.emulateMedia({ colorScheme: 'dark' });
  await expect.poll(() => board.evaluate(() => document.documentElement.dataset['theme'])).toBe('dark');
  await shoot(page, 'dark');
  await page.setViewportSize({ width: 420, height: 860 });
  await shoot(page, 'narrow');
  await page.locator('[data-view=shown]').getByRole('button', { name: 'Reaches nothing' }).click();
  await shoot(page, 'narrow-details');
  expect(await axeProblems(page, 'views')).toEqual([]);
});

import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { launchBrowser } from '../doubles/browser.ts';
import { startProviderServer } from '../doubles/providerServer.ts';
import { builtPage } from './builtPage.ts';
import { openRealWindow } from './realWindow.ts';

const everything = fileURLToPath(import.meta.resolve('@modelcontextprotocol/server-everything/dist/index.js'));

let browser: Browser;
let rendererDir: string;
beforeAll(async () => {
  [browser, rendererDir] = await Promise.all([launchBrowser(), builtPage('renderer')]);
}, 120_000);
afterAll(() => browser.close());

const openServers = async (page: Page) => {
  await page.keyboard.press('ControlOrMeta+,');
  await page
    .getByRole('navigation', { name: 'Settings' })
    .getByRole('button', { name: /^Servers/ })
    .click();
};
const tab = (page: Page, name: string) => page.getByRole('tab', { name: new RegExp(`^${name}`) });

describe('a server of one’s own', () => {
  test('is added by form, shows its exact command, and starts only after the agreement', async () => {
    const { page, test, problems } = await openRealWindow(browser, rendererDir);
    await openServers(page);
    await page.getByRole('button', { name: 'Add server' }).click();
    await page.getByRole('textbox', { name: 'Name', exact: true }).fill('try out');
    await page.getByLabel('Command', { exact: true }).fill(process.execPath);
    await page.getByLabel('Arguments', { exact: true }).fill(`${everything}\nstdio\n--note=two  words\u200b`);
    await page.getByRole('button', { name: 'Add variable' }).click();
    await page.getByLabel('Name of variable 1').fill('TRY_TOKEN');
    await page.getByLabel('Value of variable 1').fill('hidden-value-1');
    expect(await page.getByLabel('Secret', { exact: true }).isChecked()).toBe(true);
    await page.locator('form:visible').getByRole('button', { name: 'Add server' }).click();

    await page.getByRole('heading', { name: 'Start “try out”?' }).waitFor();
    const facts = page.locator('dl');
    expect(await facts.locator('ol code').allInnerTexts()).toEqual([everything, 'stdio', '--note=two  wordsU+200B']);
    expect(await facts.innerText()).toContain('TRY_TOKEN');
    await page.getByText('It holds 1 hidden character').waitFor();
    // S42: what a start means is said, and Enter agrees to nothing.
    await page.getByText(/^This runs a program with your rights/).waitFor();
    await page.keyboard.press('Enter');
    const { servers } = await test.run('server.list', {});
    expect(servers.map(({ status }) => status.state)).toEqual(['off']);

    await page.getByRole('button', { name: 'Start this program' }).click();
    await page
      .getByText(/^Ready since/)
      .or(page.getByText(/· Ready since/))
      .first()
      .waitFor();
    const echo = page.getByRole('button', { name: /^echo/ });
    await echo.waitFor();
    expect(await echo.innerText()).toContain('Not reviewed');
    await echo.click();
    await page.getByRole('checkbox', { name: /^Reads/ }).check();
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await echo.getByText('Reads').waitFor();
    const [server] = servers;
    if (server === undefined) throw new Error('No server.');
    const { details } = await test.run('server.details', { serverId: server.id });
    expect(details.tools.find(({ name }) => name === 'echo')?.effects).toEqual({ set: ['reads'], source: 'user' });

    await tab(page, 'Configuration').click();
    await page.getByText('is set', { exact: true }).waitFor();
    expect(await page.getByLabel('Entry as JSON').inputValue()).toContain('${secret:TRY_TOKEN}');
    expect(await page.content()).not.toContain('hidden-value-1');
    expect(readFileSync(path.join(test.dataDir, 'servers.json'), 'utf8')).not.toContain('hidden-value-1');

    await page.getByRole('button', { name: 'Rename' }).click();
    await page.getByRole('dialog').getByLabel('Name').fill('renamed');
    await page.getByRole('dialog').getByRole('button', { name: 'Rename' }).click();
    await page.getByRole('heading', { name: 'renamed' }).waitFor();
    await page.getByRole('button', { name: 'Remove', exact: true }).first().click();
    expect(await page.getByRole('dialog').innerText()).toContain('its stored secrets, its permissions');
    await page.getByRole('button', { name: 'Remove server' }).click();
    await page.getByText('No servers yet').waitFor();
    expect((await test.run('server.list', {})).servers).toEqual([]);
    expect(problems).toEqual([]);
  });

  test('that changes while it is read is marked, and what is agreed to is what is shown last', async () => {
    const { page, test } = await openRealWindow(browser, rendererDir);
    const { server } = await test.run('server.add', { name: 'moving', config: { command: process.execPath, args: [everything, 'stdio'] } });
    await openServers(page);
    await page.getByRole('button', { name: 'Review', exact: true }).click();
    await page.getByRole('heading', { name: 'Start “moving”?' }).waitFor();
    await test.run('server.update', {
      serverId: server.id,
      configJson: JSON.stringify({ command: process.execPath, args: [everything, 'stdio', '--added'] }),
    });
    await page.getByText('This has changed since you opened the page.').waitFor();
    expect(
      await page
        .locator('dl > div', { has: page.getByText('changed', { exact: true }) })
        .locator('dt')
        .allInnerTexts(),
    ).toEqual([expect.stringContaining('Arguments')]);
    await page.getByRole('button', { name: 'Start this program' }).click();
    await test.serversReady();
  });

  test('is not started by “Don’t start”', async () => {
    const { page, test } = await openRealWindow(browser, rendererDir);
    await test.run('server.add', { name: 'refused', config: { command: process.execPath, args: [everything, 'stdio'] } });
    await openServers(page);
    await page.getByRole('button', { name: 'Review', exact: true }).click();
    await page.getByRole('button', { name: 'Don’t start' }).click();
    await page.getByRole('heading', { name: 'Servers', exact: true }).waitFor();
    const { servers } = await test.run('server.list', {});
    expect(servers.map(({ status }) => status.state)).toEqual(['off']);
  });

  test('that ends at once shows what it wrote last, and can be started again', async () => {
    const script = fileURLToPath(new URL('../servers/exitsAtStart.ts', import.meta.url));
    const { page, test } = await openRealWindow(browser, rendererDir);
    await test.run('server.add', { name: 'short', config: { command: process.execPath, args: [script] } });
    await openServers(page);
    await page.getByRole('button', { name: 'Review', exact: true }).click();
    await page.getByRole('button', { name: 'Start this program' }).click();
    const output = page.getByLabel('The last it wrote');
    await output.waitFor();
    expect(await output.innerText()).toContain('DATABASE_URL is not set');
    await page.getByRole('button', { name: 'Servers', exact: true }).last().click();
    await page.getByRole('listitem').getByRole('button', { name: 'Restart' }).waitFor();
  });
});

describe('a pasted configuration', () => {
  test('that cannot be parsed is told by line and column and stays as it was typed', async () => {
    const { page } = await openRealWindow(browser, rendererDir);
    await openServers(page);
    await page.getByRole('button', { name: 'Add server' }).click();
    await page.getByRole('radio', { name: 'Paste JSON' }).click();
    const text = '{\n  "mcpServers": {\n    "a": { "command": }\n  }\n}';
    await page.getByLabel('Configuration as JSON').fill(text);
    await page.getByRole('button', { name: 'Read', exact: true }).click();
    await page.getByRole('alert').getByText('line 3, column 23').waitFor();
    await page.getByRole('button', { name: 'Go to the place' }).click();
    const area = page.getByLabel('Configuration as JSON');
    await expect
      .poll(() => area.evaluate((field: HTMLTextAreaElement) => field.value.slice(field.selectionStart, field.selectionEnd)))
      .toBe('}');
    expect(await area.inputValue()).toBe(text);
  });

  test('adds only what stays ticked, and nothing before that', async () => {
    const { page, test } = await openRealWindow(browser, rendererDir);
    await openServers(page);
    await page.getByRole('button', { name: 'Add server' }).click();
    await page.getByRole('radio', { name: 'Paste JSON' }).click();
    await page
      .getByLabel('Configuration as JSON')
      .fill('{"mcpServers":{"one":{"command":"first","args":["a b"]},"two":{"url":"https://two.example/mcp"},"three":{}}}');
    await page.getByRole('button', { name: 'Read', exact: true }).click();
    const found = page.getByRole('status').filter({ hasText: '3 servers found' });
    await expect.poll(() => found.evaluate((element) => element === document.activeElement)).toBe(true);
    // What was found, and the button that adds it, are seen without scrolling.
    const add = await page.getByRole('button', { name: 'Add 2 servers' }).boundingBox();
    expect(add !== null && add.y + add.height < 860).toBe(true);
    expect((await test.run('server.list', {})).servers).toEqual([]);
    expect(await page.getByRole('checkbox', { name: 'three' }).isDisabled()).toBe(true);
    await page.getByRole('checkbox', { name: 'two' }).uncheck();
    await page.getByRole('button', { name: 'Add 1 server' }).click();
    await page.getByRole('heading', { name: 'Start “one”?' }).waitFor();
    expect((await test.run('server.list', {})).servers.map(({ name }) => name)).toEqual(['one']);
  });
});

test('Files is added with a folder picked by keyboard alone', async () => {
  const { page, test, home } = await openRealWindow(browser, rendererDir, {
    prepare(_, homeDir) {
      for (const name of ['Documents', 'Downloads', 'Music']) mkdirSync(path.join(homeDir, name));
      mkdirSync(path.join(homeDir, 'Downloads', '照片'));
    },
  });
  await openServers(page);
  await page.getByRole('button', { name: 'Add server' }).click();
  await page.getByRole('button', { name: 'Pick folders' }).focus();
  await page.keyboard.press('Enter');
  await page.getByRole('listbox').waitFor();
  await page.keyboard.type('dow');
  await page.keyboard.press('Enter');
  await page.getByRole('option', { name: '照片' }).waitFor();
  await page.keyboard.press('Backspace');
  await page.getByRole('option', { name: 'Downloads', selected: true }).waitFor();
  await page.keyboard.press('Enter');
  await page.getByRole('option', { name: '照片' }).waitFor();
  await page.getByRole('button', { name: 'Choose “Downloads”' }).focus();
  await page.keyboard.press('Enter');
  await page.getByText(path.join(home, 'Downloads')).waitFor();
  await page.getByRole('button', { name: 'Add Files' }).focus();
  await page.keyboard.press('Enter');
  await page
    .getByRole('button', { name: /^list_directory/ })
    .first()
    .waitFor();
  const { servers } = await test.run('server.list', {});
  expect(servers.map(({ folders }) => folders?.map((folder) => folder.path))).toEqual([[path.join(home, 'Downloads')]]);
});

test('a file of servers that cannot be read stays as it is until it is mended', async () => {
  const broken = '{\n  "mcpServers": {\n    "a": { "command": "x" \n';
  const { page, test } = await openRealWindow(browser, rendererDir, {
    prepare: (dataDir) => writeFileSync(path.join(dataDir, 'servers.json'), broken),
  });
  await openServers(page);
  const alert = page.getByRole('alert');
  await alert.getByText('The file of your servers cannot be read').waitFor();
  expect(await alert.innerText()).toMatch(/servers\.json · line \d+, column \d+/);
  expect(await page.getByRole('button', { name: 'Add server' }).isDisabled()).toBe(true);
  expect(readFileSync(path.join(test.dataDir, 'servers.json'), 'utf8')).toBe(broken);
  writeFileSync(path.join(test.dataDir, 'servers.json'), '{ "mcpServers": { "a": { "command": "x" } } }');
  await page.getByRole('button', { name: 'Read again' }).click();
  await page.getByRole('button', { name: 'Details of a' }).waitFor();
  await alert.waitFor({ state: 'detached' });
});

test('a key goes in, its models are listed and can be chosen, and the key never comes back', async () => {
  const provider = await startProviderServer();
  provider.lists['/v1/models'] = {
    data: [{ id: 'claude-test', display_name: 'Claude Test', type: 'model', created_at: '2026-01-01T00:00:00Z' }],
  };
  const { page, test } = await openRealWindow(browser, rendererDir, {
    endpoints: { local: [], providers: { anthropic: `${provider.url}/v1` } },
  });
  try {
    await page.keyboard.press('ControlOrMeta+,');
    await page.getByRole('navigation', { name: 'Settings' }).getByRole('button', { name: 'Models' }).click();
    await page.getByRole('button', { name: 'Add key: Anthropic' }).click();
    await page.getByLabel('Key for Anthropic').fill('sk-secret-key');
    await page.getByRole('button', { name: 'Save key' }).click();
    await page.getByText('Key is set').waitFor();
    expect(await page.content()).not.toContain('sk-secret-key');
    await page.getByRole('button', { name: /^Model of a new chat/ }).click();
    await page.getByPlaceholder('Find a model').fill('claude');
    await page.getByRole('option', { name: 'Claude Test' }).click();
    await page.getByRole('button', { name: 'Model of a new chat: Claude Test' }).waitFor();
    expect((await test.run('app.open', {})).settings.defaultModel).toBe('anthropic/claude-test');
    await page.getByRole('button', { name: 'Remove key: Anthropic' }).click();
    await page.getByRole('button', { name: 'Add key: Anthropic' }).waitFor();
  } finally {
    await provider.close();
  }
});

test('a wrong number stays in its field with the reason, a right one holds at once, and Escape goes back to the chat', async () => {
  const { page, test } = await openRealWindow(browser, rendererDir);
  await page.keyboard.press('ControlOrMeta+,');
  const field = page.getByLabel('Steps in one answer');
  await field.fill('0');
  await field.press('Enter');
  await page.getByText('A whole number from 1 to 200.').waitFor();
  expect(await field.inputValue()).toBe('0');
  await field.fill('30');
  await field.press('Enter');
  await test.until(
    (message) => message.topic === 'settings' && message.event.type === 'settings.changed' && message.event.settings.stepLimit === 30,
  );
  await page.getByRole('radio', { name: 'Dark' }).click();
  await page.locator('html[data-theme=dark]').waitFor();
  await page.keyboard.press('F6');
  await page.keyboard.press('F6');
  await expect.poll(() => page.evaluate(() => document.activeElement?.closest('[data-region]')?.getAttribute('data-region'))).toBe('page');
  await page.keyboard.press('Escape');
  await page.locator('#composer').waitFor();
});

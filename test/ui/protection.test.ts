import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { launchBrowser } from '../doubles/browser.ts';
import { whyNoSandbox } from '../host/sandbox/confined.ts';
import { builtPage } from './builtPage.ts';
import { openRealWindow } from './realWindow.ts';

const program = fileURLToPath(new URL('../servers/runsCommands.ts', import.meta.url));

let browser: Browser;
let rendererDir: string;
beforeAll(async () => {
  [browser, rendererDir] = await Promise.all([launchBrowser(), builtPage('renderer')]);
}, 120_000);
afterAll(() => browser.close());
beforeEach(async ({ skip }) => {
  const reason = await whyNoSandbox('strict');
  if (reason !== undefined) skip(reason);
});

test('a server that needs what protection hides says so, starts without it after another agreement, and is held again by one click', async () => {
  const { page, test: host, home, problems } = await openRealWindow(browser, rendererDir, { sandbox: 'detect' });
  const needed = path.join(home, '.config', 'app', 'state.json');
  mkdirSync(path.dirname(needed), { recursive: true });
  writeFileSync(needed, '{}');
  await host.run('server.add', {
    name: 'needy',
    config: { command: process.execPath, args: [program], env: { REQUIRES: needed } },
  });
  await page.keyboard.press('ControlOrMeta+,');
  await page
    .getByRole('navigation', { name: 'Settings' })
    .getByRole('button', { name: /^Servers/ })
    .click();
  await page
    .getByRole('listitem')
    .getByText(/· Protected$/)
    .waitFor();

  await page.getByRole('button', { name: 'Review', exact: true }).click();
  await page.getByText('held to what stands below under Protection').waitFor();
  await page.getByText('Its own cache and temporary files only').waitFor();
  await page.getByRole('button', { name: 'Start this program' }).click();
  await page.getByText(/was held to Protected, which may be why/).waitFor();
  expect(await page.getByLabel('The last it wrote').innerText()).toContain(`cannot read ${needed}`);

  await page.getByRole('button', { name: 'Start without protection…' }).click();
  await page.getByText('Nothing holds it: it can read, change and send whatever you can.').waitFor();
  const { servers } = await host.run('server.list', {});
  expect(servers.map(({ status }) => status.state)).toEqual(['off']);
  await page.getByRole('button', { name: 'Start this program' }).click();
  await host.serversReady();

  await page.getByRole('tab', { name: 'Configuration' }).click();
  await page.getByRole('radio', { name: 'Strict' }).click();
  const hosts = page.getByLabel('Hosts it may reach');
  await hosts.fill('a b\n');
  await page.getByRole('button', { name: 'Save hosts' }).click();
  await page.getByText('"a b" is no host that could be allowed').waitFor();
  await hosts.fill('api.example.com\n*.example.org:443\n');
  await page.getByRole('button', { name: 'Save hosts' }).click();
  await page.getByRole('button', { name: 'Save hosts' }).waitFor({ state: 'detached' });
  const written = JSON.parse(readFileSync(path.join(host.dataDir, 'servers.json'), 'utf8'));
  expect(written.mcpServers.needy).toMatchObject({ sandbox: 'strict', network: ['api.example.com', '*.example.org:443'] });
  expect(problems).toEqual([]);
});

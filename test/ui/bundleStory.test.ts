/** A bundle in a real window: chosen, looked at, filled in, agreed to, used; and a newer version of it dropped onto the window. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { launchBrowser } from '../doubles/browser.ts';
import { about, aboutBundle } from '../doubles/bundleHost.ts';
import { builtPage } from './builtPage.ts';
import { axeProblems, openSettings, useTools } from './driveApp.ts';
import { openRealWindow } from './realWindow.ts';

let browser: Browser;
let rendererDir: string;
beforeAll(async () => {
  [browser, rendererDir] = await Promise.all([launchBrowser(), builtPage('renderer')]);
}, 120_000);
afterAll(() => browser.close());

const user_config = {
  folder: { type: 'directory', title: 'Folder with notes', description: 'Where it looks.', required: true },
  api_key: { type: 'string', title: 'API key', description: '', sensitive: true, required: true },
  limit: { type: 'number', title: 'Limit', description: '', max: 50, default: 20 },
  template: { type: 'file', title: 'Template', description: '' },
};
const config = {
  args: ['${__dirname}/server/index.ts', '${user_config.folder}', '--limit=${user_config.limit}'],
  env: { QUIET: '1', KEY_OF_IT: '${user_config.api_key}' },
};
const bundle = (version: string, more: object = {}) =>
  aboutBundle({ display_name: 'Notes of Ada', version, user_config: { ...user_config, ...more } }, config);

/** Drops a file onto the window, as a file manager does. */
const dropOn = (page: Page, name: string, bytes: Buffer): Promise<void> =>
  page.evaluate(
    ([called, base64]) => {
      const transfer = new DataTransfer();
      const content = Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0));
      transfer.items.add(new File([content], called));
      for (const type of ['dragover', 'drop'])
        document.body.dispatchEvent(new DragEvent(type, { dataTransfer: transfer, bubbles: true, cancelable: true }));
    },
    [name, bytes.toString('base64')] as const,
  );

test('a bundle is chosen, refused until it is filled in, agreed to, and starts; a newer one that is dropped on the window keeps what was set', async () => {
  // A file of more than one piece.
  const { page, test: host, home, problems } = await openRealWindow(browser, rendererDir, { reviews: 'wait' });
  await openSettings(page, 'Servers');
  await page.getByRole('button', { name: 'Add server' }).click();
  await page.getByRole('radio', { name: 'Bundle file' }).press('Space');
  await page.locator('input[type=file]').setInputFiles({ name: 'notes.mcpb', mimeType: 'application/zip', buffer: await bundle('1.0.0') });

  await page.getByRole('heading', { name: 'Notes of Ada' }).waitFor();
  await page.getByText('Not signed', { exact: true }).waitFor();
  await page.getByText('Nobody signed this file.', { exact: false }).waitFor();
  await page.getByText('${user_config.folder}').waitFor();
  expect(await axeProblems(page, 'an opened bundle')).toEqual([]);
  expect((await host.run('server.list', {})).servers).toEqual([]);

  await page.getByRole('textbox', { name: 'Limit' }).fill('99');
  await page.getByRole('button', { name: 'Add server' }).press('Enter');
  const key = page.getByLabel('API key (needed)');
  await page.getByText('“API key” is needed.').waitFor();
  await page.getByText('“Limit” must be 50 or less.').waitFor();
  const folder = page.getByRole('textbox', { name: 'Folder with notes (needed)' });
  await expect.poll(() => folder.evaluate((element) => element === document.activeElement)).toBe(true);
  expect(await key.getAttribute('type')).toBe('password');
  await page.getByRole('button', { name: 'Choose a folder…' }).click();
  await page.getByRole('button', { name: `Choose “${path.basename(home)}”` }).click();
  await expect.poll(() => folder.inputValue()).toBe(home);
  // The same list, with the files in it: a folder is gone into, a file is chosen.
  mkdirSync(path.join(home, 'texts'));
  writeFileSync(path.join(home, 'texts', 'template.md'), '');
  await page.getByRole('button', { name: 'Choose a file…' }).click();
  const choose = page.getByRole('button', { name: 'Choose this file' });
  await page.getByRole('option', { name: 'texts' }).waitFor();
  expect(await choose.isDisabled()).toBe(true);
  expect(await axeProblems(page, 'the choice of a file')).toEqual([]);
  await page.keyboard.type('texts');
  await page.keyboard.press('Enter');
  await page.getByRole('option', { name: 'template.md' }).waitFor();
  await expect.poll(() => choose.isEnabled()).toBe(true);
  await page.keyboard.press('Enter');
  expect(await page.getByRole('textbox', { name: 'Template' }).inputValue()).toBe(path.join(home, 'texts', 'template.md'));
  await key.fill('canary-key-of-ada');
  await page.getByRole('textbox', { name: 'Limit' }).fill('7');
  await page.getByRole('button', { name: 'Add server' }).press('Enter');

  // The next page shows what starts, whole; the server does not run yet.
  await page.getByRole('heading', { name: 'Start “Notes of Ada”?' }).waitFor();
  await page.getByText('--limit=7').waitFor();
  await page.getByText(process.execPath, { exact: true }).waitFor();
  expect(await page.content()).not.toContain('canary-key-of-ada');
  const [server] = (await host.run('server.list', {})).servers;
  if (!server) throw new Error('No server.');
  expect(server.status.state).toBe('off');
  const start = page.getByRole('button', { name: 'Start this program' });
  await expect.poll(() => start.isEnabled()).toBe(true);
  await start.press('Enter');
  await useTools(page);
  expect(await about(host, server.id)).toMatchObject({ args: [home, '--limit=7'], env: expect.arrayContaining(['KEY_OF_IT']) });
  expect(readFileSync(path.join(host.dataDir, 'servers.json'), 'utf8')).not.toContain('canary-key-of-ada');

  // A newer one, from a file manager, while another page is open.
  await page.keyboard.press('Escape');
  const more = { place: { type: 'string', title: 'Place', description: '' } };
  await dropOn(page, 'notes-2.mcpb', await bundle('2.0.0', more));
  await page.getByText('“Notes of Ada” is installed in version 1.0.0. This is a newer one: 2.0.0.').waitFor();
  expect(await folder.inputValue()).toBe(home);
  await page.getByText('A value is stored. Leave this empty to keep it.').waitFor();
  await page.getByRole('button', { name: 'Update to 2.0.0' }).click();
  await page.getByRole('heading', { name: 'Start “Notes of Ada”?' }).waitFor();
  await page.getByText('notes 2.0.0').first().waitFor();
  await expect.poll(() => start.isEnabled()).toBe(true);
  await start.click();
  await expect.poll(async () => (await host.run('server.list', {})).servers[0]?.status.state).toBe('ready');
  expect((await host.run('server.list', {})).servers).toMatchObject([{ id: server.id, bundle: { version: '2.0.0' } }]);

  // A setting is changed on its page; what it starts is asked about anew.
  await page.getByRole('tab', { name: 'Configuration' }).click();
  await page.getByRole('textbox', { name: 'Limit' }).fill('8');
  await page.getByRole('button', { name: 'Save settings' }).click();
  await page.getByRole('button', { name: 'Review', exact: true }).click();
  await page.getByText('--limit=8').waitFor();
  expect(problems).toEqual([]);
});

test('a hostile bundle that is dropped on the window is refused in words, and other files do nothing', async () => {
  const { page, problems } = await openRealWindow(browser, rendererDir);
  await dropOn(page, 'picture.png', Buffer.from('no bundle'));
  await expect.poll(() => page.locator('#composer').count()).toBe(1);
  await dropOn(page, 'notes.mcpb', Buffer.alloc(1_500_000, 'x'));
  await page.getByText('It is no ZIP archive, as every bundle is.', { exact: false }).waitFor();
  await page.getByRole('button', { name: 'Choose a file…' }).waitFor();
  expect(await axeProblems(page, 'a refused bundle')).toEqual([]);
  expect(problems).toEqual([]);
});

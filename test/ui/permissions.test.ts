/** The page of rules, over a real host where something is decided. */
import { fileURLToPath } from 'node:url';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { launchBrowser } from '../doubles/browser.ts';
import { builtPage } from './builtPage.ts';
import { type FixturesPage, openFixtures } from './fixturesPage.ts';
import { openRealWindow } from './realWindow.ts';

const everything = fileURLToPath(import.meta.resolve('@modelcontextprotocol/server-everything/dist/index.js'));

let browser: Browser;
let rendererDir: string;
let fixtures: FixturesPage;
beforeAll(async () => {
  [browser, rendererDir, fixtures] = await Promise.all([launchBrowser(), builtPage('renderer'), openFixtures()]);
}, 180_000);
afterAll(() => Promise.all([browser.close(), fixtures.close()]));

const openPermissions = async (page: Page) => {
  await page.keyboard.press('ControlOrMeta+,');
  await page.getByRole('navigation', { name: 'Settings' }).getByRole('button', { name: 'Permissions' }).click();
};
const rows = (page: Page) => page.getByRole('list', { name: 'Permissions' }).getByRole('listitem');
const form = (page: Page) => page.getByRole('form', { name: 'Add a rule' });

test('a rule of one’s own is tried on past calls, refused where no card could give it, saved, shown in words, and removed after a question', async () => {
  const { page, test: host, problems } = await openRealWindow(browser, rendererDir);
  const { server } = await host.run('server.add', { name: 'try', config: { command: process.execPath, args: [everything, 'stdio'] } });
  const needs = server.status.state === 'off' ? server.status.needsConsent : undefined;
  if (needs === undefined) throw new Error('The server needs no agreement.');
  await host.run('server.consent', { serverId: server.id, configHash: needs.configHash, allow: true });
  await host.serversReady();

  await openPermissions(page);
  await page.getByText('You have given no lasting permission.').waitFor();
  await page.getByRole('button', { name: 'Add a rule' }).click();
  await form(page).getByLabel('Tool', { exact: true }).selectOption('echo');
  await form(page).getByRole('radio', { name: 'Allow' }).click();
  await form(page).getByRole('button', { name: 'Save the rule' }).click();
  // Nobody has said what the tool does: the host refuses, the form stays as it is.
  await form(page).getByRole('alert').waitFor();
  expect((await host.run('rule.list', {})).rules).toEqual([]);

  await form(page).getByRole('radio', { name: 'Deny' }).click();
  await form(page).getByRole('button', { name: 'Add a condition' }).click();
  await form(page).getByLabel('Argument', { exact: true }).fill('/message');
  await form(page).getByLabel('Must be', { exact: true }).selectOption('beginning with');
  await form(page).getByLabel('Beginning').fill('secret');
  await form(page).getByRole('button', { name: 'Try it on past calls' }).click();
  await form(page).getByText('It would have decided none of the last 0 calls.').waitFor();
  await form(page).getByRole('button', { name: 'Save the rule' }).click();
  await form(page).waitFor({ state: 'detached' });
  await rows(page).getByText('message: begins with secret').waitFor();
  const { rules } = await host.run('rule.list', {});
  expect(rules).toMatchObject([
    { tool: 'echo', verdict: 'deny', scope: 'always', patterns: [{ at: '/message', match: { kind: 'prefix', value: 'secret' } }] },
  ]);

  await page.getByRole('button', { name: /^Remove the permission for echo/ }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Keep it' }).click();
  expect((await host.run('rule.list', {})).rules.length).toBe(1);
  await page.getByRole('button', { name: /^Remove the permission for echo/ }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click();
  await page.getByText('You have given no lasting permission.').waitFor();
  expect((await host.run('rule.list', {})).rules).toEqual([]);
  expect(problems).toEqual([]);
});

test('rules are found by server, verdict and the words of their conditions', async () => {
  const { page, close } = await fixtures.open('permissions');
  await rows(page).first().waitFor();
  await expect.poll(() => page.getByRole('button', { name: /^Remove the permission/ }).count()).toBe(6);
  await page.getByRole('radio', { name: 'Denied' }).click();
  await expect.poll(() => page.getByRole('button', { name: /^Remove the permission/ }).count()).toBe(2);
  await page.getByRole('radio', { name: 'All', exact: true }).click();
  await page.getByLabel('Server', { exact: true }).selectOption('Files');
  await page.getByLabel('Find a permission').fill('documents notes');
  await expect.poll(() => page.getByRole('button', { name: /^Remove the permission/ }).count()).toBe(1);
  await page.getByText('path: inside /home/ada/Documents/notes').waitFor();
  await page.getByText('until the end of Dec 30, 2026').waitFor();
  await page.getByLabel('Find a permission').fill('elsewhere');
  await page.getByText('No permission has “elsewhere” in it.').waitFor();
  await close();
});

test('a rule of a tool that has changed says that it rests, and leads to what changed; denials never rest', async () => {
  const { page, close } = await fixtures.open('permissions-resting');
  await page.getByText('Rests: the tool has changed since you agreed to it').waitFor();
  await expect.poll(() => page.getByText('Rests:').count()).toBe(1);
  await page.getByRole('button', { name: 'See what changed' }).click();
  await expect
    .poll(() =>
      page
        .getByRole('navigation', { name: 'Settings' })
        .getByRole('button', { name: /^To review/ })
        .getAttribute('aria-current'),
    )
    .toBe('page');
  await close();
});

test('what a rule would have decided is listed with what became of each call, and is marked as old when the rule is changed', async () => {
  const { page, problems, close } = await fixtures.open('permissions');
  await page.getByRole('button', { name: 'Add a rule' }).click();
  await form(page).getByLabel('Server', { exact: true }).selectOption('Acme issues');
  await form(page).getByLabel('Tool', { exact: true }).selectOption('Every tool');
  await form(page).getByRole('button', { name: 'Try it on past calls' }).click();
  await form(page).getByText('It would have denied 3 of the last 1,240 calls:').waitFor();
  expect(await form(page).getByRole('listitem').first().innerText()).toContain('you allowed it');
  await form(page).getByLabel('Tool', { exact: true }).selectOption('list_labels');
  await form(page).getByText('You have changed the rule since it was tried.').waitFor();
  await form(page).getByRole('radio', { name: 'Allow' }).click();
  expect(await form(page).getByLabel('Tool', { exact: true }).locator('option', { hasText: 'Every tool' }).count()).toBe(0);
  expect(problems).toEqual([]);
  await close();
});

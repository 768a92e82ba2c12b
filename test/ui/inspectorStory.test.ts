/**
 * From a call in a chat to the messages behind it, and from there to calls by hand: the web shell as a process of its own, the built
 * page in a real browser, the real Files server.
 */
import path from 'node:path';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { launchBrowser } from '../doubles/browser.ts';
import { allowListing, call, card, chooseInHome, firstRun, log, watchProblems, writeDocuments } from './driveApp.ts';
import { buildBundles, newPerson, startWeb } from './webProcess.ts';

let browser: Browser;
beforeAll(async () => {
  buildBundles();
  browser = await launchBrowser();
}, 120_000);
afterAll(() => browser.close());

test('from a call to its messages, sent again and denied, then tools tried by hand and allowed', { timeout: 120_000 }, async () => {
  const person = newPerson();
  onTestFinished(person.remove);
  const documents = writeDocuments(person.home);
  const web = await startWeb(person);
  onTestFinished(web.kill);
  const context = await browser.newContext({ viewport: { width: 1280, height: 860 }, reducedMotion: 'reduce', locale: 'en' });
  onTestFinished(() => context.close());
  const page = await context.newPage();
  const problems = watchProblems(page);
  await page.goto(web.link);
  await firstRun(page, documents, () => chooseInHome(page, 'Documents'));
  await allowListing(page, documents);

  // From the row of the chat to what came back over the wire.
  const row = log(page).locator('[data-call=succeeded]').first();
  await row.getByRole('button').first().click();
  await row.getByRole('button', { name: 'Show the messages behind this call' }).click();
  const detail = page.getByRole('region', { name: 'One message' });
  await detail.getByText('packing list.txt').first().waitFor();
  await page.getByText('Messages of one call').waitFor();
  const rows = page.getByRole('grid').getByRole('row');
  await expect.poll(() => rows.count()).toBe(3);

  // To its request, and out again: the same gate, with the same card.
  await detail.getByRole('button', { name: 'Show the request' }).click();
  await detail.getByRole('button', { name: 'Edit and send again' }).click();
  await expect.poll(() => page.getByLabel('Request as JSON').inputValue()).toContain(documents);
  await page.getByRole('button', { name: 'Send', exact: true }).click();
  const made = page.getByRole('group', { name: 'The call' });
  await made.getByText('tried by you, on the MCP server').waitFor();
  await page.keyboard.press('ControlOrMeta+j');
  await expect.poll(() => card(page).evaluate((shown) => shown.contains(document.activeElement))).toBe(true);
  await card(page).getByRole('button', { name: 'Deny', exact: true }).click();
  await call(page, 'denied').waitFor();
  await page.getByRole('button', { name: 'Show all messages' }).click();
  await page.getByText('Messages of one call').waitFor({ state: 'detached' });
  const callRequests = page.getByRole('row', { name: /To the server tools\/call/ });
  await expect.poll(() => callRequests.count()).toBe(1);

  // A tool by hand, allowed; the list hears of it while it is open.
  await page.getByRole('tab', { name: /^Tools/ }).click();
  await page.getByRole('button', { name: /^list_allowed_directories/ }).click();
  await page.getByRole('button', { name: 'Try it' }).click();
  await page.getByRole('button', { name: 'Call list_allowed_directories' }).click();
  await card(page).getByRole('button', { name: 'Allow once' }).click();
  await call(page, 'succeeded').waitFor();
  await page.getByRole('tab', { name: 'Trace' }).click();
  await expect.poll(() => callRequests.count()).toBe(2);
  await callRequests.first().click();
  await detail.getByRole('button', { name: 'Show the card' }).click();
  await made.locator('[data-call=succeeded]').waitFor();

  // Another one with what a form of its schema holds.
  await page.getByRole('tab', { name: /^Tools/ }).click();
  await page.getByRole('button', { name: /^read_text_file/ }).click();
  await page.getByRole('button', { name: 'Try it' }).click();
  await page.getByLabel('path *').fill(path.join(documents, 'packing list.txt'));
  await page.getByLabel('head').fill('1');
  await page.getByRole('button', { name: 'Call read_text_file' }).click();
  await card(page)
    .getByText('"head"')
    .or(card(page).getByText('head', { exact: true }))
    .first()
    .waitFor();
  await card(page).getByRole('button', { name: 'Allow once' }).click();
  await call(page, 'succeeded').waitFor();
  await page.getByRole('tab', { name: 'Trace' }).click();
  await expect.poll(() => callRequests.count()).toBe(3);
  await callRequests.first().click();
  await detail.getByText('"head": 1').waitFor();
  await page.getByRole('button', { name: 'Close', exact: true }).click();

  // Reads go out as they are written.
  await page.getByRole('button', { name: 'Send a request' }).click();
  await page.getByRole('button', { name: 'Send', exact: true }).click();
  await detail.getByText('Answer tools/list').waitFor();

  // No chat has come of it.
  await page.keyboard.press('Escape');
  await expect.poll(() => page.getByRole('navigation').getByText('list the files').count()).toBe(1);
  expect(problems).toEqual([]);
});

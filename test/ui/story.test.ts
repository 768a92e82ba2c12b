/**
 * The product as a person meets it: the web shell as a process of its own, the built page in a real browser, the real Files server.
 */
import path from 'node:path';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { launchBrowser } from '../doubles/browser.ts';
import {
  allowListing,
  axeProblems,
  bothCallsAreThere,
  card,
  chooseInHome,
  composer,
  denyReadingByKeys,
  findChat,
  firstRun,
  openSettings,
  watchProblems,
  writeDocuments,
} from './driveApp.ts';
import { buildBundles, isAlive, newPerson, processesBelow, startWeb } from './webProcess.ts';

let browser: Browser;
beforeAll(async () => {
  buildBundles();
  browser = await launchBrowser();
}, 120_000);
afterAll(() => browser.close());

test('from the first run to the second: one call is allowed by mouse, one denied by keys, and both are in the history', async () => {
  const person = newPerson();
  onTestFinished(person.remove);
  const documents = writeDocuments(person.home);
  const first = await startWeb(person);
  onTestFinished(first.kill);
  const context = await browser.newContext({ viewport: { width: 1280, height: 860 }, reducedMotion: 'reduce', locale: 'en' });
  onTestFinished(() => context.close());
  const page = await context.newPage();
  const problems = watchProblems(page);

  await page.goto(first.link);
  await firstRun(page, documents, () => chooseInHome(page, 'Documents'));
  await allowListing(page, documents);
  await denyReadingByKeys(page, path.join(documents, 'packing list.txt'));

  // The address bar holds no key any more; the tab itself is let in again.
  expect(page.url()).not.toContain('token');
  await page.reload();
  await findChat(page, 'list the files');
  await bothCallsAreThere(page);

  await composer(page).fill(`list the files in "${documents}"`);
  await composer(page).press('Enter');
  await card(page).getByRole('button', { name: 'Allow once' }).waitFor();
  const found = await axeProblems(page, 'chat with a card');
  await card(page).getByRole('button', { name: 'Deny', exact: true }).click();
  await card(page).waitFor({ state: 'detached' });
  await openSettings(page, 'Servers');
  await page.getByText(/Ready since/).waitFor();
  found.push(...(await axeProblems(page, 'servers')));
  expect(found).toEqual([]);

  const below = await processesBelow(first.child.pid);
  expect(below.map(({ command }) => command).join('\n')).toContain('server-filesystem');
  expect(await first.stop()).toBe(0);
  expect(below.filter(({ pid }) => isAlive(pid))).toEqual([]);
  expect(problems.filter((problem) => !/WebSocket/.test(problem))).toEqual([]);
  await page.close();

  const second = await startWeb(person);
  onTestFinished(second.kill);
  const again = await context.newPage();
  const problemsAgain = watchProblems(again);
  await again.goto(second.link);
  await findChat(again, 'packing');
  await bothCallsAreThere(again);
  expect(await axeProblems(again, 'history')).toEqual([]);
  expect(await second.stop()).toBe(0);
  expect(problemsAgain.filter((problem) => !/WebSocket/.test(problem))).toEqual([]);
}, 240_000);

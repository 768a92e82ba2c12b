/** The same story through the unmodified bundles of the Electron shell and its preload, on the Electron double. */
import path from 'node:path';
import { beforeAll, expect, onTestFinished, test } from 'vitest';
import { launchApp, type RunningApp } from '../doubles/electron/launch.ts';
import { allowListing, bothCallsAreThere, denyReadingByKeys, findChat, firstRun, watchProblems, writeDocuments } from './driveApp.ts';
import { buildBundles, isAlive, newPerson, processesBelow } from './webProcess.ts';

beforeAll(() => buildBundles(), 120_000);

async function start(dataDir: string): Promise<RunningApp> {
  const app = await launchApp({ dataDir });
  onTestFinished(async () => void (await app.close()));
  return app;
}

test('from the first run to the second, in the desktop window: one call is allowed, one denied by keys, both are in the history', async () => {
  const person = newPerson();
  onTestFinished(person.remove);
  const documents = writeDocuments(person.home);

  const first = await start(person.dataDir);
  // The folder is picked in the dialog of the system, which a test can only answer.
  await first.evaluate(
    `({ dialog }, folder) => { dialog.showOpenDialog = async () => ({ canceled: false, filePaths: [folder] }); }`,
    documents,
  );
  const page = await first.firstWindow();
  const problems = watchProblems(page);
  await page.emulateMedia({ reducedMotion: 'reduce' });
  await firstRun(page, documents, async () => undefined);
  await allowListing(page, documents);
  await denyReadingByKeys(page, path.join(documents, 'packing list.txt'));
  await page.reload();
  await findChat(page, 'list the files');
  await bothCallsAreThere(page);
  expect(problems).toEqual([]);

  // The browser that plays the windows runs below the application too; it is no part of it.
  const below = (await processesBelow(first.process.pid)).filter(({ command }) => !command.includes('--user-data-dir='));
  expect(below.some(({ command }) => command.includes('utilityShim'))).toBe(true);
  expect(await first.close()).toBe(0);
  expect(below.filter(({ pid }) => isAlive(pid))).toEqual([]);

  const second = await start(person.dataDir);
  const again = await second.firstWindow();
  const problemsAgain = watchProblems(again);
  await findChat(again, 'packing');
  await bothCallsAreThere(again);
  expect(problemsAgain).toEqual([]);
  expect(await second.close()).toBe(0);
}, 240_000);

import { readFile } from 'node:fs/promises';
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { type State, testStates, useFixtures } from './stateTests.ts';

const fixtures = useFixtures();

const list = (page: Page) => page.getByRole('list', { name: 'Activity' });
const rows = (page: Page) => list(page).getByRole('listitem');
const check = (page: Page) => page.getByRole('button', { name: 'Check the log' }).click();

const states: State[] = [
  ['the rows', 'audit', async () => undefined, (page) => rows(page).first().waitFor()],
  ['nothing yet', 'audit-empty', async () => undefined, (page) => page.getByText('Nothing has happened yet').waitFor()],
  ['found whole', 'audit', check, (page) => page.getByText('Nothing was removed or changed. All 18 rows were checked.').waitFor()],
  ['a changed row', 'audit-changed', check, (page) => page.getByText('Row 132 was changed.').waitFor()],
  ['without a keychain', 'audit-no-keychain', check, (page) => page.getByText('There is no keychain that answers.').waitFor()],
];

const looks = [
  { theme: 'light', width: 1280, height: 1000 },
  { theme: 'dark', width: 1280, height: 1000 },
  { theme: 'light', width: 520, height: 1000 },
] as const;

testStates(fixtures, 'the activity log is readable and sound for assistive technology', 'audit-', looks, states);

test('each row is a sentence; names of servers show their hidden characters, and a chat that is still there is one click away', async () => {
  const { page, close } = await fixtures().open('audit', { height: 1400 });
  await expect.poll(() => rows(page).count()).toBe(18);
  const texts = await rows(page).allInnerTexts();
  expect(texts.join('\n')).toContain('You allowed send_mail of Mail once');
  expect(texts.join('\n')).toContain('delete_mail of Mail was denied by a rule of yours');
  expect(texts.join('\n')).toContain('was denied: set by your organisation');
  expect(texts.join('\n')).toContain('You said what search_mail of Mail does: reads, sends out');
  expect(texts.join('\n')).toContain('A permission was added for everything that Mail can only read');
  expect(texts.find((text) => text.includes('You denied send_'))).toContain('U+200B');
  await rows(page)
    .filter({ hasText: 'You allowed send_mail' })
    .getByRole('button', { name: 'Show the chat “Owls of the northern forest”' })
    .click();
  await page.getByRole('main', { name: 'Activity log' }).waitFor({ state: 'detached' });
  await close();
}, 60_000);

test('the list is narrowed by what, by decision and by words, by keyboard alone', async () => {
  const { page, close } = await fixtures().open('audit', { height: 1400 });
  await rows(page).first().waitFor();
  await page.getByLabel('Decision').focus();
  await page.keyboard.press('End');
  await expect.poll(() => rows(page).count()).toBe(3);
  await page.getByLabel('What', { exact: true }).selectOption('Permissions');
  await page.getByText('No row fits.').waitFor();
  await page.getByLabel('What', { exact: true }).selectOption('Everything');
  await page.getByLabel('Find a server or a tool').fill('delete');
  await expect.poll(() => rows(page).count()).toBe(1);
  await close();
}, 60_000);

test('the rows are saved as a file of JSON lines by the window itself', async () => {
  const { page, close, problems } = await fixtures().open('audit');
  await rows(page).first().waitFor();
  const download = page.waitForEvent('download');
  await page.getByRole('button', { name: 'Save as a file' }).click();
  const file = await download;
  expect(file.suggestedFilename()).toMatch(/^maitre-activity-\d{4}-\d\d-\d\d\.jsonl$/);
  const lines = (await readFile(await file.path(), 'utf8')).trimEnd().split('\n');
  expect(lines.map((line) => (JSON.parse(line) as { seq: number }).seq)).toHaveLength(18);
  await page.getByText('18 rows were saved.').waitFor();
  expect(problems).toEqual([]);
  await close();
}, 60_000);

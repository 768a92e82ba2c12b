import { readFile } from 'node:fs/promises';
import { AxeBuilder } from '@axe-core/playwright';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type FixturesPage, openFixtures } from './fixturesPage.ts';

let fixtures: FixturesPage;
beforeAll(async () => {
  fixtures = await openFixtures();
}, 120_000);
afterAll(() => fixtures.close());

const list = (page: Page) => page.getByRole('list', { name: 'Activity' });
const rows = (page: Page) => list(page).getByRole('listitem');
const check = (page: Page) => page.getByRole('button', { name: 'Check the log' }).click();

/** States of the page: name, fixture, what is done, what is there then. */
const states: [string, string, (page: Page) => Promise<unknown>, (page: Page) => Promise<unknown>][] = [
  ['the rows', 'audit', async () => undefined, (page) => rows(page).first().waitFor()],
  ['nothing yet', 'audit-empty', async () => undefined, (page) => page.getByText('Nothing has happened yet').waitFor()],
  ['found whole', 'audit', check, (page) => page.getByText('Nothing was removed or changed. All 18 rows were checked.').waitFor()],
  ['a changed row', 'audit-changed', check, (page) => page.getByText('Row 132 was changed.').waitFor()],
  ['without a keychain', 'audit-no-keychain', check, (page) => page.getByText('There is no keychain that answers.').waitFor()],
];

const whole = process.env['MAITRE_SCREENSHOTS'] === 'all';
const looks = [
  { theme: 'light', width: 1280 },
  { theme: 'dark', width: 1280 },
  { theme: 'light', width: 520 },
] as const;

test.each(states.map((state, index) => [...state, index] as const))(
  'the activity log is readable and sound for assistive technology: %s',
  async (name, fixture, act, arrive, index) => {
    for (const look of whole ? looks : looks.filter((_, each) => each === index % looks.length)) {
      const { page, problems, close } = await fixtures.open(fixture, { ...look, height: 1000 });
      await act(page);
      await arrive(page);
      const { violations } = await new AxeBuilder({ page }).analyze();
      expect(violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html.slice(0, 200)).join(' | ')}`)).toEqual([]);
      expect(problems).toEqual([]);
      expect(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth)).toBe(true);
      await fixtures.shoot(page, `audit-${name.replaceAll(' ', '-')}-${look.theme}-${look.width}`);
      await close();
    }
  },
  120_000,
);

test('each row is a sentence; names of servers show their hidden characters, and a chat that is still there is one click away', async () => {
  const { page, close } = await fixtures.open('audit', { height: 1400 });
  await rows(page).first().waitFor();
  const texts = await rows(page).allInnerTexts();
  expect(texts).toHaveLength(18);
  expect(texts.join('\n')).toContain('You allowed send_mail of Mail once');
  expect(texts.join('\n')).toContain('delete_mail of Mail was denied by a rule of yours');
  expect(texts.join('\n')).toContain('was denied: set by your organisation');
  expect(texts.find((text) => text.includes('You denied send_'))).toContain('U+200B');
  await rows(page)
    .filter({ hasText: 'You allowed send_mail' })
    .getByRole('button', { name: 'Show the chat “Owls of the northern forest”' })
    .click();
  await page.getByRole('main', { name: 'Activity log' }).waitFor({ state: 'detached' });
  await close();
}, 60_000);

test('the list is narrowed by what, by decision and by words, by keyboard alone', async () => {
  const { page, close } = await fixtures.open('audit', { height: 1400 });
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
  const { page, close, problems } = await fixtures.open('audit');
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

import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { type State, testStates, useFixtures } from './stateTests.ts';

const fixtures = useFixtures();

const grid = (page: Page) => page.getByRole('grid', { name: 'Messages of Acme issues' });
const rows = (page: Page) => grid(page).getByRole('row');
const detail = (page: Page) => page.getByRole('region', { name: 'One message' });

const states: State[] = [
  ['the list', 'servers-trace', async () => undefined, (page) => rows(page).first().waitFor()],
  ['nothing yet', 'servers-trace-empty', async () => undefined, (page) => page.getByText('Nothing has gone between').waitFor()],
  ['one message', 'servers-trace-message', async () => undefined, (page) => detail(page).getByText('read_latest_email').first().waitFor()],
  ['the messages of one call', 'servers-trace-call', async () => undefined, (page) => detail(page).getByText('billing@acme').waitFor()],
  [
    'only what went wrong',
    'servers-trace',
    (page) => page.getByRole('checkbox', { name: 'Only what went wrong' }).click(),
    (page) =>
      page
        .getByRole('row', { name: /code|resources\/read/ })
        .first()
        .waitFor(),
  ],
  [
    'a call sent again, with its card',
    'servers-trace-message',
    async (page) => {
      await detail(page).getByRole('button', { name: 'Edit and send again' }).click();
      await page.getByRole('button', { name: 'Send', exact: true }).click();
    },
    (page) => page.getByRole('group', { name: 'The call' }).getByText('create_issue').first().waitFor(),
  ],
  [
    'a request that is refused',
    'servers-trace',
    async (page) => {
      await page.getByRole('button', { name: 'Send a request' }).click();
      await page.getByLabel('Request as JSON').fill('{"method":"initialize"}');
      await page.getByRole('button', { name: 'Send', exact: true }).click();
    },
    (page) => page.getByText('are not sent by hand').waitFor(),
  ],
  [
    'a tool tried by hand',
    'servers-try',
    async (page) => {
      await page.getByRole('button', { name: /^create_issue/ }).click();
      await page.getByRole('button', { name: 'Try it' }).click();
      await page.getByRole('button', { name: 'Call create_issue' }).click();
    },
    (page) => page.getByRole('group', { name: 'The call' }).getByText('create_issue').first().waitFor(),
  ],
];

const looks = [
  { theme: 'light', width: 1280, height: 1000 },
  { theme: 'dark', width: 1280, height: 1000 },
  { theme: 'light', width: 520, height: 1000 },
] as const;

testStates(fixtures, 'the trace is readable and sound for assistive technology', 'trace-', looks, states);

test('by keyboard alone: rows by arrow keys, a message by Enter, the way to its answer, and back', async () => {
  const opened = await fixtures().open('servers-trace');
  const { page } = opened;
  await rows(page).nth(1).focus();
  await page.keyboard.press('End');
  const focused = () => page.evaluate(() => document.activeElement?.getAttribute('data-entry'));
  await expect.poll(focused).toBe('1');
  await page.keyboard.press('Home');
  await expect.poll(focused).toBe('111');
  for (const expected of ['110', '109', '108', '107', '106']) {
    await page.keyboard.press('ArrowDown');
    await expect.poll(focused).toBe(expected);
  }
  await page.keyboard.press('ArrowUp');
  await expect.poll(focused).toBe('107');
  await page.keyboard.press('Enter');
  await detail(page).getByText('"folder": "Inbox"').waitFor();
  await detail(page).getByRole('button', { name: 'Show the answer' }).press('Enter');
  await detail(page).getByText('billing@acme').waitFor();
  expect(await page.locator('[data-entry="109"]').getAttribute('aria-selected')).toBe('true');
  await opened.close();
});

test('what hides in a message is seen in both views, and Copy takes what is shown', async () => {
  const opened = await fixtures().open('servers-trace-call');
  const { page } = opened;
  const text = detail(page).getByRole('group', { name: 'The message' });
  await text.getByText('billing@acme').waitFor();
  const copied = () => page.evaluate(() => navigator.clipboard.readText());
  await detail(page).getByRole('button', { name: 'Copy' }).click();
  await expect.poll(copied).toContain('{\n  "jsonrpc": "2.0"');
  await detail(page).getByRole('radio', { name: 'As it came' }).click();
  await detail(page).getByRole('button', { name: /Cop/ }).click();
  await expect.poll(copied).toContain('{"jsonrpc":"2.0","id":4');
  await page.getByRole('button', { name: 'Copy bug report' }).click();
  await page.getByText('Copied. Read it before you pass it on.').waitFor();
  await expect.poll(copied).toContain('report');
  await opened.close();
});

test('a card of a call that one tries oneself speaks of no model: none hears of a change, and none is told a reason', async () => {
  const { page, close } = await fixtures().open('servers-try');
  await page.getByRole('button', { name: /^create_issue/ }).click();
  await page.getByRole('button', { name: 'Try it' }).click();
  await page.getByRole('button', { name: 'Call create_issue' }).click();
  const card = page.locator('[data-card=approval]');
  const edit = card.getByRole('button', { name: 'Edit', exact: true });
  await expect.poll(() => edit.isEnabled()).toBe(true);
  expect(await card.getByRole('button', { name: 'Deny' }).allInnerTexts()).toEqual(['Deny']);
  await edit.click();
  await card.getByText('For this call only.', { exact: true }).waitFor();
  await close();
});

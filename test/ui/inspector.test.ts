import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { type State, testStates, useFixtures } from './stateTests.ts';

const fixtures = useFixtures();

const grid = (page: Page) => page.getByRole('grid', { name: 'Messages of Acme issues' });
const rows = (page: Page) => grid(page).getByRole('row');
const detail = (page: Page) => page.getByRole('region', { name: 'One message' });

async function openForm(page: Page): Promise<void> {
  await page.getByRole('button', { name: /^plan_sprint/ }).click();
  await page.getByRole('button', { name: 'Try it' }).click();
}

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
  ['the arguments of a tool as a form', 'servers-try-form', openForm, (page) => page.getByLabel('title *').waitFor()],
  [
    'what is wrong with arguments',
    'servers-try-form',
    async (page) => {
      await openForm(page);
      await page.getByLabel('points').fill('1000');
      await page.getByRole('textbox', { name: 'issues' }).fill('[{');
      await page.getByLabel('minutes').fill('soon');
      await page.getByRole('button', { name: 'Call plan_sprint' }).click();
    },
    (page) => page.getByText('This is no valid JSON.').waitFor(),
  ],
  [
    'arguments that the form cannot show',
    'servers-try-form',
    async (page) => {
      await openForm(page);
      await page.getByRole('radio', { name: 'JSON' }).click();
      await page.getByLabel('Arguments as JSON').fill('{"title": ');
      await page.getByRole('radio', { name: 'Form' }).click();
    },
    (page) => page.getByText('The form can show it once it can be read.').waitFor(),
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

test('form and JSON are two views of one text: what is typed in either is in the other, and goes out', async () => {
  const { page, problems, close } = await fixtures().open('servers-try-form');
  await openForm(page);
  const json = page.getByLabel('Arguments as JSON');
  const toForm = () => page.getByRole('radio', { name: 'Form' }).click();
  const toJson = () => page.getByRole('radio', { name: 'JSON' }).click();
  const call = page.getByRole('button', { name: 'Call plan_sprint' });
  const tried = () =>
    page.evaluate(() =>
      (window as unknown as { fixtureBridge: { sent: { name: string; input: { argumentsJson?: string } }[] } }).fixtureBridge.sent.flatMap(
        ({ name, input }) => (name === 'tool.try' ? [JSON.parse(input.argumentsJson ?? '') as unknown] : []),
      ),
    );

  await expect.poll(() => page.getByLabel('title *').evaluate((field) => field === document.activeElement)).toBe(true);
  await page.getByLabel('notify').focus();

  // Nothing goes out before what is needed is there; the first field that lacks it has the focus.
  await call.click();
  await expect.poll(() => page.getByLabel('title *').evaluate((field) => field === document.activeElement)).toBe(true);
  expect(await page.getByText('This is needed.').count()).toBe(2);
  await page.keyboard.type('Spring');
  await page.getByLabel('begins *').fill('2026-12-01');
  await page.getByLabel('notify').selectOption('false');
  await page.getByRole('checkbox', { name: 'chore' }).click();
  await page.getByLabel('people').fill('Ada\nGrace\n');
  await page.getByLabel('room *').fill('North');
  await page.getByLabel('points').fill('3o');
  await page.getByText('A whole number is needed here.').waitFor();

  // What cannot be read goes along as it was typed, and comes back.
  await toJson();
  const text = await json.inputValue();
  expect(JSON.parse(text)).toMatchObject({ title: 'Spring', points: '3o', people: ['Ada', 'Grace'], retro: { room: 'North' } });
  await json.fill(`${text.slice(0, -1)}, "hidden": {"kept": 12345678901234567890}`);
  await toForm();
  await page.getByText('This is no valid JSON').waitFor();
  await json.fill(`${await json.inputValue()}}`);
  await toForm();
  expect(await page.getByLabel('points').inputValue()).toBe('3o');
  expect(await page.getByLabel('people').inputValue()).toBe('Ada\nGrace\n');
  await page.getByLabel('points').fill('30');
  await toJson();
  expect(await json.inputValue()).toContain('"hidden": {"kept": 12345678901234567890}');
  await toForm();
  expect(await tried()).toEqual([]);
  await page.getByLabel('begins *').press('Enter');
  await expect.poll(tried).toEqual([
    {
      title: 'Spring',
      begins: '2026-12-01',
      goal: 'Less waiting.\n\nFewer open issues than before.',
      points: 30,
      notify: false,
      board: 1,
      labels: ['chore'],
      people: ['Ada', 'Grace'],
      retro: { room: 'North' },
      hidden: { kept: Number('12345678901234567890') },
    },
  ]);
  expect(problems).toEqual([]);
  await close();
});

/** Cards of calls: what they show of a call, and what can be answered to them. */
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { axeProblems } from './driveApp.ts';
import { type FixturesPage, openFixtures } from './fixturesPage.ts';

let fixtures: FixturesPage;
beforeAll(async () => {
  fixtures = await openFixtures();
}, 120_000);
afterAll(() => fixtures.close());

interface FakeWindow {
  fixtureBridge: { sent: { name: string; input: Record<string, unknown> }[]; emit(message: unknown): void };
}
const card = (page: Page) => page.locator('[data-card=approval]');
const button = (page: Page, name: string | RegExp) =>
  card(page).getByRole('button', typeof name === 'string' ? { name, exact: true } : { name });
const sent = (page: Page, command: string) =>
  page.evaluate(
    (name) => (window as unknown as FakeWindow).fixtureBridge.sent.filter((each) => each.name === name).map(({ input }) => input),
    command,
  );
const decisions = async (page: Page) => (await sent(page, 'approval.answer')).map(({ decision }) => decision);
const emit = (page: Page, event: unknown, revision = 1) =>
  page.evaluate((message) => (window as unknown as FakeWindow).fixtureBridge.emit(message), {
    startId: 'start',
    topic: 'approvals',
    revision,
    event,
  });
const enabled = (page: Page, name: string | RegExp) => expect.poll(() => button(page, name).isEnabled()).toBe(true);
/** Scrolls whatever scrolls in the card to its end, as somebody does who reads it. */
const readToEnd = async (page: Page) => {
  for (let pass = 0; pass < 2; pass += 1)
    await card(page)
      .locator('[data-scroll], [data-scroll] [role=group], [data-virtuoso-scroller]')
      .evaluateAll((elements) => elements.forEach((element) => element.scrollTo({ top: element.scrollHeight })));
};

test('a card shows where an address leads, where each argument comes from and which secrets leave, without hover, and on focus too', async () => {
  const { page, problems, close } = await fixtures.open('approval-mail-inlined');
  const text = await card(page).innerText();
  expect(text).toContain('goes to paymnt-desk.example');
  expect(text).toContain('stands in a result of read_mail of mail, which is private, and others may have written it');
  expect(text).toContain('stands in a result of read_text_file of Files, which is private');
  expect(text).toContain('private key, 7 lines');
  expect(await card(page).locator('mark').first().innerText()).toBe('billing@paymnt-desk.example');
  await card(page).locator('mark').first().focus();
  await page.keyboard.press('Shift+Tab');
  await page.keyboard.press('Tab');
  await page.getByRole('tooltip').getByText('stands in a result of read_mail').waitFor();
  expect(problems).toEqual([]);
  await close();
});

test('a card shows what a server would read behind a path, its secrets masked, and that a link leads out', async () => {
  const { page, close } = await fixtures.open('approval-mail-path');
  const text = await card(page).innerText();
  expect(text).toContain('This server would read and send this file: 12 KB, private key, 7 lines');
  expect(text).toContain('It is outside the folders you picked.');
  expect(text).toContain('Leads out of the folder through a link');
  await button(page, 'Show the beginning').click();
  await card(page).getByRole('group', { name: 'The beginning of the file, secrets masked' }).getByText('••••').waitFor();
  await close();
});

test('an address that programs read differently is not said to lead anywhere', async () => {
  const { page, close } = await fixtures.open('approval-unreviewed');
  expect(await card(page).innerText()).toContain('It is not clear where this leads');
  expect(await card(page).innerText()).not.toContain('goes to');
  await close();
});

test('field fault 71: thousands of arguments and a text of 6,000 lines are there whole, quick, and allowed only after their end was in view', async () => {
  const many = await fixtures.open('approval-many-rows');
  await enabled(many.page, 'Deny');
  expect(await button(many.page, 'Allow once').isEnabled()).toBe(false);
  expect(await card(many.page).locator('dt').count()).toBeLessThan(80);
  await many.page.keyboard.press('Control+J');
  await many.page.keyboard.press('Control+Enter');
  expect(await decisions(many.page)).toEqual([]);
  await card(many.page)
    .locator('[data-virtuoso-scroller]')
    .evaluate((element) => element.scrollTo({ top: element.scrollHeight }));
  await card(many.page).getByText('Row 2499').waitFor();
  await readToEnd(many.page);
  await enabled(many.page, 'Allow once');
  expect(many.problems).toEqual([]);
  await many.close();

  const long = await fixtures.open('approval-blob', {}, undefined);
  await card(long.page).getByText('6,000 lines').or(card(long.page).getByText('6000 lines')).waitFor({ state: 'attached' });
  await long.page.locator('[data-scroll]').evaluate((element) => element.scrollTo({ top: element.scrollHeight }));
  await enabled(long.page, 'Deny');
  await long.page.getByText('Scroll to the end of what would be sent').waitFor();
  expect(await button(long.page, 'Allow once').isEnabled()).toBe(false);
  await readToEnd(long.page);
  await expect
    .poll(async () => {
      await readToEnd(long.page);
      return button(long.page, 'Allow once').isEnabled();
    })
    .toBe(true);
  await long.close();
});

test('calls of one step are one card: what stays ticked is allowed, what was unticked is denied, in one answer', async () => {
  const { page, problems, close } = await fixtures.open('approval-group');
  await enabled(page, 'Deny all 3');
  expect(await card(page).getByRole('heading').innerText()).toBe('Write file, 3 times?');
  await expect.poll(() => card(page).getByText('utf-8').count()).toBe(1);
  await card(page)
    .getByRole('checkbox', { name: /budget\.md/ })
    .uncheck();
  await readToEnd(page);
  await enabled(page, 'Allow 2, deny 1');
  await button(page, 'Allow 2, deny 1').click();
  await card(page).waitFor({ state: 'detached' });
  const [answer] = (await sent(page, 'approval.answerGroup')) as { answers: { argumentsHash: string; decision: { kind: string } }[] }[];
  expect(answer?.answers.map(({ decision }) => decision.kind)).toEqual(['deny', 'allow', 'allow']);
  expect(new Set(answer?.answers.map(({ argumentsHash }) => argumentsHash)).size).toBe(3);
  expect(problems).toEqual([]);
  await close();
});

test('a call that joins a card which could be answered is marked, not ticked, and keeps waiting when the others are allowed', async () => {
  const { page, close } = await fixtures.open('approval-group-joined');
  await card(page).getByText('1 call has joined. It is not ticked.').waitFor();
  expect(
    await card(page)
      .getByRole('checkbox', { name: /late\.md/ })
      .isChecked(),
  ).toBe(false);
  // It arms anew: the end of what would be sent is another one now.
  await enabled(page, 'Deny all 3');
  expect(await button(page, 'Allow 2').isEnabled()).toBe(false);
  await readToEnd(page);
  await enabled(page, 'Allow 2');
  await button(page, 'Allow 2').click();
  await expect.poll(async () => (await sent(page, 'approval.answerGroup')).length).toBe(1);
  const [answer] = (await sent(page, 'approval.answerGroup')) as { answers: unknown[] }[];
  expect(answer?.answers.length).toBe(2);
  await close();
});

test('a card of 120 calls has few elements, and denies all of them at once', async () => {
  const { page, close } = await fixtures.open('approval-group-many');
  await enabled(page, 'Deny all 120');
  expect(await card(page).getByRole('checkbox').count()).toBeLessThan(30);
  expect(await button(page, 'Allow 120').isEnabled()).toBe(false);
  await button(page, 'Deny all 120').click();
  await card(page).waitFor({ state: 'detached' });
  const [answer] = (await sent(page, 'approval.answerGroup')) as { answers: unknown[] }[];
  expect(answer?.answers.length).toBe(120);
  await close();
});

test('a call of a card with several can be edited: it is sent as edited, the others as the model asked, and all of it can be taken back', async () => {
  const { page, problems, close } = await fixtures.open('approval-group');
  await readToEnd(page);
  await enabled(page, 'Allow 3');
  const editOf = (number: number) => button(page, new RegExp(`^Edit call ${number}: `));
  const content = card(page).getByRole('textbox', { name: 'content' });
  await card(page)
    .getByRole('checkbox', { name: /budget/ })
    .uncheck();
  await editOf(2).focus();
  await page.keyboard.press('Enter');
  await card(page).getByText('Call 2 of 3').waitFor();
  await content.fill('# Mine');
  expect(await axeProblems(page, 'one of several calls is edited')).toEqual([]);
  await button(page, 'Use for this call').click();

  // Whoever writes what is sent wants it sent; the marks were of the model's words.
  await card(page).getByText('You changed what is sent.').waitFor();
  await expect.poll(() => editOf(2).evaluate((element) => element === document.activeElement)).toBe(true);
  const text = await card(page).innerText();
  expect([text.includes('# Mine'), text.includes('stands in a result of fetch of web')]).toEqual([true, false]);
  await button(page, 'Raw JSON').click();
  await card(page).getByText('# Mine').first().waitFor();
  await button(page, 'As rows').click();
  expect(await axeProblems(page, 'one of several calls was edited')).toEqual([]);

  // Left by Escape, nothing is kept, and the focus is where it was.
  await editOf(3).click();
  await content.fill('Nothing of this');
  await page.keyboard.press('Escape');
  await button(page, 'Allow 3').waitFor();
  await expect.poll(() => editOf(3).evaluate((element) => element === document.activeElement)).toBe(true);
  expect(await sent(page, 'approval.answerGroup')).toEqual([]);
  await editOf(1).click();
  await content.fill('To be taken back');
  await button(page, 'Use for this call').click();
  await button(page, 'As the model asked').first().click();
  await expect.poll(() => card(page).getByText('You changed what is sent.').count()).toBe(1);

  // A permission is given with the others; what was edited is allowed once.
  await button(page, 'Allow…').click();
  await page.getByRole('menuitem', { name: /^Allow for this answer/ }).click();
  await card(page).waitFor({ state: 'detached' });
  const [answer] = (await sent(page, 'approval.answerGroup')) as { answers: { argumentsHash: string; decision: { edited?: string } }[] }[];
  expect(answer?.answers.map(({ decision }) => ({ ...decision, ...(decision.edited && { edited: JSON.parse(decision.edited) }) }))).toEqual(
    [
      { kind: 'allow', scope: 'turn' },
      { kind: 'allow', scope: 'once', edited: { path: '/home/ada/Documents/budget.md', encoding: 'utf-8', content: '# Mine' } },
      { kind: 'allow', scope: 'turn' },
    ],
  );
  expect(problems).toEqual([]);
  await close();
});

test('what is wrong with an edited call among several is said where it is edited, and nothing of it is lost', async () => {
  const { page, close } = await fixtures.open('approval-group-refused');
  await readToEnd(page);
  await enabled(page, 'Allow 3');
  await button(page, /^Edit call 3: /).click();
  await card(page).getByRole('textbox', { name: 'path' }).fill('elsewhere');
  await button(page, 'Use for this call').click();
  await button(page, 'Allow 3').click();
  await card(page).getByText('Call 3 of 3').waitFor();
  await card(page).getByText('The argument “path” must be a whole path.').waitFor();
  expect(await card(page).getByRole('textbox', { name: 'path' }).inputValue()).toBe('elsewhere');
  await close();
});

test('the menu of a card is accessible while it is open, and so are tips, light and dark', async () => {
  for (const theme of ['light', 'dark'] as const) {
    const { page, problems, close } = await fixtures.open('approval-offers', { theme });
    await enabled(page, 'Allow…');
    await button(page, 'Allow…').click();
    await page.getByRole('menuitem').first().waitFor();
    expect(await axeProblems(page, `the menu of a card, ${theme}`)).toEqual([]);
    await page.keyboard.press('Escape');
    await page.getByRole('menu').waitFor({ state: 'detached' });
    // Who closes a menu gives the focus back a moment later, and takes it from where it was put meanwhile.
    await expect
      .poll(async () => {
        await page.getByRole('button', { name: 'Hide sidebar' }).focus();
        await page.keyboard.press('Tab');
        await page.keyboard.press('Shift+Tab');
        return page.getByRole('tooltip').count();
      })
      .toBeGreaterThan(0);
    expect(await axeProblems(page, `a tip, ${theme}`)).toEqual([]);
    expect(problems).toEqual([]);
    await close();
  }
});

test('field fault 72: how long an answer holds and for what is chosen in words, to a date, and narrower than offered', async () => {
  const { page, problems, close } = await fixtures.open('approval-offers');
  await enabled(page, 'Allow once');
  await button(page, 'Allow…').click();
  await page.getByRole('menuitem').last().waitFor();
  expect(await page.getByRole('menuitem').allInnerTexts()).toEqual([
    'Allow for this answer\nUntil this answer is complete, only with docs.acme.example',
    'Allow in this chat\nIn this chat, only with docs.acme.example',
    'Allow until a date…\nUntil a date, only with docs.acme.example',
    'Always allow\nAlways, only with docs.acme.example',
    'Only for some arguments…',
  ]);
  await page.getByRole('menuitem', { name: /^Allow until a date/ }).click();
  const day = new Date();
  day.setDate(day.getDate() + 3);
  const written = [day.getFullYear(), day.getMonth() + 1, day.getDate()].map((part) => String(part).padStart(2, '0')).join('-');
  await card(page).getByLabel('Through the end of').fill('2001-01-01');
  await card(page).getByText('Choose a day within the next year.').waitFor();
  expect(await button(page, 'Allow').isEnabled()).toBe(false);
  await card(page).getByLabel('Through the end of').fill(written);
  await card(page).getByLabel('Must be', { exact: true }).selectOption('exactly');
  await card(page).getByLabel('Value', { exact: true }).fill('https://docs.acme.example/api');
  await button(page, 'Allow').click();
  await card(page).waitFor({ state: 'detached' });
  day.setHours(23, 59, 59, 999);
  expect(await decisions(page)).toEqual([
    {
      kind: 'allow',
      scope: 'until',
      until: day.getTime(),
      patterns: [{ at: '/url', match: { kind: 'exact', value: 'https://docs.acme.example/api' } }],
    },
  ]);
  expect(problems).toEqual([]);
  await close();
});

test('field fault 74: a card says what decided that it asks, and what the chat has read', async () => {
  const { page, close } = await fixtures.open('approval-offers');
  const text = await card(page).innerText();
  expect(text).toContain('You are asked because this call itself picks where it goes: docs.acme.example.');
  expect(text).toContain(
    'This chat has read content of mail, web, Acme wiki, GitHub, and 1 more, which others may have written, and private content of mail.',
  );
  await close();
});

test('field fault 75: a card whose call has ended goes away, whatever was open on it, and the focus goes back', async () => {
  const { page, problems, close } = await fixtures.open('approval-edit-refused');
  const field = page.getByRole('textbox', { name: 'Message' });
  await field.focus();
  await enabled(page, 'Edit');
  await page.keyboard.press('Control+J');
  await button(page, 'Edit').click();
  await emit(page, { type: 'approval.closed', approvalId: 'fetch', outcome: 'cancelled' });
  await card(page).waitFor({ state: 'detached' });
  await expect.poll(() => field.evaluate((element) => element === document.activeElement)).toBe(true);
  expect(problems).toEqual([]);
  await close();
});

test('edited arguments are sent once, told as such, and what is wrong with them is said at its place and loses nothing', async () => {
  const { page, close } = await fixtures.open('approval-edit-refused');
  await enabled(page, 'Edit');
  await button(page, 'Edit').click();
  await card(page).getByText('The model is told that you changed it.').waitFor();
  expect(await button(page, 'Allow once as edited').isEnabled()).toBe(false);
  await card(page).getByRole('textbox', { name: 'url' }).fill('ftp://other.example');
  await button(page, 'As JSON').click();
  const json = card(page).getByRole('textbox', { name: 'Arguments as JSON' });
  expect(JSON.parse(await json.inputValue())).toEqual({ url: 'ftp://other.example', format: 'markdown' });
  await json.fill('{\n  "url": nothing\n}');
  await card(page).getByText('This is no valid JSON: look at line 2, column 10.').waitFor();
  expect(await button(page, 'Allow once as edited').isEnabled()).toBe(false);
  await json.fill('{"url":"ftp://other.example"}');
  await button(page, 'Allow once as edited').click();
  await card(page).getByText('The argument “url” must be an address that begins with https://.').waitFor();
  expect(await json.inputValue()).toBe('{"url":"ftp://other.example"}');
  expect(await decisions(page)).toEqual([{ kind: 'allow', scope: 'once', edited: '{"url":"ftp://other.example"}' }]);
  // Escape leaves the editing and decides nothing.
  await json.press('Escape');
  await button(page, 'Allow once').waitFor();
  expect((await decisions(page)).length).toBe(1);
  await close();
});

test('field fault 80: a card is announced once, also when calls join it, and never takes the focus', async () => {
  const { page, close } = await fixtures.open('approval-group-joined');
  const said = page.getByRole('alert').filter({ hasText: /Waits for you: .*Press .*J to go to it/ });
  const first = await said.innerText();
  await card(page).getByText('1 call has joined').waitFor();
  await expect.poll(() => said.count()).toBe(1);
  expect(await said.innerText()).toBe(first);
  expect(await page.evaluate(() => document.activeElement?.closest('[data-card]') ?? null)).toBeNull();
  await close();
});

test('several cards tell their place, can all be denied and never all be allowed; other chats that wait are named with a way there', async () => {
  const { page, close } = await fixtures.open('approval-elsewhere');
  await card(page).getByText('1 of 2').waitFor();
  expect(await page.getByRole('button', { name: /allow all/i }).count()).toBe(0);
  await card(page).getByRole('button', { name: 'Next' }).click();
  await card(page).getByText('2 of 2').waitFor();
  await page.getByText('and in 1 more').waitFor();
  await button(page, 'Deny all 2').click();
  await card(page).waitFor({ state: 'detached' });
  expect(await decisions(page)).toEqual([{ kind: 'deny' }, { kind: 'deny' }]);
  await page.getByRole('button', { name: 'Go to Slow query on orders' }).click();
  await page.getByRole('heading', { name: 'Slow query on orders' }).waitFor();
  await card(page).getByText('List directory?').waitFor();
  await close();
});

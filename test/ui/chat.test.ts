import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it, test } from 'vitest';
import { type FixturesPage, openFixtures } from './fixturesPage.ts';

let fixtures: FixturesPage;
beforeAll(async () => {
  fixtures = await openFixtures();
}, 120_000);
afterAll(() => fixtures.close());

const field = (page: Page) => page.getByRole('textbox', { name: 'Message' });
const card = (page: Page) => page.locator('[data-card=approval]');
const focusInCard = (page: Page) => page.evaluate(() => document.activeElement?.closest('[data-card]') !== null);
const decisions = (page: Page) =>
  page.evaluate(() =>
    (window as unknown as { fixtureBridge: { sent: { name: string; input: { decision?: unknown } }[] } }).fixtureBridge.sent
      .filter(({ name }) => name === 'approval.answer')
      .map(({ input }) => input.decision),
  );
/** Scrolls the arguments to their end, as somebody does who reads them. */
const readToEnd = (page: Page) =>
  page.locator('[data-card=approval] [data-scroll]').evaluate((element) => element.lastElementChild?.scrollIntoView());
const waitEnabled = (page: Page, name: string) =>
  page.waitForFunction(
    (label) =>
      [...document.querySelectorAll<HTMLButtonElement>('[data-card] button')].some((each) => each.textContent === label && !each.disabled),
    name,
  );

/** Sends an event of the shown chat up, as a host would. */
const tell = (page: Page, revision: number, event: object) =>
  page.evaluate(
    ([at, what]) => {
      const bridge = (window as unknown as { fixtureBridge: { emit(message: unknown): void } }).fixtureBridge;
      bridge.emit({ startId: 'start', topic: 'conversation', conversationId: 'chat', revision: at, event: what });
    },
    [revision, event] as const,
  );

describe('the approval card', () => {
  it('takes no focus, is announced once, is reached and answered by keys, and gives the focus back', async () => {
    const { page, problems, close } = await fixtures.open('chat-approval-read');
    await field(page).focus();
    await waitEnabled(page, 'Allow once');
    expect(await focusInCard(page)).toBe(false);
    await expect.poll(() => page.getByRole('alert').filter({ hasText: 'List the folder' }).count()).toBe(1);

    // Keys meant for the text never decide.
    await page.keyboard.type('hello');
    await page.keyboard.press('Control+Enter');
    expect(await decisions(page)).toEqual([]);

    await page.keyboard.press('Control+J');
    await expect.poll(() => focusInCard(page)).toBe(true);
    await page.keyboard.press('Escape');
    await expect.poll(() => focusInCard(page)).toBe(false);
    expect(await decisions(page)).toEqual([]);

    await page.keyboard.press('Control+J');
    await page.keyboard.press('Control+Enter');
    await page.waitForFunction(() => document.querySelector('[data-card]')?.textContent?.includes('plan.md') === true);
    expect(await decisions(page)).toEqual([{ kind: 'allow', scope: 'once' }]);
    await expect.poll(() => field(page).evaluate((element) => element === document.activeElement)).toBe(true);
    expect(await field(page).inputValue()).toBe('hello');
    expect(problems).toEqual([]);
    await close();
  });

  it('can be left by deny with a reason, which is what the model is told', async () => {
    const { page, close } = await fixtures.open('chat-approval-read');
    await waitEnabled(page, 'Deny and say why');
    await card(page).getByRole('button', { name: 'Deny and say why' }).click();
    await page.getByRole('textbox', { name: 'Why not?' }).fill('Use the other folder.');
    await page.keyboard.press('Enter');
    await page.waitForFunction(() => document.querySelector('[data-card]')?.textContent?.includes('plan.md') === true);
    expect(await decisions(page)).toEqual([{ kind: 'deny', reason: 'Use the other folder.' }]);
    await close();
  });

  it('offers only the permissions that the host allows here', async () => {
    const { page, close } = await fixtures.open('chat-approval-read');
    await waitEnabled(page, 'Allow once');
    await card(page).getByRole('button', { name: 'Allow…' }).click();
    await expect.poll(() => page.getByRole('menuitem').count()).toBe(3);
    await page.getByRole('menuitem', { name: 'Allow in this chat' }).click();
    await page.waitForFunction(() => document.querySelector('[data-card]')?.textContent?.includes('plan.md') === true);
    expect(await decisions(page)).toEqual([{ kind: 'allow', scope: 'chat' }]);
    await close();
  });

  it('allows a long script only after its last line has been in view, and shows what hides', async () => {
    const { page, close } = await fixtures.open('chat-approval-long');
    await waitEnabled(page, 'Deny');
    const allow = card(page).getByRole('button', { name: 'Allow once' });
    await page.getByText('Scroll to the end of what would be sent').waitFor();
    expect(await allow.isDisabled()).toBe(true);
    expect(await card(page).getByText('U+202E').isVisible()).toBe(true);
    await page.keyboard.press('Control+J');
    await page.keyboard.press('Control+Enter');
    expect(await decisions(page)).toEqual([]);

    const script = card(page).getByRole('group', { name: 'script' });
    expect(await script.textContent()).toContain('echo "step 200"');
    await readToEnd(page);
    expect(await allow.isDisabled()).toBe(true);
    await script.evaluate((element) => element.scrollTo({ top: element.scrollHeight }));
    await waitEnabled(page, 'Allow once');
    await page.keyboard.press('Control+Enter');
    expect(await decisions(page)).toEqual([{ kind: 'allow', scope: 'once' }]);
    await close();
  });

  it.each([
    [760, 520],
    [640, 430],
    [320, 640],
  ])('leaves the chat in sight and every button in reach in a window of %i x %i', async (width, height) => {
    const { page, close } = await fixtures.open('chat', { width, height, lang: 'zh' });
    await waitEnabled(page, '拒绝');
    const card = await page.locator('[data-card=approval]').boundingBox();
    expect(card?.height).toBeLessThanOrEqual(Math.min(320, 0.45 * height) + 1);
    expect((await page.locator('[data-region=transcript]').boundingBox())?.height).toBeGreaterThan(60);
    for (const name of ['原始 JSON', '拒绝并说明原因', '拒绝', '允许一次']) {
      const button = await page.getByRole('button', { name, exact: true }).boundingBox();
      expect(button !== null && button.x >= 0 && button.x + button.width <= width && button.y + button.height <= height).toBe(true);
    }
    // All of it is read, whatever scrolls: then, and only then, it can be allowed.
    await page.getByRole('group', { name: 'attachment' }).evaluate((element) => element.scrollTo({ top: element.scrollHeight }));
    expect(await page.getByRole('button', { name: '允许一次' }).isDisabled()).toBe(true);
    await page.getByText('需要你决定，因为此工具可能向外发送数据。').scrollIntoViewIfNeeded();
    await readToEnd(page);
    await waitEnabled(page, '允许一次');
    await close();
  });

  it('never lets a key delete, and offers no lasting permission for it', async () => {
    const { page, close } = await fixtures.open('chat-approval-delete');
    await readToEnd(page);
    await waitEnabled(page, 'Delete');
    await page.keyboard.press('Control+J');
    await page.keyboard.press('Control+Enter');
    expect(await card(page).getByRole('button', { name: 'Allow…' }).count()).toBe(0);
    expect(await decisions(page)).toEqual([]);
    await close();
  });
});

describe('the transcript', () => {
  it('holds a chat of 2,000 messages with few elements, begins at its end and leads back there', async () => {
    const { page, problems, close } = await fixtures.open('chat-long');
    await page.getByText('Answer 1000.').waitFor();
    expect(await page.locator('[data-message]').count()).toBeLessThan(40);
    await page.locator('[role=log]').evaluate((element) => element.scrollTo({ top: 0 }));
    await page.getByText('Question 1', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Jump to latest' }).click();
    await page.getByText('Answer 1000.').waitFor();
    expect(problems).toEqual([]);
    await close();
  });

  it('shows and marks the very message that was found by its words', async () => {
    const { page, problems, close } = await fixtures.open('chat-long');
    await page.keyboard.press('Control+K');
    await page.getByRole('combobox').fill('Question 500');
    await page
      .getByRole('option')
      .filter({ has: page.locator('mark') })
      .click();
    const found = page.locator('[data-found]');
    await found.waitFor();
    expect(await found.innerText()).toContain('Question 500');
    await expect.poll(async () => Math.round((await found.boundingBox())?.y ?? 0)).toBeGreaterThan(100);
    await expect.poll(async () => Math.round((await found.boundingBox())?.y ?? 0)).toBeLessThan(700);
    await fixtures.shoot(page, 'chat-found');
    await page.getByRole('button', { name: 'Jump to latest' }).click();
    await page.getByText('Answer 1000.').waitFor();
    expect(problems).toEqual([]);
    await close();
  });

  it('shows a result of five megabytes whole, line by line, and nothing of it beside its first lines before', async () => {
    const { page, close } = await fixtures.open('chat-result');
    await page.getByRole('button', { name: /Read text file/ }).click();
    await page.getByText('130,000 lines').or(page.getByText('130000 lines')).waitFor();
    await page.getByRole('button', { name: 'Show all' }).click();
    const list = page.locator('[role=group][aria-label=Text] [data-virtuoso-scroller]');
    await list.waitFor();
    await list.evaluate((element) => element.scrollTo({ top: element.scrollHeight }));
    await page.waitForFunction(() => document.querySelector('[data-item-index="129999"]') !== null);
    expect(await list.locator('[data-item-index]').count()).toBeLessThan(100);
    await close();
  });

  it('follows a streamed answer and asks for the chat again when a piece is missing', async () => {
    const { page, problems, close } = await fixtures.open('chat-stream');
    const emit = (revision: number, offset: number, text: string) =>
      tell(page, revision, { type: 'text.delta', messageId: 'streamed', partId: 'streamed-text', offset, text });
    const lines = Array.from({ length: 3000 }, (_, line) => `Line ${line + 1} of the answer.`);
    let offset = 0;
    for (let from = 0; from < lines.length; from += 50) {
      const words = `${lines.slice(from, from + 50).join('\n\n')}\n\n`;
      await emit(from / 50 + 1, offset, words);
      offset += words.length;
    }
    await page.getByText('Line 3000 of the answer.').waitFor();
    await expect
      .poll(() => page.locator('[role=log]').evaluate((element) => element.scrollHeight - element.scrollTop - element.clientHeight))
      .toBeLessThan(80);
    await emit(61, offset + 5, 'a piece after a hole');
    await page.waitForFunction(
      () =>
        (window as unknown as { fixtureBridge: { sent: { name: string }[] } }).fixtureBridge.sent.filter(
          ({ name }) => name === 'conversation.open',
        ).length === 2,
    );
    expect(problems).toEqual([]);
    await close();
  }, 120_000);

  it('never takes back what it has shown of an answer that does not end, whatever that is made of', async () => {
    const { page, problems, close } = await fixtures.open('chat-stream');
    await page.evaluate(() => {
      const heights: number[] = [];
      Object.assign(window, { heights });
      const look = () => {
        heights.push(document.querySelector('[data-message="1"]')?.scrollHeight ?? 0);
        requestAnimationFrame(look);
      };
      look();
    });
    const each = (make: (n: number) => string) => Array.from({ length: 400 }, (_, n) => make(n + 1)).join('\n');
    const text = [
      each((n) => `sentence ${n} of a paragraph without an end`),
      each((n) => `${n}. item ${n} of a list`),
      `| a | b |\n| - | - |\n${each((n) => `| row ${n} | ${n} |`)}`,
      `\`\`\`\n${each((n) => `line ${n}`)}\n\`\`\``,
      'The very last line.',
    ].join('\n\n');
    for (let from = 0, revision = 1; from < text.length; from += 700, revision += 1)
      await tell(page, revision, {
        type: 'text.delta',
        messageId: 'streamed',
        partId: 'streamed-text',
        offset: from,
        text: text.slice(from, from + 700),
      });
    await page.getByText('The very last line.').waitFor();
    const heights = await page.evaluate(() => (window as unknown as { heights: number[] }).heights);
    // A line that is half there may be a row of its own for a moment.
    heights.forEach((height, index) => expect(height).toBeGreaterThan((heights[index - 1] ?? 0) - 60));
    const answer = page.locator('[data-message="1"]');
    await expect.poll(() => answer.locator('ol').count()).toBe(1);
    await expect.poll(() => answer.locator('ol > li').count()).toBe(400);
    await expect.poll(() => answer.locator('table').count()).toBe(1);
    await expect.poll(() => answer.locator('tr').count()).toBe(401);
    await expect.poll(() => answer.locator('p').count()).toBe(2);
    expect(problems).toEqual([]);
    await close();
  }, 60_000);

  it('says so where a part cannot be drawn, goes on with the others, and tries it again when it has changed', async () => {
    const { page, close } = await fixtures.open('chat-stream');
    const words = { type: 'text.delta', messageId: 'streamed', partId: 'streamed-text', offset: 0, text: 'Words before it.' };
    await tell(page, 1, words);
    const labels = { source: { kind: 'model' }, untrusted: false, private: false };
    await tell(page, 2, {
      type: 'part.changed',
      messageId: 'streamed',
      part: { id: 'broken', kind: 'text', labels, open: false, text: { length: 1, text: 1 } },
    });
    await page.getByText('This part of the chat cannot be shown.').waitFor();
    await page.getByText('Words before it.').waitFor();
    await page.getByRole('textbox', { name: 'Message' }).fill('still here');
    const whole = { length: 12, text: 'Words again.' };
    await tell(page, 3, {
      type: 'part.changed',
      messageId: 'streamed',
      part: { id: 'broken', kind: 'text', labels, open: false, text: whole },
    });
    await page.getByText('Words again.').waitFor();
    expect(await page.getByText('This part of the chat cannot be shown.').count()).toBe(0);
    await close();
  });
});

describe('the tray of tasks', () => {
  it('shows how far tasks were when the window opened, and how far they have come since', async () => {
    const { page, close } = await fixtures.open('tasks-tray');
    const shown = (tool: string) => page.getByRole('progressbar', { name: `Progress of ${tool}` }).getAttribute('aria-valuenow');
    // From before, and nothing since; a quarter before, and a notice since.
    expect(await shown('export_everything')).toBe('13');
    await expect.poll(() => shown('index_pages')).toBe('41');
    await close();
  });
});

describe('the keys of the window', () => {
  it('open the palette, the list of keys, and walk through its regions', async () => {
    const { page, problems, close } = await fixtures.open('chat');
    await page.keyboard.press('Control+K');
    await page.getByPlaceholder('Search chats').fill('saigon');
    await page.getByRole('option', { name: 'Plan the Saigon trip' }).waitFor();
    await page.keyboard.press('Escape');
    await page.keyboard.press('Control+/');
    await page.getByRole('dialog', { name: 'Keyboard' }).waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    // A dialog that closes gives the focus back in a timer that is set when it goes: it would take it from the first region.
    await page.evaluate(() => new Promise((done) => setTimeout(done)));
    const seen: (string | undefined)[] = [];
    for (let press = 0; press < 5; press += 1) {
      await page.keyboard.press('F6');
      seen.push(await page.evaluate(() => document.activeElement?.closest<HTMLElement>('[data-region]')?.dataset['region']));
    }
    expect(new Set(seen)).toEqual(new Set(['sidebar', 'header', 'transcript', 'approval', 'composer']));
    expect(problems).toEqual([]);
    await close();
  });

  it('edit the last message from an empty field, and send the edit beside the old version', async () => {
    const { page, close } = await fixtures.open('chat-turns');
    await field(page).press('ArrowUp');
    const edit = page.getByRole('textbox', { name: 'Edit your message' });
    await edit.fill('Another question');
    await page.getByRole('button', { name: 'Send again' }).click();
    const sent = await page.evaluate(() =>
      (
        window as unknown as { fixtureBridge: { sent: { name: string; input: { text?: string; parentId?: unknown } }[] } }
      ).fixtureBridge.sent.find(({ name }) => name === 'turn.send'),
    );
    expect(sent?.input.text).toBe('Another question');
    expect(sent?.input).toHaveProperty('parentId');
    // The host refused here: the words stay where they are, beside the reason.
    await page.getByText('Nothing answers turn.send here.').waitFor();
    expect(await edit.inputValue()).toBe('Another question');
    await close();
  });
});

test('a link to an address that can be taken for another one shows where it leads, and opens when that is said', async () => {
  const { page, problems, close } = await fixtures.open('chat-prose');
  const opened = () =>
    page.evaluate(() =>
      (
        window as unknown as { fixtureBridge: { sent: { name: string; input: { url?: string; confirmed?: boolean } }[] } }
      ).fixtureBridge.sent
        .filter(({ name }) => name === 'link.open')
        .map(({ input: { url, confirmed } }) => [url, confirmed]),
    );
  const dialog = page.getByRole('dialog', { name: 'Open this page?' });
  const link = page.getByRole('link', { name: 'https://bank.example/login (evil.example)' });
  await page.getByRole('link', { name: 'the manual' }).click();
  expect(await opened()).toHaveLength(1);
  expect(await dialog.count()).toBe(0);

  await link.click();
  await dialog.waitFor();
  expect(await dialog.locator('[data-address] b').textContent()).toBe('xn--pypal-4ve.com');
  expect(await dialog.getByRole('listitem').allTextContents()).toEqual(
    expect.arrayContaining([
      expect.stringContaining('It reads www.p'),
      expect.stringContaining('It looks like paypal.com, but it is not.'),
    ]),
  );
  await dialog.getByRole('button', { name: 'Do not open' }).click();
  await dialog.waitFor({ state: 'detached' });
  expect(await opened()).toHaveLength(2);

  await link.click();
  await dialog.getByRole('button', { name: 'Open the page' }).click();
  await dialog.waitFor({ state: 'detached' });
  expect((await opened()).slice(2)).toEqual([
    ['https://evil.example/login', undefined],
    ['https://evil.example/login', true],
  ]);
  expect(problems).toEqual([]);
  await close();
});

test('a call whose arguments the person changed says so without being opened', async () => {
  for (const look of [{ width: 1280 }, { width: 400, theme: 'dark' as const }]) {
    const { page, close } = await fixtures.open('chat-calls', look);
    const row = page.locator('[data-call=succeeded]').filter({ hasText: 'Edited' });
    await expect.poll(() => row.count()).toBe(1);
    expect(await row.getByRole('button').first().getAttribute('aria-expanded')).toBe('false');
    expect(await row.getByText('Edited', { exact: true }).isVisible()).toBe(true);
    await fixtures.shoot(page, `edited-row-${look.width}`);
    await close();
  }
});

test('a row that is opened at the end of a chat stays where it is', async () => {
  const { page, close } = await fixtures.open('chat-calls');
  const row = page.locator('[data-call=succeeded]').filter({ hasText: 'Edited' }).getByRole('button').first();
  const jump = page.getByRole('button', { name: 'Jump to latest' });
  const before = await row.boundingBox();
  expect(await jump.count()).toBe(0);
  await row.click();
  await jump.waitFor();
  expect(await row.boundingBox()).toEqual(before);
  await row.click();
  await jump.waitFor({ state: 'detached' });
  expect(await row.boundingBox()).toEqual(before);
  await close();
});

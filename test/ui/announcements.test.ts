import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type FixturesPage, openFixtures } from './fixturesPage.ts';

let fixtures: FixturesPage;
beforeAll(async () => {
  fixtures = await openFixtures();
}, 120_000);
afterAll(() => fixtures.close());

const emit = (page: Page, message: unknown): Promise<void> =>
  page.evaluate((sent) => (window as unknown as { fixtureBridge: { emit(message: unknown): void } }).fixtureBridge.emit(sent), message);

test('a question of a server is said to a screen reader once, with the keys that lead to it', async () => {
  const { page, close } = await fixtures.open('chat-input-empty');
  const said = page.getByRole('alert').filter({ hasText: /asks you something\. Press .*J to go to it/ });
  await expect.poll(() => said.count()).toBe(1);
  await close();
});

test('that an answer begins and what it was is said to a screen reader, never its words one by one', async () => {
  const { page, problems, close } = await fixtures.open('chat-stream');
  const said = page.locator('[role=status].sr-only');
  const turn = {
    id: 'turn',
    conversationId: 'chat',
    userMessageId: 'u',
    assistantMessageId: 'streamed',
    state: 'running',
    model: 'demo',
    steps: 1,
    startedAt: 1,
  };
  const event = (revision: number, of: unknown) =>
    emit(page, { startId: 'start', topic: 'conversation', conversationId: 'chat', revision, event: of });
  await event(1, { type: 'turn.changed', turn });
  await said.getByText('Replying').waitFor({ state: 'attached' });
  await event(2, { type: 'text.delta', messageId: 'streamed', partId: 'streamed-text', offset: 0, text: 'The kettle is hot.' });
  await page.locator('[role=log]').getByText('The kettle is hot.').waitFor();
  expect(await page.locator('[role=log]').getAttribute('aria-live')).toBe('off');
  expect(await said.getByText('kettle').count()).toBe(0);
  await event(3, { type: 'turn.changed', turn: { ...turn, state: 'done', endedAt: 2 } });
  await said.getByText('Answer: The kettle is hot.').waitFor({ state: 'attached' });
  expect(problems).toEqual([]);
  await close();
});

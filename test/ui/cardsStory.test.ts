/** Cards as a person answers them, by keys: a real window over a real host, with the Files server and with one that fetches. */
import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import type { Browser, Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Approval } from '../../preload/contract/policy.ts';
import { type AttackedWindow, openAttackedWindow } from '../attacks/attackedWindow.ts';
import { type Scene, setStage, type Stage } from '../attacks/stage.ts';
import { callsOf } from '../attacks/world.ts';
import { launchBrowser } from '../doubles/browser.ts';
import { tempFolder } from '../doubles/hostParts.ts';
import { builtPage } from './builtPage.ts';
import { axeProblems, call, card, watchProblems } from './driveApp.ts';

let browser: Browser;
let rendererDir: string;
beforeAll(async () => {
  [browser, rendererDir] = await Promise.all([launchBrowser(), builtPage('renderer')]);
}, 120_000);
afterAll(() => browser.close());

/** A window in which the first moments of a card last until the test lets them pass: calls of one step join it while it cannot be answered yet. */
async function open(scene: Scene) {
  const told: string[] = [];
  const stage = await setStage({ ...scene, options: { onModelRequest: ({ messages }) => void told.push(JSON.stringify(messages)) } });
  const window = await openAttackedWindow(browser, rendererDir, stage);
  return { stage, window, page: window.page, told, problems: watchProblems(window.page) };
}

/** A folder that the person picked, with two folders in it. */
function pickedFolder(): { picked: string; work: string; other: string } {
  const picked = tempFolder();
  const [work, other] = [path.join(picked, 'work'), path.join(picked, 'other')];
  mkdirSync(work);
  mkdirSync(other);
  return { picked, work, other };
}
const filesOver = (picked: string): Scene => ({ servers: {}, entries: { Files: { bundled: 'files', folders: [picked] } } });
const write = (file: string, content: string) => ({ tool: 'Files.write_file', arguments: { path: file, content } });

const cardsOf = ({ host }: Stage): Approval[] =>
  host.events.flatMap((message) =>
    message.topic === 'approvals' && message.event.type === 'approval.added' ? [message.event.approval] : [],
  );
const button = (page: Page, name: string): Locator => card(page).getByRole('button', { name, exact: true });

async function tabTo(page: Page, target: Locator): Promise<void> {
  for (let press = 0; press < 40; press += 1) {
    if (await target.evaluate((element) => element === document.activeElement)) return;
    await page.keyboard.press('Tab');
  }
  throw new Error('Forty times Tab did not lead there.');
}

const focused = (target: Locator) => expect.poll(() => target.evaluate((element) => element === document.activeElement)).toBe(true);

/** Goes to the card, reads it to its end and waits until it can be allowed. */
async function readCard({ page, letTimePass }: AttackedWindow, question: string, allow: string): Promise<void> {
  await card(page).getByRole('heading', { name: question, exact: true }).waitFor();
  await page.keyboard.press('ControlOrMeta+j');
  await tabTo(page, card(page).getByRole('group', { name: 'What would be sent' }));
  await page.keyboard.press('End');
  await expect
    .poll(async () => {
      await letTimePass();
      return button(page, allow).isEnabled();
    })
    .toBe(true);
}

async function pressByKeys(page: Page, target: Locator, key = 'Enter'): Promise<void> {
  await tabTo(page, target);
  await page.keyboard.press(key);
}

test('writes of one step are one card: what is unticked is not written, what is edited is written so, and the folder that is allowed for this answer is asked about no more', async () => {
  const { picked, work, other } = pickedFolder();
  const { stage, window, page, told, problems } = await open(filesOver(picked));
  const inWork = (name: string) => path.join(work, name);
  const conversation = await window.say([
    { calls: ['plan.md', 'budget.md', 'guests.md'].map((name) => write(inWork(name), `About ${name}`)) },
    { calls: ['menu.md', 'music.md'].map((name) => write(inWork(name), `About ${name}`)) },
    { calls: [write(inWork('thanks.md'), 'Thank you')] },
    { calls: [write(path.join(other, 'diary.md'), 'Dear diary')] },
    { text: 'All is written.' },
  ]);

  await readCard(window, 'Write file, 3 times?', 'Allow 3');
  await expect.poll(() => page.locator('[data-card]').count()).toBe(1);
  expect(await axeProblems(page, 'a card of three calls')).toEqual([]);
  await pressByKeys(page, card(page).getByRole('checkbox', { name: /budget\.md/ }), 'Space');
  await pressByKeys(page, button(page, 'Allow 2, deny 1'));

  await readCard(window, 'Write file, 2 times?', 'Allow 2');
  await pressByKeys(page, button(page, `Edit call 2: ${inWork('music.md')}`));
  await tabTo(page, card(page).getByRole('textbox', { name: 'content' }));
  await page.keyboard.press('ControlOrMeta+a');
  await page.keyboard.type('About the band');
  await pressByKeys(page, button(page, 'Use for this call'));
  await pressByKeys(page, button(page, 'Allow…'));
  await page.getByRole('menuitem', { name: /^Allow for this answer/ }).waitFor();
  // What was edited is allowed this once: a permission is given with the other call, and may be narrowed as of a card with one.
  expect(await page.getByRole('menuitem').allInnerTexts()).toEqual([expect.stringContaining(work), 'Only for some arguments…']);
  await focused(page.getByRole('menuitem').first());
  await page.keyboard.press('Enter');

  await readCard(window, `Write file: ${path.join(other, 'diary.md')}?`, 'Allow once');
  await pressByKeys(page, button(page, 'Deny'));
  await window.ended(conversation);

  expect(['plan.md', 'guests.md', 'menu.md', 'music.md'].map((name) => readFileSync(inWork(name), 'utf8'))).toEqual([
    ...['plan.md', 'guests.md', 'menu.md'].map((name) => `About ${name}`),
    'About the band',
  ]);
  expect(told.at(-1)?.split('The user changed the arguments').length).toBe(2);
  expect(told.at(-1)).toContain('/content is now');
  expect(readFileSync(inWork('thanks.md'), 'utf8')).toBe('Thank you');
  expect([inWork('budget.md'), path.join(other, 'diary.md')].filter((file) => existsSync(file))).toEqual([]);
  const { messages } = await stage.host.run('conversation.open', { conversationId: conversation.id });
  expect(callsOf(messages).map(({ state, reason }) => [state, reason?.verdict])).toEqual([
    ['succeeded', 'ask'],
    ['denied', 'ask'],
    ['succeeded', 'ask'],
    ['succeeded', 'ask'],
    ['succeeded', 'ask'],
    ['succeeded', 'allow'],
    ['denied', 'ask'],
  ]);
  expect(cardsOf(stage).map(({ arguments: { text } }) => text)).not.toContainEqual(expect.stringContaining('thanks.md'));
  // Of the first step one call was denied, and the model has read so before it went on.
  expect(told[1]?.split('The user denied this call. It was not made.').length).toBe(2);
  expect(problems).toEqual([]);
}, 90_000);

test('a permission for a host, narrowed on the card to one page, stands in words among the permissions and holds for nothing else', async () => {
  const pageOf = (host: string, rest: string) => `https://${host}/${rest}`;
  const allowed = pageOf('docs.acme.example', 'api');
  const fetched = (url: string) => ({ tool: 'web.fetch', arguments: { url } });
  const { stage, window, page, problems } = await open({
    servers: { web: { tools: [{ name: 'fetch', description: 'Fetches a page.', answer: 'A page.' }] } },
    effects: { 'web.fetch': ['reads', 'sendsOut'] },
  });
  const [server] = (await stage.host.run('server.list', {})).servers;
  if (server === undefined) throw new Error('There is no server.');
  await stage.host.run('server.setContent', { serverId: server.id, untrusted: true, private: false });
  const conversation = await window.say([
    { calls: [fetched(allowed)] },
    { calls: [fetched(allowed)] },
    { calls: [fetched(pageOf('docs.acme.example', 'private'))] },
    { calls: [fetched(pageOf('elsewhere.example', 'api'))] },
    { text: 'All is read.' },
  ]);

  await readCard(window, `Fetch: ${allowed}?`, 'Allow once');
  await pressByKeys(page, button(page, 'Allow…'));
  await page
    .getByRole('menuitem', { name: /^Always allow/ })
    .getByText('docs.acme.example')
    .waitFor();
  await focused(page.getByRole('menuitem').first());
  await page.keyboard.press('End');
  await focused(page.getByRole('menuitem', { name: 'Only for some arguments…' }));
  await page.keyboard.press('Enter');
  const howLong = card(page).getByLabel('How long');
  await tabTo(page, howLong);
  await page.keyboard.type('Always');
  await expect.poll(() => howLong.inputValue()).toBe('always');
  expect(await card(page).getByLabel('Host', { exact: true }).inputValue()).toBe('docs.acme.example');
  const mustBe = card(page).getByLabel('Must be', { exact: true });
  await tabTo(page, mustBe);
  await page.keyboard.type('exactly');
  await tabTo(page, card(page).getByLabel('Value', { exact: true }));
  await page.keyboard.press('ControlOrMeta+a');
  await page.keyboard.type(allowed);
  expect(await axeProblems(page, 'a permission that is narrowed')).toEqual([]);
  await page.keyboard.press('Enter');

  for (const url of [pageOf('docs.acme.example', 'private'), pageOf('elsewhere.example', 'api')]) {
    await readCard(window, `Fetch: ${url}?`, 'Allow once');
    await pressByKeys(page, button(page, 'Deny'));
  }
  await window.ended(conversation);

  const heard = stage
    .journal('web')
    .split('\n')
    .filter((line) => line.includes('"tools/call"'));
  expect(heard.length).toBe(2);
  expect(heard.every((line) => line.includes(`"url":"${allowed}"`))).toBe(true);
  const { rules } = await stage.host.run('rule.list', {});
  expect(rules).toMatchObject([
    { tool: 'fetch', verdict: 'allow', scope: 'always', patterns: [{ at: '/url', match: { kind: 'exact', value: allowed } }] },
  ]);
  await page.keyboard.press('ControlOrMeta+,');
  await page.getByRole('navigation', { name: 'Settings' }).getByRole('button', { name: 'Permissions' }).press('Enter');
  const rows = page.getByRole('list', { name: 'Permissions' }).getByRole('listitem');
  await rows.getByText(`url: exactly ${allowed}`).waitFor();
  await expect.poll(() => page.getByRole('button', { name: /^Remove the permission/ }).count()).toBe(1);
  expect(await rows.first().innerText()).toContain('Allowed');
  expect(problems).toEqual([]);
}, 90_000);

test('arguments that are edited on the card are what reaches the server, stand in the row, and are told to the model', async () => {
  const { picked, work } = pickedFolder();
  const { stage, window, page, told, problems } = await open(filesOver(picked));
  const file = path.join(work, 'letter.md');
  const conversation = await window.say([{ calls: [write(file, 'Dear Sir')] }, { text: 'It is written.' }]);

  await readCard(window, `Write file: ${file}?`, 'Allow once');
  await pressByKeys(page, button(page, 'Edit'));
  await tabTo(page, card(page).getByRole('textbox', { name: 'content' }));
  await page.keyboard.press('ControlOrMeta+a');
  await page.keyboard.type('Dear Anna');
  expect(await axeProblems(page, 'arguments that are edited')).toEqual([]);
  await pressByKeys(page, button(page, 'Allow once as edited'));
  await window.ended(conversation);

  expect(readFileSync(file, 'utf8')).toBe('Dear Anna');
  expect(told.at(-1)).toContain('The user changed the arguments that you had asked for before allowing this call');
  expect(told.at(-1)).toContain('/content is now');
  expect(cardsOf(stage).length).toBe(1);
  await pressByKeys(page, call(page, 'succeeded').getByRole('button').first());
  await call(page, 'succeeded').getByText('Dear Anna', { exact: true }).waitFor();
  await call(page, 'succeeded')
    .getByText(/^You changed what was sent/)
    .waitFor();
  expect(await call(page, 'succeeded').getByText('Dear Sir').isVisible()).toBe(false);
  await pressByKeys(page, call(page, 'succeeded').getByRole('button', { name: 'What the model was given' }));
  await call(page, 'succeeded')
    .getByRole('group', { name: 'What the model was given' })
    .getByText('The user changed the arguments', { exact: false })
    .waitFor();
  expect(problems).toEqual([]);
}, 90_000);

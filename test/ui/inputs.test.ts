import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type FixturesPage, type Opened, openFixtures } from './fixturesPage.ts';

let fixtures: FixturesPage;
let opened: Opened | undefined;
beforeAll(async () => {
  fixtures = await openFixtures();
}, 120_000);
afterAll(async () => {
  await opened?.close();
  await fixtures.close();
});

const show = async (fixture: string): Promise<Page> => {
  opened = await fixtures.open(fixture, {}, opened);
  return opened.page;
};
const card = (page: Page) => page.locator('[data-card=input]');
const button = (page: Page, name: string) => card(page).getByRole('button', { name, exact: true });

/** What the page has asked of the host by this command so far. */
const sent = (page: Page, command: string): Promise<{ answer?: unknown }[]> =>
  page.evaluate(
    (wanted) =>
      (window as unknown as { fixtureBridge: { sent: { name: string; input: object }[] } }).fixtureBridge.sent
        .filter(({ name }) => name === wanted)
        .map(({ input }) => input),
    command,
  );
/** What the page has answered so far. */
const answers = async (page: Page): Promise<unknown[]> => (await sent(page, 'input.answer')).map(({ answer }) => answer);

/** The command ended with a failure: nobody answers it on this page. */
const refusedByHost = (page: Page) => card(page).getByRole('alert').first().waitFor();

describe('questions of a server', () => {
  it('are left by Escape without an answer; no, cancel and never again are different answers', async () => {
    const page = await show('chat-input-empty');
    await card(page).focus();
    await page.keyboard.press('Escape');
    expect(await answers(page)).toEqual([]);
    await button(page, 'Cancel').click();
    await refusedByHost(page);
    await button(page, 'Decline').click();
    await button(page, 'More').click();
    await page.getByRole('menuitem').click();
    await expect.poll(() => answers(page)).toEqual([{ action: 'cancel' }, { action: 'decline' }, { action: 'decline', block: true }]);
  });

  it('are not all of servers: before secrets go to a model elsewhere, Enter leaves them out, and sending and stopping are one click', async () => {
    const page = await show('chat-input-guard');
    await card(page).getByText('ghp_••••INUx').waitFor();
    await card(page).getByText('in a result of read_text_file of filesystem').waitFor();
    expect(await card(page).getByText('asked by the MCP server').count()).toBe(0);
    await button(page, 'Stop the answer').click();
    await refusedByHost(page);
    await button(page, 'Send it anyway').click();
    await expect.poll(() => answers(page)).toHaveLength(2);
    await button(page, 'Leave out').focus();
    await page.keyboard.press('Enter');
    await expect.poll(() => answers(page)).toEqual([{ action: 'cancel' }, { action: 'accept' }, { action: 'decline' }]);
  });

  it('with a form: defaults are filled in, what does not fit is said at its field and nothing goes out', async () => {
    const page = await show('chat-input-fields');
    expect(await card(page).getByLabel('First day *').inputValue()).toBe('2026-12-24');
    expect(await card(page).getByLabel('Class').inputValue()).toBe('2');
    await card(page).getByLabel('Window seat').uncheck();
    await card(page).getByLabel('Most you would pay').fill('-3');
    await button(page, 'Send').click();
    await card(page).getByText('At least 0.').waitFor();
    expect(await answers(page)).toEqual([]);
    await card(page).getByLabel('Most you would pay').fill('12.5');
    await card(page).getByLabel('Quiet coach').check();
    await button(page, 'Send').click();
    await expect
      .poll(() => answers(page))
      .toEqual([{ action: 'accept', content: { from: '2026-12-24', class: '2', extras: ['q'], price: 12.5 } }]);
  });

  it('with a form: what the host says of single fields stands at those fields', async () => {
    const page = await show('chat-input-refused');
    await card(page).getByLabel('Code').fill('x');
    await button(page, 'Send').click();
    const code = card(page).getByLabel('Code');
    await card(page).getByText('This is not written as the server wants it.').waitFor();
    expect(await code.getAttribute('aria-invalid')).toBe('true');
    expect(await code.inputValue()).toBe('x');
  });

  it('that ask for a password warn, fill nothing in, and no word of theirs is a link', async () => {
    const page = await show('chat-input-secret');
    expect(await card(page).getByLabel('Password *').inputValue()).toBe('');
    expect(await card(page).getByLabel('Password *').getAttribute('type')).toBe('password');
    await expect.poll(() => card(page).getByText('Serious servers never ask').count()).toBe(1);
    expect(await card(page).locator('a').count()).toBe(0);
  });

  it('to open a page show the whole address, load nothing of it, and open by the button only', async () => {
    const page = await show('chat-input-url-imitated');
    expect(await card(page).locator('[data-address]').innerText()).toBe('https://www.xn--pypal-4ve.com:8443/signin');
    expect(await card(page).locator('[data-address] b').innerText()).toBe('xn--pypal-4ve.com');
    await expect.poll(() => card(page).getByText('It looks like paypal.com, but it is not.').count()).toBe(1);
    expect(await card(page).locator('a').count()).toBe(0);
    expect(opened?.problems).toEqual([]);
    expect(await answers(page)).toEqual([]);
    await button(page, 'Open the page').click();
    await expect.poll(() => answers(page)).toEqual([{ action: 'accept' }]);

    const again = await show('chat-input-url-opened');
    await button(again, 'I’m done').click();
    await expect.poll(() => answers(again)).toEqual([{ action: 'accept', stage: 'opened' }]);
  });

  it('to use the model: the answer of the model is looked at before the server gets it, unless that was waived', async () => {
    const page = await show('chat-input-sampling');
    await card(page).getByRole('checkbox').check();
    await button(page, 'Ask the model').click();
    await expect.poll(() => answers(page)).toEqual([{ action: 'accept', waiveResult: true }]);
    const result = await show('chat-input-sampling-result');
    await expect.poll(() => card(result).getByText('A fox jumps over a dog.').count()).toBe(1);
    await button(result, 'Give it to the server').click();
    await expect.poll(() => answers(result)).toEqual([{ action: 'accept', stage: 'result' }]);
  });

  it('to use the model: what the person changes is sent in its place and nothing else, of the request and of the answer', async () => {
    const page = await show('chat-input-sampling');
    await button(page, 'Edit').click();
    await card(page).getByLabel('Instructions to the model, by the server').fill('Be brief.');
    await card(page).getByLabel('The server asks').fill('Summarise this.');
    await button(page, 'Show as sent').click();
    await card(page).getByText('The server asks, edited by you').waitFor();
    await expect.poll(() => card(page).getByText('Summarise this.').count()).toBe(1);
    await button(page, 'Undo changes').click();
    expect(await card(page).getByText('Summarise this.').count()).toBe(0);
    await button(page, 'Edit').click();
    await card(page).getByLabel('The server asks').fill('Summarise that.');
    await button(page, 'Ask the model').click();
    await expect
      .poll(() => answers(page))
      .toEqual([{ action: 'accept', editedMessages: [{ message: 0, block: 0, text: 'Summarise that.' }] }]);

    const result = await show('chat-input-sampling-result');
    await button(result, 'Edit').click();
    await card(result).getByLabel('gemini-2.5-flash answers').fill('A fox.');
    await button(result, 'Give it to the server').click();
    await expect.poll(() => answers(result)).toEqual([{ action: 'accept', stage: 'result', editedResult: [{ block: 0, text: 'A fox.' }] }]);
  });

  it('to use the model: a look that was waived stands on the server’s page and is withdrawn there', async () => {
    const page = await show('servers-configuration');
    await page.getByRole('button', { name: 'Look again at answers in Owls of the northern forest' }).click();
    await expect
      .poll(() => sent(page, 'server.setClientFeatures'))
      .toMatchObject([{ serverId: expect.any(String), withdrawWaiver: 'waived' }]);
  });

  it('of one call stand on one card; what was entered in one is there after a look at another', async () => {
    const page = await show('chat-input-rounds');
    await expect.poll(() => card(page).count()).toBe(1);
    await expect.poll(() => card(page).getByLabel('Asked before in this call').getByRole('listitem').count()).toBe(2);
    await card(page).getByLabel('Table').selectOption('Corner');
    await button(page, 'Next question').click();
    await button(page, 'Tell no folder').waitFor();
    await button(page, 'Previous question').click();
    expect(await card(page).getByLabel('Table').inputValue()).toBe('Corner');
  });

  it('for folders: a suggested one is added by a click, and only picked ones are told', async () => {
    const page = await show('chat-input-folders');
    expect(await button(page, 'Tell the folders').isDisabled()).toBe(true);
    await button(page, 'Add /home/ada/projects/engine').click();
    await button(page, 'Tell the folder').click();
    await expect.poll(() => answers(page)).toEqual([{ action: 'accept', content: { folderIds: ['f1'] } }]);
  });
});

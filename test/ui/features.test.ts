/** Resources, prompts, sign-in and tasks in the real window: a real host, real servers, a real browser. */
import { mkdirSync, realpathSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { launchBrowser } from '../doubles/browser.ts';
import { memoryKeychain, tempFolder } from '../doubles/hostParts.ts';
import { playedServer } from '../doubles/playedServer.ts';
import { addLocal, addRemote } from '../host/featureWorld.ts';
import { startAuthServer } from '../servers/authServer.ts';
import { startGateway } from '../servers/gateway.ts';
import { startProtectedServer } from '../servers/protectedServer.ts';
import { builtPage } from './builtPage.ts';
import { axeProblems, card, composer, openSettings } from './driveApp.ts';
import { openRealWindow, type RealWindow } from './realWindow.ts';

const everything = fileURLToPath(import.meta.resolve('@modelcontextprotocol/server-everything/dist/index.js'));

let browser: Browser;
let rendererDir: string;
beforeAll(async () => {
  [browser, rendererDir] = await Promise.all([launchBrowser(), builtPage('renderer')]);
}, 120_000);
afterAll(() => browser.close());

interface World extends RealWindow {
  /** What each model request held, as JSON. */
  requests: string[];
  /** Pages that were opened in the system's browser. */
  opened: string[];
}

/** A window whose model says what the script says. */
async function openWorld(steps: unknown[], browse: (url: string) => Promise<unknown> = async () => undefined): Promise<World> {
  const script = path.join(tempFolder(), 'script.json');
  writeFileSync(script, JSON.stringify({ steps }));
  const requests: string[] = [];
  const opened: string[] = [];
  const window = await openRealWindow(browser, rendererDir, {
    scriptFiles: [script],
    onModelRequest: ({ messages }) => void requests.push(JSON.stringify(messages)),
    ports: {
      keychain: memoryKeychain(),
      openUrl: async (url) => {
        opened.push(url);
        await browse(url);
      },
    },
  });
  window.page.setDefaultTimeout(20_000);
  await window.test.run('settings.set', { patch: { defaultModel: `scripted:${script}` } });
  return { ...window, requests, opened };
}

/** Looking at a page for faults takes long on a busy machine. */
const long = 90_000;

/** A server that wants a sign-in, agreed to. */
async function addVault(host: RealWindow['test'], url: string): Promise<void> {
  const { server } = await host.run('server.add', { name: 'Vault', config: { url } });
  const consent = server.status.state === 'off' ? server.status.needsConsent : undefined;
  await host.run('server.consent', { serverId: server.id, configHash: consent?.configHash ?? '', allow: true });
}

const answered = [{ text: 'That is noted.' }];
const options = (page: Page) => page.locator('[data-picker] [role=option]');
const chip = (page: Page, state: string) => page.locator(`[data-attachment=${state}]`);
const panel = (page: Page) => page.locator('[data-panel]');

test(
  '@ finds a resource by keys alone; it is shown with its size before it is sent, and with its content afterwards',
  async () => {
    const { page, test: host, requests, problems } = await openWorld(answered);
    await addLocal(host, 'try', [everything, 'stdio']);
    const field = composer(page);
    await field.focus();
    await page.keyboard.type('What does @arch');
    await options(page).getByText('architecture.md', { exact: true }).waitFor();
    expect(await field.getAttribute('aria-activedescendant')).toBe(await options(page).first().getAttribute('id'));
    await page.keyboard.press('Enter');
    await chip(page, 'ready')
      .getByText(/\d characters/)
      .waitFor();
    // The sign and what was typed after it are gone, nothing was sent, and the focus is where it was.
    expect(await field.inputValue()).toBe('What does ');
    await page.keyboard.type('this say?');
    expect(requests).toEqual([]);

    await chip(page, 'ready')
      .getByRole('button', { name: /^architecture/ })
      .click();
    await page.getByText('Everything Server – Architecture').first().waitFor();
    expect(await axeProblems(page, 'attached')).toEqual([]);
    await field.press('Enter');
    await page.getByRole('log').getByText('That is noted.').waitFor();
    expect(await chip(page, 'ready').count()).toBe(0);
    expect(requests[0]).toContain('What does this say?');
    expect(requests[0]).toContain('Everything Server – Architecture');

    const sent = page.locator('[data-sent=attachment]');
    await sent.getByRole('button', { name: /architecture\.md from try/ }).click();
    await sent.getByText('Everything Server – Architecture').first().waitFor();
    await page.reload();
    await page
      .locator('[data-sent=attachment]')
      .getByRole('button', { name: /architecture\.md from try/ })
      .waitFor();
    expect(problems).toEqual([]);
  },
  long,
);

test('a template asks for its values, and what cannot be read says so on its chip and can be taken off', async () => {
  const { page, test: host, problems } = await openWorld(answered);
  await addLocal(host, 'try', [everything, 'stdio']);
  await composer(page).focus();
  await page.keyboard.type('@dynamic text');
  // A blank ends the query: the list stands only while one word is typed.
  await page.locator('[data-picker]').waitFor({ state: 'detached' });
  await composer(page).fill('');
  await page.keyboard.type('@text/{');
  await options(page).getByText('Dynamic Text Resource').waitFor();
  await page.keyboard.press('Tab');
  await panel(page).getByRole('combobox', { name: 'resourceId' }).fill('7');
  await page.keyboard.press('Enter');
  await chip(page, 'ready').getByText('demo://resource/dynamic/text/7').waitFor();
  await expect.poll(() => composer(page).evaluate((element) => element === document.activeElement)).toBe(true);

  await page.keyboard.type('@text/{');
  await page.keyboard.press('Enter');
  await panel(page).getByRole('combobox', { name: 'resourceId' }).fill('none');
  await page.keyboard.press('Enter');
  await chip(page, 'failed').getByText('cannot be read').waitFor();
  await page.getByRole('button', { name: 'Take off demo://resource/dynamic/text/none' }).click();
  await expect.poll(() => page.locator('[data-attachment]').count()).toBe(1);

  // Escape closes a form and the list, and keeps what was typed.
  await page.keyboard.type('Hello @text/{');
  await options(page).first().waitFor();
  await page.keyboard.press('Escape');
  await page.locator('[data-picker]').waitFor({ state: 'detached' });
  expect(await composer(page).inputValue()).toBe('Hello @text/{');
  expect(problems).toEqual([]);
});

test('a template that leads out of its folder by a link says where to, and goes on when that is said', async () => {
  const { page, test: host, problems } = await openWorld(answered);
  const folder = realpathSync(tempFolder());
  mkdirSync(path.join(folder, 'docs'));
  const key = path.join(folder, 'key.txt');
  writeFileSync(key, 'The key.');
  symlinkSync(key, path.join(folder, 'docs/agenda.txt'));
  const templates = [{ uriTemplate: `file://${folder}/docs/{path}`, name: 'A document' }];
  await addLocal(host, 'docs', playedServer({ templates, readsFiles: { below: '' } }).args);
  await composer(page).focus();
  await page.keyboard.type('@document');
  await options(page).getByText('A document').waitFor();
  await page.keyboard.press('Tab');
  const value = panel(page).getByRole('combobox', { name: 'path' });
  await value.fill('agenda.txt');
  await page.keyboard.press('Enter');
  const alert = panel(page).getByRole('alert').filter({ hasText: 'leads out of its folder' });
  await alert.waitFor();
  expect(await alert.textContent()).toContain(key);
  expect(await page.locator('[data-attachment]').count()).toBe(0);
  // What is written anew is looked at anew.
  await value.fill('agenda.tx');
  await alert.waitFor({ state: 'detached' });
  await value.fill('agenda.txt');
  await page.keyboard.press('Enter');
  await alert.waitFor();
  await page.keyboard.press('Enter');
  await alert.waitFor();
  expect(await page.locator('[data-attachment]').count()).toBe(0);
  await panel(page).getByRole('button', { name: 'Go on all the same' }).click();
  await chip(page, 'ready').getByText('agenda.txt').waitFor();
  expect(problems).toEqual([]);
});

test(
  '/ opens a prompt: its second argument completes by the first; it goes along as the server’s words, and nothing is sent before it was seen and sent',
  async () => {
    const { page, test: host, requests, problems } = await openWorld(answered);
    await addLocal(host, 'try', [everything, 'stdio']);
    await composer(page).focus();
    await page.keyboard.type('/team');
    await options(page).getByText('Team Management').waitFor();
    await page.keyboard.press('Enter');
    const department = panel(page).getByRole('combobox', { name: 'department' });
    await panel(page).getByRole('option', { name: 'Sales' }).waitFor();
    await expect.poll(() => department.evaluate((element) => element === document.activeElement)).toBe(true);
    await page.keyboard.type('Sa');
    await panel(page).getByRole('option', { name: 'Engineering' }).waitFor({ state: 'detached' });
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    expect(await department.inputValue()).toBe('Sales');
    await panel(page).getByRole('combobox', { name: 'name' }).focus();
    await panel(page).getByRole('option', { name: 'Eve' }).click();
    await page.keyboard.press('Enter');
    await panel(page).getByText('Please promote Eve to the head of the Sales team.').waitFor();
    expect(await axeProblems(page, 'prompt')).toEqual([]);
    await panel(page).getByRole('button', { name: 'Add to the message' }).click();
    await page.locator('[data-prompt]').getByText('Team Management').waitFor();
    expect(await composer(page).inputValue()).toBe('');
    await composer(page).fill('But gently.');
    expect(requests).toEqual([]);
    await composer(page).press('Enter');
    await page.getByRole('log').getByText('That is noted.').waitFor();
    expect(requests[0]).toContain('Please promote Eve to the head of the Sales team.');
    expect(requests[0]).toContain('But gently.');
    await page.locator('[data-prompt]').waitFor({ state: 'detached' });
    const sent = page.locator('[data-sent=prompt]');
    await sent.getByRole('button', { name: /Team Management/ }).click();
    await sent.getByText('Please promote Eve to the head of the Sales team.').waitFor();
    expect(await axeProblems(page, 'sent prompt')).toEqual([]);
    expect(problems).toEqual([]);
  },
  long,
);

test('a prompt is a message of its own, and a resource in it goes along with it', async () => {
  const { page, test: host, requests, problems } = await openWorld(answered);
  await addLocal(host, 'try', [everything, 'stdio']);
  await composer(page).focus();
  await page.keyboard.type('/resource');
  await options(page).getByText('Resource Prompt').waitFor();
  await page.keyboard.press('Enter');
  await panel(page).getByRole('combobox', { name: 'resourceType' }).fill('Text');
  await panel(page).getByRole('combobox', { name: 'resourceId' }).fill('3');
  await panel(page).getByRole('button', { name: 'Preview' }).click();
  await panel(page).getByText('Resource 3: This is a plaintext resource').waitFor();
  await panel(page).getByRole('button', { name: 'Add to the message' }).click();
  await page.locator('[data-prompt]').waitFor();
  await composer(page).press('Enter');
  await page.getByRole('log').getByText('That is noted.').waitFor();
  expect(requests[0]).toContain('Resource 3: This is a plaintext resource');
  expect(problems).toEqual([]);
});

test('an attached resource that changes says so, is read anew on demand, and is sent as it is at that moment', async () => {
  const { page, test: host, requests, problems } = await openWorld(answered);
  const lab = await startGateway();
  onTestFinished(() => lab.close());
  await addRemote(host, 'Notes', lab.url);
  await composer(page).focus();
  await page.keyboard.type('@note://one');
  await options(page).first().waitFor();
  await page.keyboard.press('Enter');
  await chip(page, 'ready').getByText('10 characters').waitFor();
  await expect.poll(() => lab.store.listeners.size).toBeGreaterThan(0);
  lab.store.notes['note://one'] = 'second note, longer';
  lab.store.tell('note://one');
  await chip(page, 'ready').getByText('changed').waitFor();
  await chip(page, 'ready').getByRole('button', { name: /^note/ }).click();
  await page.getByText('This has changed since it was read here.').waitFor();
  await page.getByRole('button', { name: 'Read again' }).click();
  await chip(page, 'ready').getByText('19 characters').waitFor();
  expect(await chip(page, 'ready').getByText('changed').count()).toBe(0);
  await composer(page).fill('What is new?');
  await composer(page).press('Enter');
  await page.getByRole('log').getByText('That is noted.').waitFor();
  expect(requests[0]).toContain('second note, longer');
  lab.store.tell('note://one');
  await page.locator('[data-sent=attachment]').getByText('changed since').waitFor();
  expect(problems).toEqual([]);
});

test('the log of a server shows what it wrote up to the moment at which it is opened', async () => {
  const { page, test: host } = await openWorld(answered);
  const file = path.join(tempFolder(), 'say');
  const program = `
    const { existsSync } = require('node:fs');
    const wait = setInterval(() => { if (existsSync(process.argv[1])) { console.log('said later'); clearInterval(wait); } }, 20);
    import(${JSON.stringify(pathToFileURL(everything).href)});`;
  const id = await addLocal(host, 'late', ['-e', program, file, 'stdio']);
  await openSettings(page, 'Servers');
  await page.getByRole('button', { name: 'Details of late' }).click();
  await page.getByRole('tab', { name: /^Tools/ }).waitFor();
  writeFileSync(file, '');
  const log = async () => (await host.run('server.details', { serverId: id })).details.log.map(({ text }) => text);
  await expect.poll(log).toContain('said later');
  await page.getByRole('tab', { name: 'Log' }).click();
  await page.getByText('said later').waitFor();
});

test('a server’s page reads its resources and tries its prompts; what it is asked to log and its protocol are chosen there', async () => {
  const { page, test: host, problems } = await openWorld(answered);
  const id = await addLocal(host, 'try', [everything, 'stdio']);
  await openSettings(page, 'Servers');
  await page.getByRole('button', { name: 'Details of try' }).click();
  await page.getByRole('tab', { name: /^Resources/ }).click();
  await page.getByRole('button', { name: 'Read architecture.md' }).click();
  await page.locator('[data-contents]').getByText('Everything Server – Architecture').first().waitFor();
  await page.getByRole('button', { name: 'Hide architecture.md' }).click();
  await page.getByRole('button', { name: 'Fill in', exact: true }).first().click();
  await page.getByRole('combobox', { name: 'resourceId' }).fill('4');
  await page.getByRole('button', { name: 'Fill in and read' }).click();
  await page
    .locator('[data-contents]')
    .getByText(/Resource 4: This is/)
    .waitFor();

  await page.getByRole('tab', { name: /^Prompts/ }).click();
  await page.getByRole('button', { name: 'Try Arguments Prompt' }).click();
  await page.getByRole('button', { name: 'Preview' }).click();
  await page.getByText('This is needed.').waitFor();
  await page.getByRole('combobox', { name: 'city' }).fill('Huế');
  await page.getByRole('button', { name: 'Preview' }).click();
  await page.getByText("What's weather in Huế?").waitFor();

  await page.getByRole('tab', { name: 'Log' }).click();
  await page.getByLabel('What it is asked to tell').selectOption('warning');
  await expect.poll(async () => (await host.run('server.details', { serverId: id })).details.logLevel).toBe('warning');

  await page.getByRole('tab', { name: 'Configuration' }).click();
  await page.getByText(/It speaks revision .*, found out when it was connected\./).waitFor();
  await page.getByLabel('Protocol').selectOption('Older');
  await page.getByText(/It speaks revision .*, as you set it here\./).waitFor();
  expect((await host.run('server.details', { serverId: id })).details.configJson).toContain('"era": "legacy"');
  expect(problems).toEqual([]);
});

test('who may have written what a server returns is answered on its page, says who has answered, and can be taken back', async () => {
  const { page, test: host, problems } = await openWorld([]);
  const serverId = await addLocal(host, 'try', [everything, 'stdio']);
  await openSettings(page, 'Servers');
  await page.getByRole('button', { name: 'Details of try' }).click();
  await page.getByRole('tab', { name: 'Configuration' }).click();
  const section = page.getByRole('region', { name: 'What its answers hold' });
  const question = section.getByRole('radiogroup', { name: 'Can anyone else have written what it returns?' });
  await expect.poll(() => section.getByText('Nobody has said, so it counts as yes.').count()).toBe(2);
  expect(await question.getByRole('radio', { name: 'Yes' }).isChecked()).toBe(true);
  await question.getByRole('radio', { name: 'No' }).click();
  await section.getByText('You said so.').waitFor();
  const content = async () => (await host.run('server.details', { serverId })).details.content;
  expect(await content()).toEqual({ untrusted: { is: false, by: 'user' }, private: { is: true, by: 'nobody' } });
  expect(await axeProblems(page, 'content')).toEqual([]);
  await section.getByRole('button', { name: 'Take back' }).click();
  await section.getByText('You said so.').waitFor({ state: 'detached' });
  expect(await content()).toMatchObject({ untrusted: { is: true, by: 'nobody' } });
  expect(problems).toEqual([]);
});

test(
  'sign-in tells who will ask for what before the browser opens, waits with a way out, and ends with Sign out',
  async () => {
    const auth = await startAuthServer();
    const server = await startProtectedServer(auth, { scopes: ['notes:read'] });
    onTestFinished(() => {
      auth.close();
      server.close();
    });
    const person = { goesOn: false };
    const { page, test: host, opened, problems } = await openWorld(answered, async (url) => (person.goesOn ? fetch(url) : undefined));
    await addVault(host, server.url);

    await openSettings(page, 'Servers');
    const place = new URL(auth.issuer).host;
    const button = page.getByRole('button', { name: `Sign in at ${place}, for Vault` });
    await button.waitFor();
    await page.getByText(/will ask you to sign in and to allow "Vault": .*notes:read/).waitFor();
    expect(opened).toEqual([]);
    expect(await axeProblems(page, 'sign-in')).toEqual([]);

    // Nobody goes on in the browser: it waits, and can be given up.
    await button.click();
    await page.getByText(`Waiting for you to sign in to Vault at ${place}, in your browser.`).waitFor();
    await page.getByRole('button', { name: 'Copy the address' }).waitFor();
    await page.getByRole('button', { name: 'Cancel' }).click();
    await page.getByText('The sign-in was cancelled.').waitFor();

    person.goesOn = true;
    await button.click();
    await page.getByText(/Ready since/).waitFor();
    await page.getByRole('button', { name: 'Details of Vault' }).click();
    await page.getByText(`Signed in at ${place}`).waitFor();
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Sign out' }).click();
    await button.waitFor();
    expect(opened).toHaveLength(2);
    for (const secret of auth.secrets) expect(await page.content()).not.toContain(secret);
    expect(problems).toEqual([]);
  },
  long,
);

test('where no client can be registered the page of the server takes one, and its secret goes in and never comes out', async () => {
  const auth = await startAuthServer({ registration: 'none' });
  const server = await startProtectedServer(auth);
  onTestFinished(() => {
    auth.close();
    server.close();
  });
  const { page, test: host, problems } = await openWorld(answered, fetch);
  await addVault(host, server.url);
  await openSettings(page, 'Servers');
  await page.getByRole('button', { name: 'Details of Vault' }).click();
  const button = page.getByRole('button', { name: `Sign in at ${new URL(auth.issuer).host}, for Vault` });
  await button.click();
  await page
    .getByText(/enter its id on the page of this server/)
    .first()
    .waitFor();
  await page.getByRole('button', { name: 'Client of your own…' }).click();
  await page.getByRole('button', { name: 'Store', exact: true }).click();
  await page.getByText('This is needed.').waitFor();
  await page.getByLabel('Client ID').fill('my-own-client');
  await page.getByLabel('Client secret').fill('a-secret-of-mine');
  await page.getByRole('button', { name: 'Store', exact: true }).click();
  await page.getByLabel('Client ID').waitFor({ state: 'detached' });
  await button.click();
  await page.getByText(/Ready since/).waitFor();
  expect(auth.at('/authorize')[0]?.params.get('client_id')).toBe('my-own-client');
  expect(await page.content()).not.toContain('a-secret-of-mine');
  expect(JSON.stringify(host.events)).not.toContain('a-secret-of-mine');
  expect(problems).toEqual([]);
});

test('a call whose sign-in has ended waits on a card in the chat, and goes on after it', async () => {
  const auth = await startAuthServer();
  const server = await startProtectedServer(auth);
  onTestFinished(() => {
    auth.close();
    server.close();
  });
  const steps = [{ calls: [{ tool: 'Vault.echo', arguments: { text: 'from inside' } }] }, { text: 'It answered.' }];
  const { page, test: host, problems } = await openWorld(steps, fetch);
  await addVault(host, server.url);
  await openSettings(page, 'Servers');
  await page.getByRole('button', { name: /^Sign in at/ }).click();
  await page.getByText(/Ready since/).waitFor();
  await page.keyboard.press('Escape');
  auth.revoke('all');
  await composer(page).fill('Ask the vault');
  await composer(page).press('Enter');
  await card(page).getByRole('button', { name: 'Allow once' }).click();
  const question = page.locator('[data-card=input]');
  await question.getByText(/will ask you to sign in/).waitFor();
  await question.getByRole('button', { name: /Sign in/ }).click();
  await page.getByRole('log').getByText('It answered.').waitFor();
  await page.locator('[data-call=succeeded]').waitFor();
  expect(problems).toEqual([]);
});

test(
  'a task is in the tray of every chat, survives a reload, leads to its chat, and goes when it ends',
  async () => {
    const lab = await startGateway();
    onTestFinished(() => lab.close());
    const steps = [{ calls: [{ tool: 'Lab.research', arguments: { topic: 'owls' } }] }, { text: 'Owls are quiet.' }];
    const { page, test: host, problems } = await openWorld(steps);
    await addRemote(host, 'Lab', lab.url);
    expect(await page.getByRole('button', { name: /^\d+ tasks?$/ }).count()).toBe(0);
    await composer(page).fill('Look for owls');
    await composer(page).press('Enter');
    await card(page).getByRole('button', { name: 'Allow once' }).click();
    const tray = page.getByRole('button', { name: '1 task' });
    await tray.waitFor();
    await page.keyboard.press('ControlOrMeta+n');
    await page.getByText('What would you like to do?').waitFor();
    await page.reload();
    await tray.click();
    const row = page.locator('[data-task]');
    await row.getByText(/^Working/).waitFor();
    expect(await axeProblems(page, 'tasks')).toEqual([]);
    await row.getByRole('button', { name: /^Open/ }).click();
    await page.getByRole('log').getByText('Look for owls').waitFor();

    const [record] = Object.values(lab.store.tasks);
    if (record === undefined) throw new Error('There is no task.');
    record.status = 'completed';
    await page.getByRole('log').getByText('Owls are quiet.').waitFor();
    await tray.waitFor({ state: 'detached' });
    expect(problems).toEqual([]);
  },
  long,
);

test('a task that is stopped in the tray is stopped at its server', async () => {
  const lab = await startGateway();
  onTestFinished(() => lab.close());
  const steps = [{ calls: [{ tool: 'Lab.research', arguments: { topic: 'owls' } }] }, { text: 'Then not.' }];
  const { page, test: host, problems } = await openWorld(steps);
  await addRemote(host, 'Lab', lab.url);
  await composer(page).fill('Look for owls');
  await composer(page).press('Enter');
  await card(page).getByRole('button', { name: 'Allow once' }).click();
  await page.getByRole('button', { name: '1 task' }).click();
  await page.getByRole('button', { name: 'Stop research' }).click();
  await page.locator('[data-call=cancelled]').waitFor();
  await page.getByRole('button', { name: '1 task' }).waitFor({ state: 'detached' });
  await expect.poll(() => Object.values(lab.store.tasks).map(({ status }) => status)).toEqual(['cancelled']);
  expect(problems).toEqual([]);
});

test('a server that has templates alone has something to attach: the button is there, and so is the template', async () => {
  const file = path.join(tempFolder(), 'offers.json');
  writeFileSync(file, JSON.stringify({ templatesOnly: true }));
  const { page, test: host, problems } = await openWorld([]);
  const attach = page.getByRole('button', { name: /^Attach/ });
  expect(await attach.count()).toBe(0);
  const serverId = await addLocal(host, 'Kitchen', [fileURLToPath(new URL('../servers/pictures.ts', import.meta.url)), file, 'modern']);
  const { server } = (await host.run('server.details', { serverId })).details;
  expect(server.counts).toEqual({ tools: 0, resources: 0, templates: 1, prompts: 1 });
  if (server.toReview) await host.run('definition.accept', { serverId, seen: server.toReview.seen });
  await attach.click();
  await page.getByRole('option', { name: /menu:\{day\}/ }).waitFor();
  expect(problems).toEqual([]);
});

test(
  'trace ids are off until the person switches them on, on the page of the server (§2.15)',
  async () => {
    const { page, test: host, problems } = await openWorld([]);
    const serverId = await addLocal(host, 'Lab', [everything]);
    await openSettings(page, 'Servers');
    await page.getByRole('button', { name: /Lab/ }).first().click();
    await page.getByRole('tab', { name: /^Configuration/ }).click();
    const box = page.getByRole('checkbox', { name: 'Send trace ids' });
    expect(await box.isChecked()).toBe(false);
    // The box follows the host's answer.
    await box.click();
    await expect.poll(async () => (await host.run('server.clientFeatures', { serverId })).features.sendsTraceIds).toBe(true);
    expect(await axeProblems(page, 'trace ids')).toEqual([]);

    // What goes over the wire from then on is read off in the trace.
    await host.run('trace.resend', { serverId, json: '{"method":"tools/list"}' });
    const [entry] = (await host.run('trace.list', { serverId, filter: { text: 'traceparent' } })).entries;
    if (!entry) throw new Error('Nothing was sent with trace context.');
    const [, traceId = 'none'] = /"traceparent":"00-([0-9a-f]{32})-/.exec((await host.run('trace.read', { entryId: entry.id })).text) ?? [];
    await page.getByRole('tab', { name: /^Trace/ }).click();
    await page.getByRole('searchbox', { name: 'Search messages' }).fill(traceId);
    const found = page.getByRole('row', { name: /To the server tools\/list/ });
    await expect.poll(() => found.count()).toBe(1);
    await found.click();
    await page.getByRole('region', { name: 'One message' }).getByText(traceId, { exact: true }).waitFor();
    expect(await axeProblems(page, 'trace id in the trace')).toEqual([]);
    expect(problems).toEqual([]);
  },
  long,
);

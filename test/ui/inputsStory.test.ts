/** What a public server asks, as a person meets it: the web shell as a process of its own, the built page in a real browser. */
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Browser, Locator } from 'playwright-core';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { nodePorts } from '../../main/host/nodePorts.ts';
import { launchBrowser } from '../doubles/browser.ts';
import { startTestHost } from '../doubles/testHost.ts';
import { axeProblems, backToChat, useTools, watchProblems } from './driveApp.ts';
import { buildBundles, newPerson, startWeb } from './webProcess.ts';

const everything = fileURLToPath(import.meta.resolve('@modelcontextprotocol/server-everything/dist/index.js'));

let browser: Browser;
beforeAll(async () => {
  buildBundles();
  browser = await launchBrowser();
}, 120_000);
afterAll(() => browser.close());

/** Presses a button as soon as it takes clicks, which is a moment after its card has come. */
const press = (card: Locator, name: string): Promise<void> => card.getByRole('button', { name, exact: true }).click();

test('folders, a form, the model and a page: each is a card, and the server gets what the person gave', async () => {
  const person = newPerson();
  onTestFinished(person.remove);
  const script = path.join(person.home, 'script.json');
  const steps = [
    { text: 'First a form.', calls: [{ tool: 'everything.trigger-elicitation-request', arguments: {} }] },
    { calls: [{ tool: 'everything.trigger-sampling-request', arguments: { prompt: 'What is up?', maxTokens: 30 } }] },
    { calls: [{ tool: 'everything.trigger-url-elicitation', arguments: { url: 'https://example.com/a', message: 'Open it' } }] },
    { text: 'All done.' },
  ];
  writeFileSync(script, JSON.stringify({ steps }));
  const host = await startTestHost({
    dataDir: person.dataDir,
    scriptFiles: [script],
    ports: { paths: { ...nodePorts({ env: {}, dataDir: person.dataDir }).paths, home: person.home } },
  });
  const { server } = await host.run('server.add', {
    name: 'everything',
    config: { command: process.execPath, args: [everything, 'stdio'] },
  });
  const consent = server.status.state === 'off' ? server.status.needsConsent : undefined;
  await host.run('server.consent', { serverId: server.id, configHash: consent?.configHash ?? '', allow: true });
  await host.run('settings.set', { patch: { defaultModel: `scripted:${script}` } });
  await host.close();

  const web = await startWeb(person, ['--model', `scripted:${script}`]);
  onTestFinished(web.kill);
  const context = await browser.newContext({ viewport: { width: 1100, height: 860 }, reducedMotion: 'reduce', locale: 'en' });
  onTestFinished(() => context.close());
  const page = await context.newPage();
  const problems = watchProblems(page);
  await page.goto(web.link);
  const card = page.locator('[data-card]');

  await press(card, 'Tell no folder');
  await card.waitFor({ state: 'detached' });
  await page.getByRole('button', { name: 'Review', exact: true }).click();
  await useTools(page);
  await backToChat(page);
  await page.getByRole('textbox', { name: 'Message' }).fill('Go on');
  await page.keyboard.press('Enter');

  await press(card, 'Allow once');
  await card.getByLabel('String *').fill('Ada Lovelace');
  await card.getByLabel('String with email format').fill('ada@');
  await press(card, 'Send');
  await card.getByText('This is no e-mail address.').waitFor();
  await card.getByLabel('String with email format').fill('ada@example.com');
  expect(await axeProblems(page, 'a form of a server')).toEqual([]);
  await press(card, 'Send');

  await press(card, 'Allow once');
  await press(card, 'Ask the model');
  await card.getByText('First a form.').waitFor();
  await press(card, 'Give it to the server');

  await press(card, 'Allow once');
  expect(await card.locator('[data-address]').innerText()).toBe('https://example.com/a');
  await press(card, 'Decline');

  const log = page.getByRole('log');
  await log.getByText('All done.').waitFor();
  await log.getByText('Used trigger-elicitation-request').click();
  await log.getByText('Ada Lovelace').first().waitFor();
  expect(problems).toEqual([]);
}, 120_000);

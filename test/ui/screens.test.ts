/** What a person meets beside the story: wrong input, programs that do not exist, agreement, stopping, tabs, a host that goes away. */
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { launchBrowser } from '../doubles/browser.ts';
import { backToChat, call, composer, openSettings, useTools, watchProblems } from './driveApp.ts';
import { buildBundles, isAlive, newPerson, type Person, processesBelow, startWeb, type WebProcess } from './webProcess.ts';

const everything = fileURLToPath(import.meta.resolve('@modelcontextprotocol/server-everything/dist/index.js'));

let browser: Browser;
beforeAll(async () => {
  buildBundles();
  browser = await launchBrowser();
}, 120_000);
afterAll(() => browser.close());

interface Opened {
  page: Page;
  person: Person;
  web: WebProcess;
  problems: string[];
}

async function open(args: (person: Person) => readonly string[] = () => []): Promise<Opened> {
  const person = newPerson();
  onTestFinished(person.remove);
  const web = await startWeb(person, args(person));
  onTestFinished(web.kill);
  const context = await browser.newContext({ viewport: { width: 1280, height: 860 }, reducedMotion: 'reduce', locale: 'en' });
  onTestFinished(() => context.close());
  const page = await context.newPage();
  // Shorter than a test's own time, so that what was waited for is named.
  page.setDefaultTimeout(20_000);
  const problems = watchProblems(page);
  await page.goto(web.link);
  await composer(page).waitFor();
  return { page, person, web, problems };
}

async function addProgram(page: Page, name: string, command: string, args: readonly string[]): Promise<void> {
  await openSettings(page, 'Servers');
  await page.getByRole('button', { name: 'Add server' }).click();
  await page.getByRole('textbox', { name: 'Name', exact: true }).fill(name);
  await page.getByLabel('Command', { exact: true }).fill(command);
  await page.getByLabel('Arguments', { exact: true }).fill(args.join('\n'));
  await page.locator('form:visible').getByRole('button', { name: 'Add server' }).click();
  await page.getByRole('heading', { name: `Start “${name}”?` }).waitFor();
}

test('pasted JSON that cannot be parsed is told by line and column, and nothing of it is lost while one looks elsewhere', async () => {
  const { page, problems } = await open();
  await openSettings(page, 'Servers');
  await page.getByRole('button', { name: 'Add server' }).click();
  await page.getByRole('radio', { name: 'Paste JSON' }).click();
  const text = '{\n  "mcpServers": {\n    "weather": { "command" "npx" }\n  }\n}';
  await page.getByLabel('Configuration as JSON').fill(text);
  await page.getByRole('button', { name: 'Read', exact: true }).click();
  await page.getByText('line 3, column 28').waitFor();
  await page.getByRole('radio', { name: 'Address' }).click();
  await page.getByRole('radio', { name: 'Paste JSON' }).click();
  expect(await page.getByLabel('Configuration as JSON').inputValue()).toBe(text);
  await page.getByRole('radio', { name: 'Program on this computer' }).click();
  await page.getByLabel('Command', { exact: true }).fill('uvx');
  await openSettings(page, 'Models');
  await openSettings(page, 'Servers');
  await page.getByRole('button', { name: 'Add server' }).click();
  expect(await page.getByLabel('Command', { exact: true }).inputValue()).toBe('uvx');
  await page.getByRole('radio', { name: 'Paste JSON' }).click();
  expect(await page.getByLabel('Configuration as JSON').inputValue()).toBe(text);
  expect(problems).toEqual([]);
});

test('nothing runs before the agreement, which shows every argument; a program that does not exist says so, and what to do', async () => {
  const { page, web, problems } = await open();
  const args = ['--yes', '@example/weather server', '--cities=西贡,Hà Nội', "it's", 'a\\b'];
  await addProgram(page, 'weather', 'maitre-test-no-such-program', args);
  expect(await page.locator('dl').locator('ol code').allInnerTexts()).toEqual(args);
  expect(await processesBelow(web.child.pid)).toEqual([]);

  await page.getByRole('button', { name: 'Start this program' }).click();
  await page.getByText(/the program maitre-test-no-such-program was not found\. Install it, or find its full path/).waitFor();
  expect(await processesBelow(web.child.pid)).toEqual([]);
  expect(problems).toEqual([]);
});

test('Stop ends a call that runs, and the answer with it; the server lives on', async () => {
  const { page, web, problems } = await open((person) => {
    const script = path.join(path.dirname(person.dataDir), 'script.json');
    writeFileSync(
      script,
      JSON.stringify({
        steps: [
          {
            text: 'This takes a while.',
            calls: [{ tool: 'try.trigger-long-running-operation', arguments: { duration: 600, steps: 6000 } }],
          },
        ],
      }),
    );
    return ['--model', `scripted:${script}`];
  });
  await addProgram(page, 'try', process.execPath, [everything, 'stdio']);
  await page.getByRole('button', { name: 'Start this program' }).click();
  await useTools(page);
  await page.getByRole('button', { name: /^echo/ }).first().waitFor();
  const [server] = await processesBelow(web.child.pid);
  await backToChat(page);
  await page.getByRole('button', { name: /^Model: / }).click();
  await page.getByRole('option', { name: /script\.json/ }).click();
  await composer(page).fill('Do something long.');
  await composer(page).press('Enter');
  await page.getByRole('button', { name: 'Allow once' }).click();
  await page.getByRole('progressbar').waitFor();
  await page.getByRole('button', { name: 'Stop', exact: true }).click();
  await call(page, 'cancelled').waitFor();
  await page.getByRole('log').getByText('You stopped this.').waitFor();
  await page.getByRole('button', { name: 'Send', exact: true }).waitFor();
  expect(server !== undefined && isAlive(server.pid)).toBe(true);
  expect(problems).toEqual([]);
});

test('a tab without the link, or with a used one, is not let in; one with a link made by the open tab is', async () => {
  const { page, web } = await open();
  const context = page.context();
  for (const address of [new URL('/', web.link).href, web.link]) {
    const other = await context.newPage();
    await other.goto(address);
    await other.getByRole('heading', { name: 'This page needs its link' }).waitFor();
    expect(await other.getByRole('textbox').count()).toBe(0);
    await other.close();
  }
  await context.grantPermissions(['clipboard-read', 'clipboard-write'], { origin: new URL('/', web.link).origin });
  await page.keyboard.press('ControlOrMeta+k');
  await page.getByRole('combobox').fill('link');
  await page.getByRole('option', { name: 'Copy a link for another tab' }).click();
  await expect.poll(() => page.evaluate(() => navigator.clipboard.readText())).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/#token=/);
  const third = await context.newPage();
  await third.goto(await page.evaluate(() => navigator.clipboard.readText()));
  await composer(third).waitFor();
});

test('a host that goes away is told, what was typed stays, and after a restart the new link leads back', async () => {
  const { page, person, web } = await open();
  await page.getByRole('button', { name: 'Try the demo' }).click();
  await composer(page).fill('Half a sentence');
  await web.kill();
  await page.getByText('The connection to Maitre broke. Trying again…').waitFor();
  expect(await composer(page).inputValue()).toBe('Half a sentence');

  const again = await startWeb(person, ['--port', String(web.port)]);
  onTestFinished(again.kill);
  // The new host knows no session of the old one, and says what to do.
  await page.getByText('This tab is no longer let in. Open the address that Maitre printed when it started.').waitFor();
  expect(await composer(page).inputValue()).toBe('Half a sentence');
  await page.goto(again.link);
  await page.getByRole('button', { name: 'Add a server' }).waitFor();
  expect(await page.getByText('The connection to Maitre broke').count()).toBe(0);
});

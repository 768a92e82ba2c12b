// Makes docs/images/chat-light.png and chat-dark.png from the running application: real window, real host, real Files server; the words of the
// model come from a local server that speaks a provider's format. `npm run build`, then `node test/ui/docsImages.ts`.
import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { launchBrowser } from '../doubles/browser.ts';
import { startProviderServer } from '../doubles/providerServer.ts';
import { addFiles, backToChat, call, card, chooseInHome, composer, log, openSettings, useTools } from './driveApp.ts';
import { startWeb } from './webProcess.ts';

/** Paths in a picture should be a person's. It must not exist, and is removed at the end. */
const home = process.argv[2] ?? '/home/ada';
const images = fileURLToPath(new URL('../../docs/images', import.meta.url));

if (existsSync(home)) throw new Error(`${home} exists. Name a folder that does not: node test/ui/docsImages.ts FOLDER`);
const trip = path.join(home, 'Saigon trip');
mkdirSync(trip, { recursive: true });
mkdirSync(images, { recursive: true });
for (const name of ['flights.md', 'hotel.md', 'budget.csv', '行程.md']) writeFileSync(path.join(trip, name), '');

const model = await startProviderServer();
model.lists['/v1/models'] = { object: 'list', data: [{ id: 'qwen3-14b', object: 'model', created: 0, owned_by: 'local' }] };
const web = await startWeb({ home, dataDir: path.join(home, '.local/share/Maitre') });
const browser = await launchBrowser();
try {
  const context = await browser.newContext({
    viewport: { width: 1280, height: 860 },
    reducedMotion: 'reduce',
    locale: 'en',
    colorScheme: 'light',
  });
  const page = await context.newPage();
  page.setDefaultTimeout(20_000);
  await page.goto(web.link);
  await composer(page).waitFor();
  await openSettings(page, 'Models');
  await page.getByLabel('Name', { exact: true }).fill('Local');
  await page.getByLabel('Base address').fill(`${model.url}/v1`);
  await page.getByRole('button', { name: 'Add provider' }).click();
  await page.getByRole('button', { name: /^Model of a new chat/ }).click();
  await page.getByRole('option', { name: 'qwen3-14b' }).click();
  await openSettings(page, 'Servers');
  await page.getByRole('button', { name: 'Add server' }).click();
  await addFiles(page, trip, () => chooseInHome(page, 'Saigon trip'));
  await openSettings(page, 'Servers');
  await page.getByRole('button', { name: 'Add server' }).click();
  await page.getByRole('button', { name: 'Add', exact: true }).first().click();
  await useTools(page);
  await page.getByRole('button', { name: /^read_graph/ }).waitFor();
  await backToChat(page);

  for (const [question, answer] of [
    ['Compare three invoices', 'Put them into a folder and add that folder to Files; then I can read all three.'],
    ['Release notes for 4.2', 'Which changes should stand first?'],
    ['Rename photos by date', 'By the date in the picture, or the date of the file?'],
  ] as const) {
    model.queue.push({ parts: [{ text: answer }] });
    await page.keyboard.press('ControlOrMeta+n');
    await composer(page).fill(question);
    await composer(page).press('Enter');
    await log(page).getByText(answer).waitFor();
  }

  const packing = '# Packing list\n\n- passport and visa letter\n- rain jacket, it is the wet season\n- adapter for type A and C sockets';
  model.queue.push(
    {
      parts: [
        { text: 'I’ll see what you have collected so far.' },
        { call: { id: 'call-1', name: 'Files__list_directory', argumentsText: JSON.stringify({ path: trip }) } },
      ],
    },
    {
      parts: [
        { text: 'Flights, hotel, budget and the plan of the days are there; a packing list is missing. I’ll put one beside them.' },
        {
          call: {
            id: 'call-2',
            name: 'Files__write_file',
            argumentsText: JSON.stringify({ path: path.join(trip, 'packing list.md'), content: packing }),
          },
        },
      ],
    },
  );
  await page.keyboard.press('ControlOrMeta+n');
  await composer(page).fill('Plan the Saigon trip: what is still missing in my folder?');
  await composer(page).press('Enter');
  await card(page).getByRole('button', { name: 'Allow once' }).click();
  await call(page, 'succeeded').waitFor();
  await card(page).getByText('passport and visa letter').waitFor();
  await page.locator('[data-card] button:enabled', { hasText: 'Allow once' }).waitFor();
  // Away from the button that was clicked last, which would look pressed.
  await page.mouse.move(1200, 350);
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme });
    await page.screenshot({ path: path.join(images, `chat-${colorScheme}.png`), animations: 'disabled' });
  }
} finally {
  await browser.close();
  await web.stop();
  await model.close();
  rmSync(home, { recursive: true, force: true });
}

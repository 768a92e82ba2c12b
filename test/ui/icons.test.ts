import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Browser, Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { launchBrowser } from '../doubles/browser.ts';
import { tempFolder } from '../doubles/hostParts.ts';
import { dataUrl, jpeg, png, svg, webp } from '../doubles/pictures.ts';
import type { Pictures } from '../servers/pictures.ts';
import { addLocal } from '../host/featureWorld.ts';
import { builtPage } from './builtPage.ts';
import { openRealWindow } from './realWindow.ts';

const screenshots = fileURLToPath(new URL('../../dist/screenshots', import.meta.url));
const pictures = fileURLToPath(new URL('../servers/pictures.ts', import.meta.url));

let browser: Browser;
let rendererDir: string;
beforeAll(async () => {
  [browser, rendererDir] = await Promise.all([launchBrowser(), builtPage('renderer')]);
}, 120_000);
afterAll(() => browser.close());

const pan = (fill: string) =>
  svg(`<rect x="2" y="8" width="15" height="10" rx="3" fill="${fill}"/><path d="M17 12h6" stroke="${fill}" stroke-width="3"/>`);
const drawn = (fill: string) => `data:image/svg+xml,${encodeURIComponent(pan(fill))}`;
const offered: Pictures = {
  server: [
    { src: drawn('#1a4fd0'), theme: 'light', sizes: 'any' },
    { src: drawn('#8fb4ff'), theme: 'dark', sizes: 'any' },
  ],
  tools: {
    cook: [{ src: drawn('#c33') }],
    fry: [{ src: dataUrl('image/webp', webp.lossy) }],
    bake: [{ src: dataUrl('image/jpeg', jpeg) }],
    grill: [{ src: dataUrl('image/png', png(64)) }],
    boil: null,
    burn: [{ src: dataUrl('image/svg+xml', svg('<script>document.title = "burnt"</script>')) }],
  },
  prompt: [{ src: drawn('#383') }],
  resource: [{ src: drawn('#838') }],
  template: [{ src: drawn('#883') }],
};

/** The pictures of an element that a browser has really decoded. */
const shownIn = (place: Locator): Promise<string[]> =>
  place
    .locator('img')
    .evaluateAll((images) => images.flatMap((image) => (image instanceof HTMLImageElement && image.naturalWidth > 0 ? [image.src] : [])));

const shoot = (page: Page, name: string) => page.screenshot({ path: path.join(screenshots, `icons-${name}.png`), animations: 'disabled' });

test('a server’s pictures stand in its row, its lists, the pickers and on the card, in both themes; a bad one leaves a glyph and a warning (§2.14)', async () => {
  const folder = tempFolder();
  const file = path.join(folder, 'pictures.json');
  const script = path.join(folder, 'script.json');
  writeFileSync(file, JSON.stringify(offered));
  writeFileSync(script, JSON.stringify({ steps: [{ calls: [{ tool: 'Kitchen.cook', arguments: { what: 'soup' } }] }, { text: 'Done.' }] }));
  const { page, test: host, problems } = await openRealWindow(browser, rendererDir, { scriptFiles: [script] });
  const serverId = await addLocal(host, 'Kitchen', [pictures, file, 'modern']);
  const { toReview } = (await host.run('server.details', { serverId })).details.server;
  if (toReview) await host.run('definition.accept', { serverId, seen: toReview.seen });

  await page.keyboard.press('ControlOrMeta+,');
  await page
    .getByRole('navigation', { name: 'Settings' })
    .getByRole('button', { name: /^Servers/ })
    .click();
  const row = page.getByRole('listitem').filter({ hasText: 'Kitchen' });
  await expect.poll(() => shownIn(row)).toHaveLength(1);
  const [light] = await shownIn(row);
  await shoot(page, 'servers');
  await page.emulateMedia({ colorScheme: 'dark' });
  await expect.poll(() => shownIn(row)).not.toEqual([light]);
  await expect.poll(() => shownIn(row)).toHaveLength(1);
  await shoot(page, 'servers-dark');

  await row
    .getByRole('button', { name: /Kitchen/ })
    .first()
    .click();
  const tools = page.getByRole('list', { name: /Kitchen/ });
  await expect.poll(() => shownIn(tools)).toHaveLength(4);
  expect(await shownIn(tools.getByRole('button', { name: /^burn/ }))).toEqual([]);
  await page.getByText('The icon of the tool burn cannot be shown: it is an SVG with the part "script", which is not shown.').waitFor();
  await shoot(page, 'tools-dark');
  for (const name of ['Resources', 'Prompts']) {
    await page.getByRole('tab', { name: new RegExp(`^${name}`) }).click();
    await expect.poll(() => shownIn(page.getByRole('tabpanel'))).toHaveLength(name === 'Resources' ? 2 : 1);
    await shoot(page, `${name.toLowerCase()}-dark`);
  }
  await page.emulateMedia({ colorScheme: 'light' });

  await page.keyboard.press('Escape');
  const field = page.locator('#composer textarea');
  for (const [sign, count] of [
    ['@', 2],
    ['/', 1],
  ] as const) {
    await field.fill('');
    await field.pressSequentially(sign);
    await expect.poll(() => shownIn(page.locator('[data-picker]'))).toHaveLength(count);
    await shoot(page, sign === '@' ? 'resource-picker' : 'prompt-picker');
    await field.fill('');
  }

  const { conversation } = await host.run('conversation.create', { model: `scripted:${script}` });
  await host.run('turn.send', { conversationId: conversation.id, text: 'Cook some soup' });
  await page.getByRole('button', { name: /^Cook some soup/ }).click();
  const card = page.locator('[data-card="approval"]');
  await expect.poll(() => shownIn(card)).toEqual([light]);
  await shoot(page, 'card');
  expect(await page.title()).not.toBe('burnt');
  expect(problems).toEqual([]);
}, 120_000);

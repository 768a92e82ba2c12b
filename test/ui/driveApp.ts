import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { Locator, Page } from 'playwright-core';
import { breachesOf } from './breachesOf.ts';

/** Collects what must never happen in the window: errors and broken policies of the console, uncaught errors, requests to other places. */
export function watchProblems(page: Page): string[] {
  const problems: string[] = [];
  page.on('pageerror', (error) => problems.push(String(error)));
  page.on('console', (message) => {
    if (message.type() === 'error' || message.type() === 'warning') problems.push(`${message.type()}: ${message.text()}`);
  });
  page.on('request', (request) => {
    const { hostname, protocol } = new URL(request.url());
    const own = hostname === '127.0.0.1' || hostname.endsWith('.app.test') || ['data:', 'blob:'].includes(protocol);
    if (!own) problems.push(`request to ${request.url()}`);
  });
  return problems;
}

/** A folder with two files, one of them with a Chinese name. */
export function writeDocuments(home: string): string {
  const documents = path.join(home, 'Documents');
  mkdirSync(documents);
  writeFileSync(path.join(documents, 'packing list.txt'), 'passport\nadapter\n');
  writeFileSync(path.join(documents, '行程.md'), '# 西贡\n');
  return documents;
}

export const composer = (page: Page): Locator => page.getByRole('textbox', { name: 'Message', exact: true });
export const card = (page: Page): Locator => page.locator('[data-card=approval]');
export const log = (page: Page): Locator => page.getByRole('log');
export const call = (page: Page, state: string): Locator => page.locator(`[data-call=${state}]`);

export async function openSettings(page: Page, name: 'Servers' | 'Models'): Promise<void> {
  await page.keyboard.press('ControlOrMeta+,');
  await page
    .getByRole('navigation', { name: 'Settings' })
    .getByRole('button', { name: new RegExp(`^${name}`) })
    .click();
}

export async function backToChat(page: Page): Promise<void> {
  await page.keyboard.press('Escape');
  await composer(page).waitFor();
}

/** Chooses a folder of the home in the window's own browser of folders. */
export async function chooseInHome(page: Page, name: string): Promise<void> {
  await page.getByRole('option', { name, exact: true }).dblclick();
  await page.getByRole('listbox', { name: new RegExp(`${name}$`) }).waitFor();
  await page.getByRole('button', { name: `Choose “${name}”` }).click();
}

/** From the empty window of a first run to a chat with the demo model and Files over one folder. */
export async function firstRun(page: Page, documents: string, chooseFolder: () => Promise<void>): Promise<void> {
  await page.getByRole('button', { name: 'Try the demo' }).click();
  await page.getByRole('button', { name: 'Add a server' }).click();
  await addFiles(page, documents, chooseFolder);
  await backToChat(page);
}

/** From the page that adds servers: adds Files over one folder and waits for its tools. */
export async function addFiles(page: Page, documents: string, chooseFolder: () => Promise<void>): Promise<void> {
  await page.getByRole('button', { name: 'Pick folders' }).click();
  await chooseFolder();
  await page.getByText(documents, { exact: true }).waitFor();
  await page.getByRole('button', { name: 'Add Files' }).click();
  await useTools(page);
  await page
    .getByRole('button', { name: /^list_directory/ })
    .first()
    .waitFor();
}

/** On the page of a new server: agrees to what it offers, as it is shown there. */
export async function useTools(page: Page): Promise<void> {
  const use = page.getByRole('button', { name: 'Use these tools' });
  await use.click();
  await use.waitFor({ state: 'detached' });
}

/** Asks for the files of the folder, reads the card and allows the call with the mouse. */
export async function allowListing(page: Page, documents: string): Promise<void> {
  await composer(page).fill(`list the files in "${documents}"`);
  await composer(page).press('Enter');
  await card(page).waitFor();
  const shown = await card(page).innerText();
  for (const part of ['Files', 'Reads', documents]) assert.ok(shown.includes(part), `The card does not show “${part}”:\n${shown}`);
  await card(page).getByRole('button', { name: 'Raw JSON' }).click();
  assert.match(await card(page).innerText(), new RegExp(`"path": ?${escaped(JSON.stringify(documents))}`));
  await card(page).getByRole('button', { name: 'Allow once' }).click();
  await call(page, 'succeeded').waitFor();
  await call(page, 'succeeded').getByRole('button').first().click();
  for (const name of ['packing list.txt', '行程.md']) {
    await call(page, 'succeeded').getByText(name).first().waitFor();
    await page.locator('[data-message]').last().getByText(name).first().waitFor();
  }
  await call(page, 'succeeded').getByRole('button').first().click();
}

/** Asks for one file and denies the call with a reason, by keys alone. */
export async function denyReadingByKeys(page: Page, file: string): Promise<void> {
  await page.keyboard.press('Escape');
  await page.keyboard.type(`read "${file}"`);
  await page.keyboard.press('Enter');
  await card(page).waitFor();
  await page.keyboard.press('ControlOrMeta+j');
  const deny = card(page).getByRole('button', { name: 'Deny and say why' });
  await tabTo(page, deny);
  await page.keyboard.press('Enter');
  await page.keyboard.type('That list is private.');
  await page.keyboard.press('Enter');
  await call(page, 'denied').waitFor();
  await log(page)
    .getByText(/You did not allow .*read_text_file/)
    .waitFor();
  await call(page, 'denied').getByText('You said: That list is private.').waitFor();
  await page.locator('#composer textarea:focus').waitFor();
}

const escaped = (text: string): string => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');

async function tabTo(page: Page, target: Locator): Promise<void> {
  await page.locator('[data-card] button:enabled', { hasText: 'Deny and say why' }).waitFor();
  for (let press = 0; press < 20; press += 1) {
    if (await target.evaluate((element) => element === document.activeElement)) return;
    await page.keyboard.press('Tab');
  }
  throw new Error('Twenty times Tab did not lead there.');
}

/** Both calls of the story stand in the chat, with how they ended. */
export async function bothCallsAreThere(page: Page): Promise<void> {
  await call(page, 'succeeded').getByText('Listed directory').waitFor();
  await call(page, 'denied').getByText('You said: That list is private.').waitFor();
  await log(page)
    .getByText(/You did not allow .*read_text_file/)
    .waitFor();
}

/** Finds the chat by a word of it, in the window's search, and opens it. */
export async function findChat(page: Page, word: string): Promise<void> {
  await composer(page).waitFor();
  await page.keyboard.press('ControlOrMeta+k');
  await page.getByRole('combobox').fill(word);
  await page.getByRole('option').first().waitFor();
  await page.getByRole('option').filter({ hasText: word }).first().click();
}

/** What axe finds wrong in the window as it stands, in the light and in the dark theme. */
export async function axeProblems(page: Page, where: string): Promise<string[]> {
  const found: string[] = [];
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme });
    for (const breach of await breachesOf(page)) found.push(`${where}, ${colorScheme}: ${breach}`);
  }
  await page.emulateMedia({ colorScheme: 'light' });
  return found;
}

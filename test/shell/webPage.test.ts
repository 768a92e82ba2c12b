/** The web shell as a person meets it: the built renderer in a real browser, the real host, the link that was printed. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { spawn } from 'node:child_process';
import { expect, test } from 'vitest';
import { launchBrowser } from '../doubles/browser.ts';

const main = fileURLToPath(new URL('../../main/web/main.ts', import.meta.url));

test('The printed link lets one tab in, a reload stays in, a second use of the link does not', { timeout: 90_000 }, async () => {
  const dataDir = await mkdtemp(path.join(tmpdir(), 'web-page-'));
  const child = spawn(process.execPath, [main, '--no-open'], {
    env: { ...process.env, MAITRE_DATA_DIR: dataDir },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const exited = new Promise<number | null>((resolve) => child.once('exit', resolve));
  let stdout = '';
  const link = await new Promise<string>((resolve, reject) => {
    child.stdout.on('data', (chunk: Buffer) => {
      stdout += chunk.toString();
      const found = /http:\S+/.exec(stdout)?.[0];
      if (stdout.includes('\n') && found !== undefined) resolve(found);
    });
    exited.then((code) => reject(new Error(`The web shell ended with ${code}.`)), reject);
  });
  expect(stdout.trim().split('\n')).toHaveLength(1);

  const browser = await launchBrowser();
  const page = await browser.newPage();
  const complaints: string[] = [];
  page.on('console', (message) => {
    if (message.type() === 'error') complaints.push(message.text());
  });
  await page.goto(link);
  const composer = page.getByRole('textbox').first();
  await composer.waitFor();
  expect(page.url()).not.toContain('token');
  expect(await page.evaluate(() => document.cookie)).toBe('');
  await page.reload();
  await composer.waitFor();
  expect(complaints).toEqual([]);

  const thief = await (await browser.newContext()).newPage();
  const answer = thief.waitForResponse((response) => response.url().endsWith('/session'));
  await thief.goto(link);
  expect((await answer).status()).toBe(403);
  expect(await thief.getByRole('textbox').count()).toBe(0);
  await browser.close();

  child.kill('SIGTERM');
  expect(await exited).toBe(0);
  await rm(dataDir, { recursive: true });
});

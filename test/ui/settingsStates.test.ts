import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { type State, testStates, useFixtures } from './stateTests.ts';

const fixtures = useFixtures();

const paste = async (page: Page, text: string) => {
  await page.getByRole('radio', { name: 'Paste JSON' }).click();
  await page.getByLabel('Configuration as JSON').fill(text);
  await page.getByRole('button', { name: 'Read', exact: true }).click();
};

/** States of the settings that only a person's hand brings about. */
const states: State[] = [
  [
    'the list of models',
    'models',
    (page) => page.getByRole('button', { name: /^Model of a new chat/ }).click(),
    (page) => page.getByRole('option', { name: /Claude Opus/ }).waitFor(),
  ],
  [
    'a key being typed',
    'models',
    (page) => page.getByRole('button', { name: 'Add key: OpenRouter' }).click(),
    (page) => page.getByLabel('Key for OpenRouter').waitFor(),
  ],
  [
    'the choice of a folder',
    'servers-files',
    (page) => page.getByRole('button', { name: 'Add folder' }).click(),
    (page) => page.getByRole('option', { name: '照片' }).waitFor(),
  ],
  [
    'the question before a server is removed',
    'servers-tools',
    (page) => page.getByRole('button', { name: 'Remove', exact: true }).click(),
    (page) => page.getByRole('button', { name: 'Remove server' }).waitFor(),
  ],
  [
    'a tool in whole',
    'servers-tools',
    (page) => page.getByRole('button', { name: /^create_issue/ }).click(),
    (page) => page.getByRole('group', { name: 'What it does' }).waitFor(),
  ],
  [
    'a pasted text that cannot be read',
    'servers-add',
    (page) => paste(page, '{\n  "mcpServers": {\n    "a": { "command": '),
    (page) => page.getByRole('button', { name: 'Go to the place' }).waitFor(),
  ],
  [
    'what a pasted text proposes',
    'servers-add',
    (page) => paste(page, '{}'),
    (page) => page.getByRole('button', { name: 'Add 2 servers' }).waitFor(),
  ],
  [
    'a form with everything wrong',
    'servers-add',
    async (page) => {
      await page.getByRole('textbox', { name: 'Command' }).fill('npx -y server');
      await page.getByRole('button', { name: 'Add variable' }).click();
      await page.getByLabel('Value of variable 1').fill('x');
      await page.locator('form:visible').getByRole('button', { name: 'Add server' }).click();
    },
    async (page) => {
      await page.getByText('This value has no name.').waitFor();
      await expect
        .poll(() => page.getByRole('textbox', { name: 'Name', exact: true }).evaluate((field) => field === document.activeElement))
        .toBe(true);
    },
  ],
];

const looks = [
  { theme: 'light', width: 1280 },
  { theme: 'dark', width: 400 },
] as const;

testStates(fixtures, 'the settings are accessible and break no policy', '', looks, states);

test('choosing a part moves nothing beside it', async () => {
  const { page, close } = await fixtures().open('servers-trace');
  const leftOf = async (role: 'tab' | 'radio', name: string) => (await page.getByRole(role, { name }).first().boundingBox())?.x;
  const log = await leftOf('tab', 'Log');
  const fromServer = await leftOf('radio', 'From the server');
  await page.getByRole('radio', { name: 'To the server' }).click();
  expect(await leftOf('radio', 'From the server')).toBe(fromServer);
  await page.getByRole('tab', { name: 'Tools' }).click();
  expect(await leftOf('tab', 'Log')).toBe(log);
  await close();
});

test('of what a failed server wrote, the end is in view', async () => {
  for (const [fixture, width] of [
    ['servers', 1280],
    ['servers-failed', 400],
  ] as const) {
    const { page, close } = await fixtures().open(fixture, { width });
    const box = page.getByLabel('The last it wrote');
    await box.waitFor();
    expect(await box.evaluate((pre) => pre.scrollHeight - pre.clientHeight)).toBeGreaterThan(0);
    await expect.poll(() => box.evaluate((pre) => Math.ceil(pre.scrollTop + pre.clientHeight) >= pre.scrollHeight)).toBe(true);
    await close();
  }
});

test('where there is no keychain, a secret of a bundle is not said to be stored', async () => {
  for (const [fixture, said] of [
    ['bundle-signed', 'It is stored encrypted and never shown again.'],
    ['bundle-no-keychain', 'No keychain was found: it is kept in memory until you quit, and never shown again.'],
  ] as const) {
    const { page, close } = await fixtures().open(fixture);
    await page.getByText(said, { exact: false }).waitFor();
    // Beside the words of its maker ours are a line of their own.
    await page.getByText('From notes.example, under Settings → Access.', { exact: true }).waitFor();
    await close();
  }
});

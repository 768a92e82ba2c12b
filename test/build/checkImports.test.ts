import { expect, test } from 'vitest';
import { importViolations } from '../../build/checkImports.ts';
import { importTableInMarkdown } from '../../build/importTable.ts';
import { root, temporaryFolder, writeFiles } from './project.ts';

function violationsOf(files: Readonly<Record<string, string>>): string[] {
  const folder = temporaryFolder();
  writeFiles(folder, { 'package.json': '{"dependencies":{"zod":"1.0.0"}}', ...files });
  return importViolations(folder);
}

test('Every import in the project is one that the table allows.', () => {
  expect(importViolations(root)).toEqual([]);
});

const refused: [file: string, text: string][] = [
  ['preload/contract/a.ts', "import 'node:fs';"],
  ['preload/contract/a.ts', "import type { Host } from '../../main/host/createHost.ts';"],
  ['preload/preload.ts', "import { commands } from './contract/commands.ts';"],
  ['preload/preload.ts', "import { createHost } from '../main/host/createHost.ts';"],
  ['preload/preload.ts', "import { join } from 'path';"],
  ['preload/second.ts', ''],
  ['main/host/a.ts', "import { app } from 'electron';"],
  ['main/host/a.ts', "import type { App } from 'electron';"],
  ['main/host/a.ts', "const electron = await import('electron');"],
  ['main/host/a.ts', "const electron = require('electron');"],
  ['main/host/a.ts', "export * from '../web/webShell.ts';"],
  ['main/host/a.ts', "let app: import('electron').App;"],
  ['main/host/a.ts', 'const hidden = await import(name);'],
  ['main/host/a.ts', "import 'react';"],
  ['main/electron/a.ts', "import { openDatabase } from '../host/store/database.ts';"],
  ['main/electron/a.ts', "import '../web/webShell.ts';"],
  ['main/web/a.ts', "import 'electron';"],
  ['main/cli/a.ts', "import '../../renderer/state/stores.ts';"],
  ['renderer/main.tsx', "import '../preload/contract/commands.ts';"],
  ['renderer/state/a.ts', "import { z } from 'zod';"],
  ['renderer/state/a.ts', "import type { Host } from '../../main/host/createHost.ts';"],
  ['renderer/state/a.ts', "import fs from 'fs';"],
  ['renderer/state/a.ts', "import 'left-pad';"],
  ['renderer/state/a.ts', "import { type Command } from '../../preload/contract/commands.ts';"],
  ['renderer/ui/a.tsx', "import { Chat } from '../features/chat/Chat.tsx';"],
  ['renderer/features/chat/a.tsx', "import { Servers } from '../servers/Servers.tsx';"],
  ['renderer/features/chat/a.tsx', "import { App } from '../../app/App.tsx';"],
];

test.each(refused)('In %s the checker refuses: %s', (file, text) => {
  expect(violationsOf({ [file]: `\n${text}\n` })).toEqual([expect.stringContaining(file)]);
});

const allowed: [file: string, text: string][] = [
  ['preload/contract/a.ts', "import { z } from 'zod'; import './b.ts';"],
  ['preload/preload.ts', "import 'electron'; import type { A } from './contract/commands.ts'; import './contract/bridge.ts';"],
  ['main/host/turn/a.ts', "import 'node:fs'; import 'zod'; import '../store/b.ts'; import '../../../preload/contract/commands.ts';"],
  ['main/electron/a.ts', "import 'electron'; import '../host/createHost.ts'; import './b.ts';"],
  [
    'renderer/features/chat/a.tsx',
    "import 'react'; import './b.tsx'; import '../../ui/Button.tsx'; import type { A } from '../../../preload/contract/calls.ts';",
  ],
  ['renderer/app/a.tsx', "import '../features/chat/Chat.tsx'; import '../../preload/contract/result.ts'; import './b.css?url';"],
];

test.each(allowed)('In %s the checker accepts: %s', (file, text) => {
  expect(violationsOf({ [file]: text })).toEqual([]);
});

test('ARCHITECTURE.md must show the table that is checked.', () => {
  expect(violationsOf({ 'ARCHITECTURE.md': `# Architecture\n\n${importTableInMarkdown()}\n` })).toEqual([]);
  expect(violationsOf({ 'ARCHITECTURE.md': '# Architecture\n' })).toEqual([expect.stringContaining('ARCHITECTURE.md')]);
});

import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { onTestFinished } from 'vitest';

/** The project's own folder, ending with a separator. */
export const root = fileURLToPath(new URL('../../', import.meta.url));

/** A folder of its own for one test, gone when the test ends. */
export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'maitre-build-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** Writes files, given by path relative to `folder`. */
export function writeFiles(folder: string, files: Readonly<Record<string, string>>): void {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
}

const configuration = [
  'package.json',
  'tsconfig.json',
  '.oxlintrc.json',
  '.prettierrc.json',
  '.prettierignore',
  'knip.json',
  'build/tsconfig.base.json',
  'build/tsconfig.json',
  'preload/tsconfig.json',
  'preload/contract/tsconfig.json',
  'main/host/tsconfig.json',
  'main/electron/tsconfig.json',
  'main/web/tsconfig.json',
  'main/cli/tsconfig.json',
  'renderer/tsconfig.json',
  'test/tsconfig.json',
];

/** A small project in every folder of the real one, under the real configuration of every tool and with the real packages. */
export function smallProject(files: Readonly<Record<string, string>>): string {
  const folder = temporaryFolder();
  for (const path of configuration) cpSync(join(root, path), join(folder, path));
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'), 'junction');
  writeFiles(folder, { ...goodFiles, ...files });
  return folder;
}

/** One sound file for each TypeScript project, so that a failure can only come from what a test adds. */
const goodFiles = {
  'preload/contract/result.ts': 'export type ResultCode = string;\n\nexport const codes: ResultCode[] = [];\n',
  'preload/preload.ts': "import type { ResultCode } from './contract/result.ts';\n\nconst code: ResultCode = 'none';\nvoid code;\n",
  'main/host/createHost.ts':
    "import { sep } from 'node:path';\nimport { codes } from '../../preload/contract/result.ts';\n\nexport const createHost = (): string => codes.join(sep);\n",
  'main/electron/main.ts': "import { createHost } from '../host/createHost.ts';\n\ncreateHost();\n",
  'main/web/main.ts': "import { createHost } from '../host/createHost.ts';\n\ncreateHost();\n",
  'main/cli/main.ts': "import { createHost } from '../host/createHost.ts';\n\ncreateHost();\n",
  'renderer/main.tsx': "import { codes } from '../preload/contract/result.ts';\n\nwindow.name = codes.join();\n",
  'build/start.ts': 'process.exitCode = 0;\n',
  'test/host/createHost.test.ts':
    "import { expect, test } from 'vitest';\nimport { createHost } from '../../main/host/createHost.ts';\n\ntest('It is made.', () => expect(createHost()).toBe(''));\n",
};

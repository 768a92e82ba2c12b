import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { root } from './project.ts';

test('The bench whose table nobody reads any more, as with `| head`, ends without a word.', async () => {
  const child = spawn(process.execPath, [join(root, 'test/bench/run.ts'), 'noticeStorm'], { cwd: root, stdio: ['ignore', 'pipe', 'pipe'] });
  child.stdout.destroy();
  let said = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => (said += text));
  const signal = await new Promise((resolve) => child.once('close', (_code, by) => resolve(by)));
  expect({ said, signal }).toEqual({ said: '', signal: null });
}, 120_000);

import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

/**
 * In a packaged build `process.execPath` is the application, and with the runAsNode fuse off it never runs as Node.
 * Here it becomes a program that says so and ends. Returns the real path of Node.
 */
export function refuseExecPath(): string {
  const node = process.execPath;
  const dir = mkdtempSync(path.join(tmpdir(), 'double-exec-'));
  const file = path.join(dir, 'maitre');
  writeFileSync(file, '#!/bin/sh\necho "double: the application does not run as Node (fuse runAsNode is off)." >&2\nexit 97\n');
  chmodSync(file, 0o755);
  process.execPath = file;
  process.on('exit', () => rmSync(dir, { recursive: true, force: true }));
  return node;
}

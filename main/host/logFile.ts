import { appendFileSync, mkdirSync, renameSync, rmSync, statSync } from 'node:fs';
import path from 'node:path';
import type { Clock, Log } from './ports.ts';
import { messageOf } from './refusal.ts';
import { createRedactor } from './redact.ts';

const maxBytes = 5 * 1024 * 1024;
const filesKept = 4;
const maxLine = 65_536;

/**
 * JSON lines in `maitre.log` of a folder, which is made with the first line; at 5 MiB the file becomes `maitre.1.log`, and the
 * oldest of four goes. Never throws: a line that cannot be written goes to stderr with the reason.
 */
export function createLogFile(dir: string, clock: Pick<Clock, 'now'>, limits: { maxBytes: number } = { maxBytes }): Required<Log> {
  const redactor = createRedactor();
  const numbered = (number: number): string => path.join(dir, number === 0 ? 'maitre.log' : `maitre.${number}.log`);
  let size: number | undefined;

  const append = (line: string): void => {
    if (size === undefined) {
      mkdirSync(dir, { recursive: true, mode: 0o700 });
      size = statSync(numbered(0), { throwIfNoEntry: false })?.size ?? 0;
    }
    const bytes = Buffer.byteLength(line);
    if (size > 0 && size + bytes > limits.maxBytes) {
      rmSync(numbered(filesKept - 1), { force: true });
      for (let number = filesKept - 2; number >= 0; number -= 1) {
        if (statSync(numbered(number), { throwIfNoEntry: false })) renameSync(numbered(number), numbered(number + 1));
      }
      size = 0;
    }
    appendFileSync(numbered(0), line, { mode: 0o600 });
    size += bytes;
  };

  const write = (level: 'info' | 'warn' | 'error', message: string, fields: Record<string, unknown> | undefined): void => {
    let line = '';
    try {
      // Redacted before it is cut: half a secret would no longer be known as one.
      const entry = { at: new Date(clock.now()).toISOString(), level, message: redactor.text(message) };
      line = JSON.stringify({ ...entry, ...(fields ? { fields: redactor.value(fields) } : {}) });
      if (line.length > maxLine)
        line = JSON.stringify({ ...entry, message: entry.message.slice(0, 8192), fields: line.slice(0, maxLine / 4) });
      append(`${line}\n`);
    } catch (error) {
      size = undefined;
      process.stderr.write(`${line || level}\nThe line above could not be written to the log: ${messageOf(error)}\n`);
    }
  };

  return {
    info: (message, fields) => write('info', message, fields),
    warn: (message, fields) => write('warn', message, fields),
    error: (message, fields) => write('error', message, fields),
    redact: (secret) => redactor.add(secret),
  };
}

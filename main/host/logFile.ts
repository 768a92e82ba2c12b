import type { Clock, Log } from './ports.ts';
import { messageOf } from './refusal.ts';
import { createRedactor } from './redact.ts';
import { createRotatingFile } from './rotatingFile.ts';

const maxBytes = 5 * 1024 * 1024;
const filesKept = 4;
const maxLine = 65_536;

/**
 * JSON lines in `maitre.log` of a folder, which is made with the first line; at 5 MiB the file becomes `maitre.1.log`, and the
 * oldest of four goes. Never throws: a line that cannot be written goes to stderr with the reason.
 */
export function createLogFile(dir: string, clock: Pick<Clock, 'now'>, limits: { maxBytes: number } = { maxBytes }): Required<Log> {
  const redactor = createRedactor();
  const file = createRotatingFile(dir, 'maitre', 'log', { maxBytes: limits.maxBytes, filesKept });

  const write = (level: 'info' | 'warn' | 'error', message: string, fields: Record<string, unknown> | undefined): void => {
    let line = '';
    try {
      // Redacted before it is cut: half a secret would no longer be known as one.
      const entry = { at: new Date(clock.now()).toISOString(), level, message: redactor.text(message) };
      line = JSON.stringify({ ...entry, ...(fields ? { fields: redactor.value(fields) } : {}) });
      if (line.length > maxLine)
        line = JSON.stringify({ ...entry, message: entry.message.slice(0, 8192), fields: line.slice(0, maxLine / 4) });
      file.append(`${line}\n`);
    } catch (error) {
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

import { appendFileSync, mkdirSync, renameSync, rmSync, statSync } from 'node:fs';
import path from 'node:path';

/** A text that grows at its end. Only the owner of the account can read it. */
export interface RotatingFile {
  readonly path: string;
  /** On the disk when this returns. Throws what the system says; the next call begins afresh. */
  append(text: string): void;
}

/**
 * `NAME.EXTENSION` in a folder that is made with the first text. Before it would pass `maxBytes` it becomes `NAME.1.EXTENSION`, and so
 * on; of `filesKept` files the oldest goes.
 */
export function createRotatingFile(
  dir: string,
  name: string,
  extension: string,
  limits: { maxBytes: number; filesKept: number },
): RotatingFile {
  const numbered = (number: number): string => path.join(dir, `${name}${number === 0 ? '' : `.${number}`}.${extension}`);
  let size: number | undefined;

  const write = (text: string): void => {
    if (size === undefined) {
      mkdirSync(dir, { recursive: true, mode: 0o700 });
      size = statSync(numbered(0), { throwIfNoEntry: false })?.size ?? 0;
    }
    const bytes = Buffer.byteLength(text);
    if (size > 0 && size + bytes > limits.maxBytes) {
      rmSync(numbered(limits.filesKept - 1), { force: true });
      for (let number = limits.filesKept - 2; number >= 0; number -= 1) {
        if (statSync(numbered(number), { throwIfNoEntry: false })) renameSync(numbered(number), numbered(number + 1));
      }
      size = 0;
    }
    appendFileSync(numbered(0), text, { mode: 0o600 });
    size += bytes;
  };

  return {
    path: numbered(0),
    append(text) {
      try {
        write(text);
      } catch (error) {
        size = undefined;
        throw error;
      }
    },
  };
}

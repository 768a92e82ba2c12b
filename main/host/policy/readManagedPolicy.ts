import { createHash } from 'node:crypto';
import { closeSync, fstatSync, openSync, readFileSync, realpathSync, statSync } from 'node:fs';
import path from 'node:path';
import { messageOf } from '../refusal.ts';
import { type Managed, ManagedPolicy } from './managedPolicy.ts';

/** Returns why an ordinary user could have written the file, as a sentence; undefined where only the administrator can. */
export type ProtectionCheck = (open: { descriptor: number; file: string }) => string | undefined;

const longestFile = 1_000_000;

/**
 * Reads the organisation's policy once, at the start. No file: no policy. Whatever else keeps it from being used makes it `broken`, never
 * ignored: unreadable, no JSON, a member that is not known, or a file that the very user it is for could have written.
 */
export function readManagedPolicy(file: string, problemOf: ProtectionCheck = whoCanWrite): Managed {
  const broken = (why: string): Managed => ({
    state: 'broken',
    path: file,
    problem: `The policy of your organisation cannot be used, so no server runs. ${why} Ask your administrator to mend ${file}.`,
  });
  let descriptor: number;
  try {
    descriptor = openSync(file, 'r');
  } catch (error) {
    if (error instanceof Error && 'code' in error && (error.code === 'ENOENT' || error.code === 'ENOTDIR')) return { state: 'none' };
    return broken(`It cannot be read: ${messageOf(error)}.`);
  }
  try {
    const unprotected = problemOf({ descriptor, file });
    if (unprotected !== undefined) return broken(unprotected);
    if (fstatSync(descriptor).size > longestFile) return broken('It is longer than 1 MB.');
    const text = readFileSync(descriptor, 'utf8').replace(/^\uFEFF/, '');
    const parsed = ManagedPolicy.safeParse(JSON.parse(text));
    if (!parsed.success) {
      const [issue] = parsed.error.issues;
      const place = issue?.path.map(String).join('.') ?? '';
      return broken(`${place === '' ? '' : `In ${place}: `}${issue?.message ?? 'It has the wrong form'}.`);
    }
    return { state: 'set', policy: parsed.data, hash: createHash('sha256').update(text).digest('hex') };
  } catch (error) {
    return broken(`It cannot be read: ${messageOf(error)}.`);
  } finally {
    closeSync(descriptor);
  }
}

/** POSIX: root owns the file and every folder above it, and nobody else may write there. Windows does not tell by modes. */
function whoCanWrite({ descriptor, file }: { descriptor: number; file: string }): string | undefined {
  if (process.platform === 'win32') return undefined;
  const { uid, mode } = fstatSync(descriptor);
  if (uid !== 0) return 'It does not belong to the administrator (root).';
  if ((mode & 0o022) !== 0) return 'Others than the administrator may write to it.';
  for (let folder = path.dirname(realpathSync(file)); ; folder = path.dirname(folder)) {
    const above = statSync(folder);
    // In a folder with the sticky bit nobody can put another file in the place of root's.
    const replaceable = (above.mode & 0o022) !== 0 && (above.mode & 0o1000) === 0;
    if (above.uid !== 0 || replaceable) return `Others than the administrator may replace it, since they may write to ${folder}.`;
    if (folder === path.dirname(folder)) return undefined;
  }
}

import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { findProgram } from '../findProgram.ts';

const answersWithinMs = 5000;

/** The version of the Python that is found in PATH, asked of itself; undefined where none answers. It runs nothing of any bundle. */
export async function findPython(path: string, platform: NodeJS.Platform, cwd: string): Promise<string | undefined> {
  for (const name of platform === 'win32' ? ['python', 'py'] : ['python3', 'python']) {
    const program = findProgram(name, { path, cwd, platform });
    if (program === undefined) continue;
    const version = await versionOf(program, path, cwd);
    if (version !== undefined) return version;
  }
  return undefined;
}

async function versionOf(program: string, path: string, cwd: string): Promise<string | undefined> {
  try {
    // `-I`: neither variables nor files of the folder it runs in have a say in what it runs.
    const { stdout } = await promisify(execFile)(program, ['-I', '--version'], { timeout: answersWithinMs, cwd, env: { PATH: path } });
    return /^Python (\d+\.\d+(\.\d+)?)/.exec(stdout)?.[1];
  } catch (error) {
    // It is no Python, or a broken one: then there is none.
    if (error instanceof Error) return undefined;
    throw error;
  }
}

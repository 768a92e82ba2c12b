import { chmod, mkdir, open, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { messageOf } from '../../refusal.ts';
import { digestFolder } from './digestFolder.ts';
import { readManifest, type Manifest } from './manifest.ts';
import { type FoundSignature, splitSignature, systemRoots, verifySignature } from './signature.ts';
import { entrySteps } from './entryNames.ts';
import { UnpackProblem, unpackBundle, type UnpackLimits, usualLimits } from './unpackBundle.ts';

const largestManifest = 1_048_576;

export interface OpenedBundle {
  manifest: Manifest;
  warnings: string[];
  signature: Exclude<FoundSignature, { state: 'broken' }>;
  /** Of the unpacked files, as {@link digestFolder} makes it. */
  digest: string;
  files: number;
  bytes: number;
}

/**
 * Reads a bundle and unpacks it into `folder`, which must not exist. Runs nothing of it. `problem` is a sentence about why it cannot be
 * used, `detail` what the reader of archives says of it; what was written by then is for the caller to remove. `roots`: whom to trust
 * instead of the system, in PEM.
 */
export async function openBundle(input: {
  file: string;
  folder: string;
  platform: NodeJS.Platform;
  roots?: readonly string[] | undefined;
  limits?: UnpackLimits | undefined;
}): Promise<{ ok: true; bundle: OpenedBundle } | { ok: false; problem: string; detail?: string }> {
  const { folder, platform } = input;
  try {
    const { content, signature: block, isBroken } = splitSignature(await readFile(input.file));
    const signature: FoundSignature = isBroken
      ? { state: 'broken', problem: 'Its signature is cut off or damaged. Get it again from where it comes from.' }
      : block
        ? await verifySignature(content, block, input.roots ?? systemRoots())
        : { state: 'unsigned' };
    if (signature.state === 'broken') return { ok: false, problem: signature.problem };

    await mkdir(folder, { mode: 0o755 });
    const { files, bytes } = await unpackBundle(content, folder, platform, input.limits ?? usualLimits);
    const json = await readManifestFile(join(folder, 'manifest.json'));
    if (json === undefined)
      return { ok: false, problem: 'It has no manifest.json of a usual size at its root, so it is no bundle of a server.' };
    const read = readManifest(json);
    if (!read.ok) return read;
    const problem = await settleEntryPoint(folder, read.manifest, platform);
    if (problem !== undefined) return { ok: false, problem };
    const { digest } = await digestFolder({ folder });
    return { ok: true, bundle: { manifest: read.manifest, warnings: read.warnings, signature, digest, files, bytes } };
  } catch (error) {
    if (!(error instanceof UnpackProblem)) throw error;
    return { ok: false, problem: error.message, ...(error.cause === undefined ? {} : { detail: messageOf(error.cause) }) };
  }
}

async function readManifestFile(path: string): Promise<string | undefined> {
  try {
    const file = await open(path);
    try {
      if ((await file.stat()).size > largestManifest) return undefined;
      return await file.readFile('utf8');
    } finally {
      await file.close();
    }
  } catch (error) {
    if (error instanceof Error && 'code' in error && (error.code === 'ENOENT' || error.code === 'EISDIR')) return undefined;
    throw error;
  }
}

/** A program must be there, and be one that can be run: an archive that was made on Windows says of no file that it can. */
async function settleEntryPoint(folder: string, { server }: Manifest, platform: NodeJS.Platform): Promise<string | undefined> {
  const named = entrySteps(server.entry_point.replace(/^\.\//, ''), platform);
  if (named.problem !== undefined) return 'Its manifest names an entry point outside of the bundle.';
  const path = join(folder, ...named.steps);
  const candidates = platform === 'win32' && server.type === 'binary' ? [path, `${path}.exe`] : [path];
  for (const candidate of candidates) {
    if (!(await isFile(candidate))) continue;
    if (server.type === 'binary') await chmod(candidate, 0o755);
    return undefined;
  }
  return `It does not hold the program that its manifest names: ${JSON.stringify(server.entry_point)}.`;
}

async function isFile(path: string): Promise<boolean> {
  try {
    return (await stat(path)).isFile();
  } catch (error) {
    if (error instanceof Error && 'code' in error) return false;
    throw error;
  }
}

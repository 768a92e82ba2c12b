import { createWriteStream } from 'node:fs';
import { chmod, mkdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { crc32 } from 'node:zlib';
import yauzl from 'yauzl';
import { createNames, entrySteps } from './entryNames.ts';

/** What an archive may come to. Bytes. */
export interface UnpackLimits {
  entries: number;
  entryBytes: number;
  totalBytes: number;
  /** How many times larger than in the archive a file may be; small ones may be so anyhow. */
  ratio: number;
  /** Up to here no ratio is looked at. */
  ratioFromBytes: number;
}

/** Large enough for a bundle with a whole runtime in it. */
export const usualLimits: UnpackLimits = {
  entries: 50_000,
  entryBytes: 512 * 1024 * 1024,
  totalBytes: 1024 * 1024 * 1024,
  ratio: 100,
  ratioFromBytes: 4 * 1024 * 1024,
};

/**
 * A sentence about an archive that is not unpacked; its `cause`, where it has one, is what the reader of archives says. What was written by
 * then is for the caller to remove.
 */
export class UnpackProblem extends Error {}

const again = 'Get it again from where it comes from.';
/** With it begins the first file of an archive. */
const firstHeader = Buffer.from('PK\u0003\u0004');

const kindMask = 0o170_000;
const ordinaryFile = 0o100_000;
const folderKind = 0o040_000;

/**
 * Unpacks an archive into `folder`, which must be new and empty. All names are looked at before the first file is written; nothing is
 * written outside of the folder, nothing over another file, and neither links nor anything else that is no file. Rights to be run are kept, no others.
 */
export async function unpackBundle(
  content: Buffer,
  folder: string,
  platform: NodeJS.Platform,
  limits: UnpackLimits = usualLimits,
): Promise<{ files: number; bytes: number }> {
  const zip = await openZip(content);
  const planned = await plan(zip, content.length, platform, limits);
  let bytes = 0;
  for (const { entry, steps, isFolder } of planned) {
    const path = join(folder, ...steps);
    await mkdir(isFolder ? path : dirname(path), { recursive: true, mode: 0o755 });
    if (isFolder) continue;
    bytes += await write(zip, entry, path, Math.min(limits.entryBytes, limits.totalBytes - bytes));
  }
  return { files: planned.filter(({ isFolder }) => !isFolder).length, bytes };
}

interface Planned {
  entry: yauzl.Entry;
  steps: string[];
  isFolder: boolean;
}

async function plan(zip: yauzl.ZipFile, size: number, platform: NodeJS.Platform, limits: UnpackLimits): Promise<Planned[]> {
  if (zip.entryCount > limits.entries) throw new UnpackProblem(`It holds more than ${limits.entries} files.`);
  const names = createNames();
  const planned: Planned[] = [];
  let total = 0;
  for await (const entry of entriesOf(zip)) {
    const named = entrySteps(nameOf(entry), platform);
    if (named.problem !== undefined) throw new UnpackProblem(named.problem);
    const { steps, isFolder } = named;
    const meets = names.add(steps, isFolder);
    if (meets !== undefined) throw new UnpackProblem(meets);
    const shown = JSON.stringify(steps.join('/'));
    const kind = (entry.externalFileAttributes >>> 16) & kindMask;
    if (kind !== 0 && kind !== (isFolder ? folderKind : ordinaryFile))
      throw new UnpackProblem(`It holds a link or a device where a file should be: ${shown}.`);
    if (entry.isEncrypted() || !entry.canDecodeFileData())
      throw new UnpackProblem(`It holds a file that is packed in an unknown way: ${shown}.`);
    total += entry.uncompressedSize;
    if (entry.uncompressedSize > limits.entryBytes || total > limits.totalBytes)
      throw new UnpackProblem(
        `Unpacked it is larger than ${Math.round(limits.totalBytes / 1_048_576)} MB, or one of its files larger than ${Math.round(limits.entryBytes / 1_048_576)} MB.`,
      );
    if (entry.uncompressedSize > limits.ratioFromBytes && entry.uncompressedSize > limits.ratio * Math.max(1, entry.compressedSize))
      throw new UnpackProblem(`It holds a file that grows more than ${limits.ratio} times when it is unpacked: ${shown}.`);
    planned.push({ entry, steps, isFolder });
  }
  // Entries that share bytes of the archive: each alone keeps to the ratio.
  if (total > limits.ratioFromBytes && total > limits.ratio * size)
    throw new UnpackProblem(`It grows more than ${limits.ratio} times when it is unpacked.`);
  return planned;
}

async function openZip(content: Buffer): Promise<yauzl.ZipFile> {
  try {
    // Names are read by ourselves, from their bytes: an extra field must not put another one in their place.
    return await yauzl.fromBufferPromise(content, { decodeStrings: false, validateEntrySizes: true });
  } catch (error) {
    const sentence = content.subarray(0, firstHeader.length).equals(firstHeader)
      ? `It is no whole ZIP archive: its end is missing or damaged. ${again}`
      : `It is no ZIP archive, as every bundle is. ${again}`;
    throw new UnpackProblem(sentence, { cause: error });
  }
}

async function* entriesOf(zip: yauzl.ZipFile): AsyncGenerator<yauzl.Entry> {
  const entries = zip.eachEntry();
  for (;;) {
    let next: IteratorResult<yauzl.Entry>;
    try {
      next = await entries.next();
    } catch (error) {
      throw new UnpackProblem(`It is damaged: its list of files cannot be read. ${again}`, { cause: error });
    }
    if (next.done === true) return;
    yield next.value;
  }
}

/** UTF-8, whatever the entry says of its encoding: every packer of bundles writes that, and ASCII is the same in all of them. */
function nameOf(entry: yauzl.Entry): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(entry.fileNameRaw);
  } catch (error) {
    if (error instanceof TypeError) throw new UnpackProblem('It holds a file whose name is not UTF-8.');
    throw error;
  }
}

/** Returns the bytes that were written. */
async function write(zip: yauzl.ZipFile, entry: yauzl.Entry, path: string, mostBytes: number): Promise<number> {
  let sum = 0;
  let bytes = 0;
  const counted = new Transform({
    transform(chunk: Buffer, _encoding, next) {
      sum = crc32(chunk, sum);
      bytes += chunk.length;
      next(bytes > mostBytes ? new UnpackProblem('Unpacked it is larger than it says.') : null, chunk);
    },
  });
  const runs = ((entry.externalFileAttributes >>> 16) & 0o111) !== 0;
  const file = createWriteStream(path, { flags: 'wx', mode: runs ? 0o755 : 0o644 });
  try {
    await pipeline(await zip.openReadStreamPromise(entry), counted, file);
  } catch (error) {
    // The disk's own words (it is full, it may not be written to) are for the caller.
    if (error instanceof UnpackProblem || (error instanceof Error && 'syscall' in error)) throw error;
    throw new UnpackProblem(`It is damaged: ${JSON.stringify(nameOf(entry))} cannot be unpacked. ${again}`, { cause: error });
  }
  if (sum !== entry.crc32)
    throw new UnpackProblem(`It is damaged: the contents of ${JSON.stringify(nameOf(entry))} are not those that were packed. ${again}`);
  // The process's mask must not take the right to be run away.
  if (runs) await chmod(path, 0o755);
  return bytes;
}

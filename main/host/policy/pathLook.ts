import { closeSync, constants, fstatSync, lstatSync, openSync, readFileSync, readlinkSync, readSync, type Stats } from 'node:fs';
import nodePath from 'node:path';
import type { Finding, PathLook } from '../../../preload/contract/policy.ts';
import { findSecrets, withSecretsMasked } from './findSecrets.ts';
import { privateKeyAt } from './keyStructure.ts';
import { isInside, type PathSystem } from './paths.ts';

/** A path that an argument names: absolute, of this computer, without `..`. */
export interface PathToLookAt {
  at: string;
  path: string;
  /** Nobody said that the argument is a path, it only looks like one: what is not there, and folders, are not shown. */
  guessed: boolean;
}

const headBytes = 256 * 1024;
const lookMs = 200;
const previewLength = 2000;
const mostLinks = 40;

/** File systems where a look would be a message to another computer, or wait for one. */
const remoteTypes = /^(nfs|cifs|smb|autofs|afs|ceph|9p|ncp|coda|davfs|lustre|gluster|sshfs|fuse(?!blk|ctl))/i;

/** Folders behind which other computers may stand, as real paths. */
function remotePlaces(platform: NodeJS.Platform): string[] {
  if (platform === 'darwin') return ['/net', '/home', '/Network', '/Volumes'];
  if (platform !== 'linux') return [];
  return readFileSync('/proc/self/mountinfo', 'utf8')
    .split('\n')
    .flatMap((line) => {
      const [mount = '', filesystem = ''] = line.split(' - ');
      const place = mount.split(' ')[4];
      return place !== undefined && remoteTypes.test(filesystem)
        ? [place.replaceAll(/\\([0-7]{3})/g, (_, octal: string) => String.fromCharCode(Number.parseInt(octal, 8)))]
        : [];
    });
}

type Place = { state: 'there'; real: string; stats: Stats } | { state: 'missing' | 'remote' | 'unreadable' };

const codeOf = (error: unknown): unknown => (error instanceof Error && 'code' in error ? error.code : undefined);

/** Follows a path step by step, and never sets foot on another computer: `realpath` would ask it before anybody could say no. */
function follow(path: string, remote: readonly string[], system: PathSystem): Place {
  const { root } = nodePath.parse(path);
  const stepsOf = (text: string): string[] =>
    text.split(nodePath.sep === '\\' ? /[\\/]/ : '/').filter((step) => step !== '' && step !== '.');
  let real = root;
  let left = stepsOf(path.slice(root.length));
  let stats: Stats | undefined;
  let links = 0;
  try {
    while (left.length > 0) {
      const [step = '', ...rest] = left;
      left = rest;
      if (step === '..') {
        real = nodePath.dirname(real);
        continue;
      }
      const next = nodePath.join(real, step);
      if (remote.some((place) => isInside(next, place, system))) return { state: 'remote' };
      stats = lstatSync(next);
      if (!stats.isSymbolicLink()) {
        real = next;
        continue;
      }
      links += 1;
      const target = readlinkSync(next);
      if (links > mostLinks) return { state: 'unreadable' };
      if (nodePath.isAbsolute(target)) {
        const begin = nodePath.parse(target).root;
        if (system.platform === 'win32' && !/^[A-Za-z]:\\$/.test(begin)) return { state: 'remote' };
        real = begin;
        left = [...stepsOf(target.slice(begin.length)), ...left];
      } else left = [...stepsOf(target), ...left];
    }
    return { state: 'there', real, stats: lstatSync(real) };
  } catch (error) {
    const code = codeOf(error);
    if (code === undefined) throw error;
    return { state: code === 'ENOENT' || code === 'ENOTDIR' ? 'missing' : 'unreadable' };
  }
}

/** The beginning of a file that is still the one that was found. Undefined when it is another by now, or takes too long. */
function headOf(real: string, found: Stats, deadline: number): Buffer | undefined {
  // Not blocking: opening a pipe would else wait for its other end. The name may stand for something else since it was looked at.
  const file = openSync(real, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0));
  try {
    const opened = fstatSync(file);
    if (!opened.isFile() || opened.ino !== found.ino || opened.dev !== found.dev) return undefined;
    const head = Buffer.alloc(Math.min(headBytes, Number(opened.size)));
    let filled = 0;
    while (filled < head.length) {
      if (performance.now() > deadline) return undefined;
      const read = readSync(file, head, filled, Math.min(65_536, head.length - filled), filled);
      if (read === 0) break;
      filled += read;
    }
    return head.subarray(0, filled);
  } finally {
    closeSync(file);
  }
}

/** Undefined for what is no text. A character that the end of the head cuts is dropped. */
function textOf(head: Buffer): string | undefined {
  if (head.includes(0)) return undefined;
  const text = new TextDecoder('utf-8').decode(head, { stream: true });
  return text.includes('\ufffd') ? undefined : text;
}

/** What is found where a file is no text as a whole: one odd byte must not hide a key, nor may the zeros between the letters of UTF-16. */
async function kindsInBytes(head: Buffer, now: number): Promise<string[]> {
  const secrets = await findSecrets(head.toString('latin1').replaceAll('\0', ''), now);
  return [...new Set(secrets.map(({ kind }) => kind))];
}

const keyStore = /\.(p12|pfx|jks|keystore|kdbx?|keychain(-db)?)$/i;

/**
 * What a path argument names, as far as the host can see without going where the path should not lead: links are followed only within
 * the folder that the user picked, or else the folder that the path itself names; devices, pipes and sockets are not opened, other
 * computers not asked; of a file the first 256 KiB are read, for at most 200 ms. What stands there when the server reads it may be
 * something else: this is a look, no promise. For a worker: reads files while it runs.
 */
export async function lookAtPath(
  { at, path, guessed }: PathToLookAt,
  folders: readonly string[],
  system: PathSystem,
  now: number,
): Promise<{ look: PathLook; findings: Finding[] } | undefined> {
  const deadline = performance.now() + lookMs;
  const remote = remotePlaces(system.platform);
  const picked = folders.find((folder) => isInside(path, folder, system));
  const show = (state: PathLook['state'], more: Partial<PathLook> = {}): PathLook => ({
    at,
    path,
    state,
    inside: picked !== undefined,
    ...more,
  });
  const place = follow(path, remote, system);
  if (place.state === 'missing' && guessed) return undefined;
  if (place.state === 'missing') return { look: show('missing'), findings: [] };
  if (place.state !== 'there') return { look: show('unreadable'), findings: [] };
  const { real, stats } = place;
  const above = follow(picked ?? nodePath.dirname(path), remote, system);
  if (above.state !== 'there' || !isInside(real, above.real, system)) return { look: show('linkOut', { inside: false }), findings: [] };
  const inside = folders.some((folder) => isInside(real, folder, system));
  if (stats.isDirectory()) return guessed ? undefined : { look: show('folder', { inside }), findings: [] };
  if (!stats.isFile()) return { look: show('unreadable', { inside }), findings: [] };
  const file = { inside, bytes: Number(stats.size) };
  let head: Buffer | undefined;
  try {
    head = headOf(real, stats, deadline);
  } catch (error) {
    if (codeOf(error) === undefined) throw error;
  }
  if (head === undefined) return { look: show('unreadable', file), findings: [] };
  const text = textOf(head);
  if (text === undefined) {
    const kinds = keyStore.test(real) ? ['key store'] : privateKeyAt(head) !== undefined ? ['private key'] : await kindsInBytes(head, now);
    const findings = kinds.map((kind): Finding => ({ at, where: 'file', path, kind, preview: nodePath.basename(real) }));
    return { look: show('file', file), findings };
  }
  const secrets = await findSecrets(text, now);
  return {
    look: show('file', { ...file, preview: withSecretsMasked(text, secrets).slice(0, previewLength).toWellFormed() }),
    findings: secrets.map(({ kind, lines, preview }) => ({ at, where: 'file', path, kind, lines, preview })),
  };
}

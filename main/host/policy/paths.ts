import { lstat, realpath } from 'node:fs/promises';
import nodePath from 'node:path';
import { fileURLToPath } from 'node:url';

/** The system whose paths are meant. `home` is what `~` stands for. */
export interface PathSystem {
  platform: NodeJS.Platform;
  home: string;
}

const longestPath = 4096;
const mostSegments = 256;
/** Percent signs may be decoded once by a server, and again by what it calls. */
const mostDecodings = 4;

const isWindows = ({ platform }: Pick<PathSystem, 'platform'>): boolean => platform === 'win32';
const pathsOf = (system: Pick<PathSystem, 'platform'>) => (isWindows(system) ? nodePath.win32 : nodePath.posix);

/** How a path would be taken apart: what stands in its steps does not matter, only whether they climb, and where they begin. */
const shapeOf = (path: string): string =>
  path
    .split(/[\\/]/)
    .map((step) => (/^\.{1,2}$|^~|^[a-z]+:|\0/i.test(step) ? step : 'x'))
    .join('/');

/** With percent signs taken for escapes, once. */
export function percentDecoded(text: string): string {
  return text.replaceAll(/(?:%[0-9a-f]{2})+/gi, (escapes) => {
    const bytes = Buffer.from(escapes.replaceAll('%', ''), 'hex');
    return bytes.toString('utf8');
  });
}

/** Whether a server that takes percent signs for escapes would read another way of steps in this path. */
function hidesSteps(path: string): boolean {
  let text = path;
  for (let round = 0; round < mostDecodings && text.includes('%'); round++) {
    text = percentDecoded(text);
    if (shapeOf(text) !== shapeOf(path)) return true;
  }
  // Wrapped more often than anybody has reason to.
  return percentDecoded(text) !== text;
}

/** Whether somebody could read a step that leads up in a path or an address, behind percent signs too. */
export function climbs(text: string): boolean {
  // Parsers of addresses pass over these.
  let read = text.replaceAll(/[\t\n\r]/g, '');
  for (let round = 0; round <= mostDecodings; round++) {
    if (read.split(/[\\/?#]/).some((step) => /^\s*\.\.\s*(;|$)/.test(step))) return true;
    const next = percentDecoded(read);
    if (next === read) return false;
    read = next;
  }
  return true;
}

/** `file:` addresses as paths; undefined for those of another computer, and for those that climb. */
function pathOfFileUrl(text: string, system: PathSystem): string | undefined {
  // Who takes the address apart by hand does not climb where the parser of URLs does.
  if (/(^|[\\/])(\.|%2e){2}([\\/]|$)/i.test(text)) return undefined;
  const url = URL.parse(text);
  if (url === null || url.host !== '' || url.search !== '' || url.hash !== '' || !/^file:\/\//i.test(text)) return undefined;
  try {
    return fileURLToPath(url, { windows: isWindows(system) });
  } catch (error) {
    if (error instanceof TypeError) return undefined;
    throw error;
  }
}

const deviceName = /^(con|prn|aux|nul|com[0-9¹²³]|lpt[0-9¹²³]|conin\$|conout\$)(\.|$)/i;

/** An absolute path of Windows in one form; undefined for shares, devices, streams, and what depends on the folder a program runs in. */
function windowsPath(text: string): string | undefined {
  const slashed = text.replaceAll('/', '\\').replace(/^\\\\\?\\(?=[A-Za-z]:\\)/, '');
  if (!/^[A-Za-z]:\\/.test(slashed)) return undefined;
  const steps = slashed.slice(3).split('\\');
  // Windows drops dots and spaces at the end of a name.
  const names = steps.map((step) => (/^\.{1,2}$/.test(step) ? step : step.replace(/[. ]+$/, '')));
  if (names.some((name, index) => name.includes(':') || deviceName.test(name) || (name === '' && steps[index] !== ''))) return undefined;
  return `${slashed.slice(0, 1).toUpperCase()}:\\${names.join('\\')}`;
}

/**
 * A path that an argument names, absolute, in the way of writing of the system, with its steps as they are: `..` stands in it still.
 * Undefined where programs could disagree about what it means: relative paths, homes of others, shares of other computers, control
 * characters, steps hidden behind percent signs, backslashes where they are no separators.
 */
export function writtenPath(text: string, system: PathSystem): string | undefined {
  // oxlint-disable-next-line no-control-regex
  if (text.length > longestPath || /[\u0000-\u001f\u007f]/.test(text)) return undefined;
  let path = /^file:/i.test(text) ? pathOfFileUrl(text, system) : text;
  if (path === undefined || hidesSteps(path)) return undefined;
  if (path === '~' || /^~[\\/]/.test(path)) path = `${system.home}${path.slice(1)}`;
  if (isWindows(system)) return windowsPath(path);
  // Two slashes at the beginning are a share to some programs.
  if (!path.startsWith('/') || path.startsWith('//') || path.includes('\\')) return undefined;
  return path;
}

const codeOf = (error: unknown): unknown => (error instanceof Error && 'code' in error ? error.code : undefined);

const isMissing = (error: unknown): boolean => codeOf(error) === 'ENOENT' || codeOf(error) === 'ENOTDIR';

async function isLink(path: string): Promise<boolean> {
  try {
    return (await lstat(path)).isSymbolicLink();
  } catch (error) {
    if (isMissing(error)) return false;
    throw error;
  }
}

/** The real path of what is there, with what is not there yet behind it. Undefined where that cannot be said. */
async function followed(path: string, system: PathSystem): Promise<string | undefined> {
  const paths = pathsOf(system);
  const missing: string[] = [];
  let present = path.replace(/[\\/]+$/, '');
  if (/^[A-Za-z]:$/.test(present)) present = `${present}\\`;
  for (let step = 0; step < mostSegments; step++) {
    try {
      return paths.join(await realpath(present === '' ? '/' : present), ...missing.toReversed());
    } catch (error) {
      if (!isMissing(error)) return undefined;
    }
    // A link that leads nowhere yet would be followed by whoever writes there.
    if (await isLink(present)) return undefined;
    const name = paths.basename(present);
    const parent = paths.dirname(present);
    if (name === '..' || name === '.' || parent === present) return undefined;
    missing.push(name);
    present = parent;
  }
  return undefined;
}

/**
 * What a path leads to, links followed, where the file itself need not be there yet. '' where that cannot be said for certain: it then
 * counts as outside of everything. A path that climbs (`..`) must lead to the same place whether links are followed before or after.
 */
export async function realPathOf(text: string, system: PathSystem): Promise<string> {
  const written = writtenPath(text, system);
  if (written === undefined) return '';
  const plain = pathsOf(system).normalize(written);
  try {
    const real = await followed(plain, system);
    if (real === undefined) return '';
    const climbs = written.split(/[\\/]/).includes('..');
    return !climbs || (await followed(written, system)) === real ? real : '';
  } catch (error) {
    // The system forbids to look, or the disk does not answer: nothing is known of it.
    if (codeOf(error) === undefined) throw error;
    return '';
  }
}

/** Whether a real path is a folder or lies in it, by the system's rules for capitals. */
export function isInside(real: string, folder: string, system: Pick<PathSystem, 'platform'>): boolean {
  if (real === '' || folder === '') return false;
  const caseBlind = system.platform === 'win32' || system.platform === 'darwin';
  const form = (path: string): string => (caseBlind ? path.normalize('NFC').toLowerCase() : path);
  const { sep } = pathsOf(system);
  const above = form(folder.endsWith(sep) ? folder : folder + sep);
  return form(real) === form(folder) || form(real).startsWith(above);
}

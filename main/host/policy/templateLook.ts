import { posix, win32 } from 'node:path';
import { isInside, type PathSystem, realPathOf, writtenPath } from './paths.ts';

/** Percent signs may be decoded by a server, and again by what it calls. */
const mostDecodings = 4;

/**
 * Where the address of a file that a person made of a template leads to, when a link takes it out of the folder that it names: that is the
 * picked folder that it lies in, else the one that the template writes down, else the one around the file. Undefined where it stays
 * inside, is no file of this computer, or leads nowhere that could be known. Follows links on the disk. Servers that take percent signs
 * for escapes once more are thought of.
 *
 * @param folders those that the server was given, as real paths
 */
export async function leadsOutOf(
  { uri, uriTemplate, folders }: { uri: string; uriTemplate: string; folders: readonly string[] },
  system: PathSystem,
): Promise<string | undefined> {
  if (!/^file:/i.test(uri)) return undefined;
  const paths = system.platform === 'win32' ? win32 : posix;
  for (const read of readings(uri)) {
    const written = writtenPath(read, system);
    if (written === undefined) continue;
    const path = paths.normalize(written);
    const named = folders.find((folder) => isInside(path, folder, system)) ?? fixedFolder(uriTemplate, system) ?? paths.dirname(path);
    const [real, within] = [await realPathOf(read, system), await realPathOf(named, system)];
    if (real !== '' && !isInside(real, within, system) && !folders.some((folder) => isInside(real, folder, system))) return real;
  }
  return undefined;
}

/** An address as it stands, and as it is with its percent signs decoded, until nothing is left to decode. */
function readings(uri: string): string[] {
  const found = [uri];
  for (let last = uri; found.length <= mostDecodings && last.includes('%');) {
    const decoded = last.replaceAll(/(?:%[0-9a-f]{2})+/gi, (escapes) => Buffer.from(escapes.replaceAll('%', ''), 'hex').toString('utf8'));
    if (decoded === last) break;
    // As an address again, which the reading of addresses decodes: of `%2541` it makes `%41`, and of that `A`.
    found.push(decoded);
    last = decoded;
  }
  return found;
}

/** The folder that a template writes down before its first expression; undefined where that is the whole disk. */
function fixedFolder(uriTemplate: string, system: PathSystem): string | undefined {
  const fixed = uriTemplate.slice(0, uriTemplate.includes('{') ? uriTemplate.indexOf('{') : undefined);
  const folder = writtenPath(fixed.slice(0, fixed.lastIndexOf('/')), system);
  return folder === undefined || /^([A-Za-z]:)?[\\/]*$/.test(folder) ? undefined : folder;
}

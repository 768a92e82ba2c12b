/** Lengths in characters: below what the usual file systems take, with room for the folders around. */
const longestName = 200;
const longestPath = 500;
const deepest = 40;

/** What no file may be called on Windows, whatever stands behind the dot. */
const reserved = /^(con|prn|aux|nul|com[0-9¹²³]|lpt[0-9¹²³]|conin\$|conout\$)(\.|$)/i;

/**
 * The steps of an entry of an archive below the folder that it is unpacked to; a sentence where it could lead anywhere else, or to another
 * place on one system than on another. `isFolder`: its name ends with a slash.
 */
export function entrySteps(
  name: string,
  platform: NodeJS.Platform,
): { steps: string[]; isFolder: boolean; problem?: undefined } | { problem: string } {
  const shown = JSON.stringify(name.length > 200 ? `${name.slice(0, 200)}…` : name);
  const isFolder = name.endsWith('/');
  const steps = (isFolder ? name.slice(0, -1) : name).split('/');
  if (name === '' || name === '/') return { problem: 'It holds a file without a name.' };
  // oxlint-disable-next-line no-control-regex
  if (/[\u0000-\u001f\u007f]/.test(name)) return { problem: `It holds a file with a control character in its name: ${shown}.` };
  if (name.includes('\\')) return { problem: `It holds a file with a backslash in its name: ${shown}.` };
  if (name.startsWith('/') || /^[A-Za-z]:/.test(name)) return { problem: `It holds a file with a place of its own on the disk: ${shown}.` };
  if (steps.includes('..')) return { problem: `It holds a file that would lie outside of its folder: ${shown}.` };
  if (steps.some((step) => step === '' || step === '.')) return { problem: `It holds a file whose name has empty steps: ${shown}.` };
  if (name.length > longestPath || steps.length > deepest || steps.some((step) => step.length > longestName))
    return { problem: `It holds a file whose name is too long: ${shown}.` };
  if (platform === 'win32' && steps.some((step) => reserved.test(step) || /[<>:"|?*]|[. ]$/.test(step)))
    return { problem: `It holds a file that Windows cannot have: ${shown}.` };
  return { steps, isFolder };
}

/** Names that one of the usual systems takes for the same: without regard to upper and lower case and to how accents are written. */
export const sameNameKey = (name: string): string => name.normalize('NFC').toUpperCase().toLowerCase().normalize('NFC');

/** Remembers names, and says where two of them would meet on one of the usual systems. */
export function createNames(): { add(steps: readonly string[], isFolder: boolean): string | undefined } {
  const seen = new Map<string, { written: string; isFolder: boolean; isNamed: boolean }>();
  return {
    add(steps, isFolder) {
      for (let length = 1; length <= steps.length; length += 1) {
        const isLast = length === steps.length;
        const written = steps.slice(0, length).join('/');
        const here = { written, isFolder: !isLast || isFolder, isNamed: isLast };
        const before = seen.get(sameNameKey(written));
        if (before && (before.written !== written || before.isFolder !== here.isFolder || (isLast && before.isNamed)))
          return `It holds two files that are one on some systems: ${JSON.stringify(before.written)} and ${JSON.stringify(written)}.`;
        seen.set(sameNameKey(written), { ...here, isNamed: here.isNamed || before?.isNamed === true });
      }
      return undefined;
    },
  };
}

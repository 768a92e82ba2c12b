import { coerce, compare, satisfies, valid, validRange } from 'semver';
import type { Manifest } from './manifest.ts';

/** What there is to run a bundle with. */
export interface Here {
  platform: NodeJS.Platform;
  /** Version of Maitre. */
  maitre: string;
  /** Version of the Node that would run it. */
  node: string;
  /** Undefined: no Python was found. */
  python: string | undefined;
}

const systems: Readonly<Record<string, string>> = { darwin: 'macOS', win32: 'Windows', linux: 'Linux' };
const inWords = (platform: string): string => systems[platform] ?? platform;

/** Whether the answer of {@link unmet} depends on Python: looking for one takes a moment. */
export const asksForPython = ({ compatibility, server }: Manifest): boolean =>
  compatibility?.runtimes?.python !== undefined && server.type !== 'uv';

/** Why a bundle cannot be run here, as a sentence; undefined where nothing speaks against it. A range that cannot be read asks for nothing. */
export function unmet(manifest: Manifest, here: Here): string | undefined {
  const { platforms, runtimes, maitre } = manifest.compatibility ?? {};
  if (platforms && !platforms.includes(here.platform))
    return `It is made for ${platforms.map(inWords).join(', ') || 'no system'}, and this is ${inWords(here.platform)}.`;
  if (maitre !== undefined && fits(here.maitre, maitre) === false)
    return `It needs Maitre ${maitre}, and this is ${here.maitre}. Update Maitre first.`;
  if (runtimes?.node !== undefined && fits(here.node, runtimes.node) === false)
    return `It needs Node.js ${runtimes.node}, and here is ${here.node}.`;
  // uv brings the Python that is asked for.
  if (runtimes?.python !== undefined && asksForPython(manifest)) {
    if (here.python === undefined) return `It needs Python ${runtimes.python}, and none was found on this computer. Install Python first.`;
    if (fits(here.python, runtimes.python) === false) return `It needs Python ${runtimes.python}, and here is ${here.python}.`;
  }
  return undefined;
}

/** Undefined where the range cannot be read. */
function fits(version: string, range: string): boolean | undefined {
  const exact = coerce(version)?.version;
  // Ranges of Python come in its own words too: ">=3.10,<4.0".
  const usual = range.replaceAll(',', ' ');
  if (exact === undefined || validRange(usual) === null) return undefined;
  return satisfies(exact, usual, { includePrerelease: true });
}

/** How a version stands to the one that is installed. */
export function orderOf(version: string, installed: string): 'newer' | 'same' | 'older' | 'unknown' {
  if (version === installed) return 'same';
  const [one, other] = [version, installed].map((each) => valid(each) ?? coerce(each)?.version);
  if (one === undefined || other === undefined || one === null || other === null) return 'unknown';
  const order = compare(one, other);
  return order > 0 ? 'newer' : order < 0 ? 'older' : 'unknown';
}

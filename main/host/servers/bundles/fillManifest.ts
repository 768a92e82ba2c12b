import type { BundleValue } from '../../../../preload/contract/bundles.ts';
import { referencesIn } from '../substitution.ts';
import type { BundleType, Manifest, ManifestOption } from './manifest.ts';
import { optionsOf, secretsIn } from './userConfig.ts';

/** Places of this computer that a manifest may name. All absolute. */
export interface ManifestPlaces {
  home: string;
  desktop: string;
  documents: string;
  downloads: string;
}

export interface FillHere {
  /** Where the files of the bundle are. */
  folder: string;
  places: ManifestPlaces;
  platform: NodeJS.Platform;
}

export interface Start {
  command: string;
  args: string[];
  env: Record<string, string>;
}

/** `missing`: keys of required values that are not set. `problem`: a sentence. */
export type FilledManifest =
  ({ ok: true } & Start) | { ok: false; missing: string[] } | { ok: false; missing?: undefined; problem: string };

const placeholder = /\$\{([^}]*)\}/g;
const wholePlaceholder = /^\$\{user_config\.([^}]*)\}$/;
const prefix = 'user_config.';

/**
 * What a bundle runs, with every placeholder filled (§ "Variable substitution" of the manifest's specification): in one pass, so that nothing
 * inside of a value is filled again. Several values become several arguments, and only where the placeholder is a whole argument. An optional
 * value that is not set takes its argument, or its variable of the environment, along.
 *
 * `values` are those of the entry, with references in the place of secrets. `'preview'` leaves what is not set as it is written.
 */
export function fillManifest(
  manifest: Manifest,
  values: Readonly<Record<string, BundleValue>>,
  here: FillHere,
  mode: 'start' | 'preview' = 'start',
): FilledManifest {
  const known = new Map(Object.entries(values).filter(([, value]) => value !== '' && !(Array.isArray(value) && value.length === 0)));
  const missing = optionsOf(manifest).flatMap(([key, option]) => (option.required === true && !known.has(key) ? [key] : []));
  if (mode === 'start' && missing.length > 0) return { ok: false, missing };

  const places: Record<string, string> = placesByName(here);
  /** Undefined: something in it is not set. */
  const fill = (text: string): string | undefined => {
    let isWhole = true;
    const filled = text.replace(placeholder, (written, name: string) => {
      if (!name.startsWith(prefix)) return Object.hasOwn(places, name) ? (places[name] ?? written) : written;
      const value = known.get(name.slice(prefix.length));
      if (value === undefined) isWhole &&= mode === 'preview';
      return value === undefined || Array.isArray(value) ? written : String(value);
    });
    return isWhole ? filled : undefined;
  };
  const fillArgument = (text: string): string[] => {
    const several = known.get(wholePlaceholder.exec(text)?.[1] ?? '');
    if (Array.isArray(several)) return several;
    const filled = fill(text);
    return filled === undefined ? [] : [filled];
  };

  const written = writtenStart(manifest, here.platform);
  const command = fill(written.command);
  if (command === undefined) return { ok: false, problem: 'Its command is made of a value that is not set.' };
  const env = Object.entries(written.env).flatMap(([name, text]): [string, string][] => {
    const filled = fill(text);
    return filled === undefined ? [] : [[name, filled]];
  });
  const start = { command, args: written.args.flatMap(fillArgument), env: Object.fromEntries(env) };
  // Two halves that are harmless can be put together to a reference, which the host would fill at the start.
  const own = new Set(Object.values(values).flatMap(secretsIn));
  const foreign = [start.command, ...start.args, ...Object.values(start.env)]
    .flatMap(referencesIn)
    .find(({ kind, name }) => kind === 'env' || !own.has(name));
  if (foreign)
    return {
      ok: false,
      problem: `It asks for \${${foreign.kind}:${foreign.name}}, which is not its own. No bundle gets values of this computer.`,
    };
  return { ok: true, ...start };
}

/** The start as the manifest writes it for this platform. Members of an override replace whole members. */
export function writtenStart(manifest: Manifest, platform: NodeJS.Platform): Start {
  const { type, entry_point: entry, mcp_config: config } = manifest.server;
  const overrides = config?.platform_overrides;
  const override = overrides && Object.hasOwn(overrides, platform) ? overrides[platform] : undefined;
  const usual = usualStart(type, `\${__dirname}/${entry}`, platform);
  return {
    command: override?.command ?? config?.command ?? usual.command,
    args: override?.args ?? (config ? (config.args ?? []) : usual.args),
    env: override?.env ?? config?.env ?? {},
  };
}

/** For a manifest that names its entry point only. */
function usualStart(type: BundleType, entry: string, platform: NodeJS.Platform): { command: string; args: string[] } {
  switch (type) {
    case 'node':
      return { command: 'node', args: [entry] };
    case 'python':
      return { command: platform === 'win32' ? 'python' : 'python3', args: [entry] };
    case 'uv':
      return { command: 'uv', args: ['run', '--directory', '${__dirname}', entry] };
    case 'binary':
      return { command: entry, args: [] };
  }
}

function placesByName({ folder, places, platform }: FillHere): Record<string, string> {
  const separator = platform === 'win32' ? '\\' : '/';
  return {
    __dirname: folder,
    HOME: places.home,
    DESKTOP: places.desktop,
    DOCUMENTS: places.documents,
    DOWNLOADS: places.downloads,
    pathSeparator: separator,
    '/': separator,
  };
}

/** The default of a field, in which places of this computer may stand. */
export function defaultIn(option: ManifestOption, here: FillHere): BundleValue | undefined {
  const names = placesByName(here);
  const fill = (text: string): string =>
    text.replace(placeholder, (written, name: string) => (Object.hasOwn(names, name) ? (names[name] ?? written) : written));
  const { default: proposed } = option;
  if (typeof proposed === 'string') return option.multiple === true ? [fill(proposed)] : fill(proposed);
  return Array.isArray(proposed) ? proposed.map(fill) : proposed;
}

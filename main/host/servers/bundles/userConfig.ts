import type { BundleField, BundleValue, InstalledBundle } from '../../../../preload/contract/bundles.ts';
import { isSecretName } from '../../redact.ts';
import { inOneLine } from '../../tools/plainText.ts';
import { secretReference } from '../plainSecrets.ts';
import { referencesIn } from '../substitution.ts';
import type { Manifest, ManifestOption } from './manifest.ts';

/** The fields of a bundle's configuration in the order of its manifest. */
export const optionsOf = (manifest: Manifest): [key: string, option: ManifestOption][] => Object.entries(manifest.user_config ?? {});

/** Also what is named like a secret: its author may have forgotten to say so. */
export const isSensitive = (key: string, option: ManifestOption): boolean =>
  option.sensitive === true || (option.type === 'string' && isSecretName(key));

/** Names of the secrets of a bundle by key, each once, in the form that the secret store takes. */
export function secretNames(manifest: Manifest): Map<string, string> {
  const names = new Map<string, string>();
  const taken = new Set<string>();
  for (const [key, option] of optionsOf(manifest)) {
    if (!isSensitive(key, option)) continue;
    const base = `CONFIG_${key.replace(/[^A-Za-z0-9]/g, '_').toUpperCase()}`;
    let name = base;
    for (let count = 2; taken.has(name); count += 1) name = `${base}_N${count}`;
    taken.add(name);
    names.set(key, name);
  }
  return names;
}

/** The name of one of several values of a secret field. */
export const secretNameAt = (name: string, index: number): string => (index === 0 ? name : `${name}_V${index + 1}`);

/** What is nothing for the reference implementation too. */
const isUnset = (value: BundleValue): boolean => value === '' || (Array.isArray(value) && value.every((each) => each === ''));

export interface CheckedValues {
  /** What is written into the entry: references in the place of secrets. */
  kept: Record<string, BundleValue>;
  /** New values for the secret store, by name. */
  secrets: Map<string, string>;
  /** Sentences by key. */
  problems: { name: string; message: string }[];
}

/**
 * Values as a person gave them, checked against the manifest and laid over those that were `before`. A key that is not given keeps what it
 * had, else gets the default; null takes its value back. Values of keys that the manifest does not have are dropped.
 */
export function checkValues(
  manifest: Manifest,
  given: Readonly<Record<string, BundleValue | null>>,
  before: Readonly<Record<string, BundleValue>>,
  defaultOf: (option: ManifestOption) => BundleValue | undefined,
): CheckedValues {
  const checked: CheckedValues = { kept: {}, secrets: new Map(), problems: [] };
  const names = secretNames(manifest);
  for (const [key, option] of optionsOf(manifest)) {
    const isGiven = Object.hasOwn(given, key);
    const had = Object.hasOwn(before, key) ? before[key] : undefined;
    const name = names.get(key);
    const fresh = isGiven ? given[key] : had === undefined ? defaultOf(option) : undefined;
    const value = fresh === undefined ? (had ?? null) : fresh;
    const title = inOneLine(option.title ?? '') || key;
    if (value === null || isUnset(value)) {
      if (option.required === true) checked.problems.push({ name: key, message: `“${title}” is needed.` });
      // That a default was taken back is kept, or it would come again.
      else if (defaultOf(option) !== undefined) checked.kept[key] = '';
      continue;
    }
    // A secret that stays is a reference by now; everything else is held against the manifest of this version.
    const stays = name !== undefined && fresh === undefined;
    const problem = stays ? undefined : problemOf(value, option, title);
    if (problem !== undefined) {
      checked.problems.push({ name: key, message: problem });
      continue;
    }
    if (name === undefined || stays) checked.kept[key] = inForm(value, option);
    else checked.kept[key] = keepSecret(checked.secrets, name, inForm(value, option));
  }
  return checked;
}

function keepSecret(secrets: CheckedValues['secrets'], name: string, value: BundleValue): BundleValue {
  if (!Array.isArray(value)) {
    secrets.set(name, String(value));
    return secretReference(name);
  }
  return value.map((each, index) => {
    secrets.set(secretNameAt(name, index), each);
    return secretReference(secretNameAt(name, index));
  });
}

/** The secrets that a kept value refers to. */
export const secretsIn = (value: BundleValue | undefined): string[] =>
  (Array.isArray(value) ? value : [String(value ?? '')]).flatMap((text) => referencesIn(text).map(({ name }) => name));

/** The secrets that the values of an entry refer to. */
export const secretsOfBundle = (bundle: InstalledBundle | undefined): string[] => Object.values(bundle?.values ?? {}).flatMap(secretsIn);

/** A sentence about a value that the field does not take. */
function problemOf(value: BundleValue, option: ManifestOption, title: string): string | undefined {
  if (Array.isArray(value) && option.multiple !== true) return `“${title}” takes one value.`;
  const each = Array.isArray(value) ? value : [value];
  for (const one of each) {
    const problem = option.type === 'number' ? numberProblem(one, option, title) : textProblem(one, option, title);
    if (problem !== undefined) return problem;
  }
  return undefined;
}

function numberProblem(value: string | number | boolean, { min, max }: ManifestOption, title: string): string | undefined {
  const number = typeof value === 'number' ? value : typeof value === 'string' && value.trim() !== '' ? Number(value) : Number.NaN;
  if (!Number.isFinite(number)) return `“${title}” must be a number.`;
  if (min !== undefined && number < min) return `“${title}” must be ${min} or more.`;
  if (max !== undefined && number > max) return `“${title}” must be ${max} or less.`;
  return undefined;
}

function textProblem(value: string | number | boolean, { type }: ManifestOption, title: string): string | undefined {
  if (type === 'boolean') return typeof value === 'boolean' ? undefined : `“${title}” is either on or off.`;
  if (typeof value !== 'string') return `“${title}” must be a text.`;
  // The system ends an argument at such a character.
  if (value.includes('\0')) return `“${title}” holds a character that no program can be given.`;
  // The host would put other values in their place at the start.
  if (referencesIn(value).length > 0)
    return `“${title}” holds \${env:…} or \${secret:…}, which is not filled in here. Write the value itself.`;
  return undefined;
}

const inForm = (value: BundleValue, { type, multiple }: ManifestOption): BundleValue => {
  if (Array.isArray(value)) return value.filter((each) => each !== '');
  if (type === 'number' && !multiple) return Number(value);
  return multiple === true ? [String(value)] : value;
};

/** The fields as a form shows them. `kept`: values of the entry, where there is one. `hasSecret`: whether there is one of this name. */
export function fieldsOf(
  manifest: Manifest,
  kept: Readonly<Record<string, BundleValue>> | undefined,
  defaultOf: (option: ManifestOption) => BundleValue | undefined,
  hasSecret: (name: string) => boolean,
): BundleField[] {
  return optionsOf(manifest).map(([key, option]): BundleField => {
    const sensitive = isSensitive(key, option);
    const had = kept && Object.hasOwn(kept, key) ? kept[key] : undefined;
    const value = had ?? defaultOf(option);
    const set = sensitive && had !== undefined && secretsIn(had).every(hasSecret) && secretsIn(had).length > 0;
    return {
      key,
      type: option.type,
      title: inOneLine(option.title ?? '') || key,
      ...(option.description !== undefined && { description: option.description }),
      required: option.required === true,
      multiple: option.multiple === true,
      sensitive,
      ...(option.min !== undefined && { min: option.min }),
      ...(option.max !== undefined && { max: option.max }),
      ...(!sensitive && value !== undefined && !isUnset(value) && { value }),
      ...(set && { isSet: true as const }),
    };
  });
}

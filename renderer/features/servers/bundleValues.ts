import type { BundleField, BundleValues } from '../../../preload/contract/bundles.ts';

/** What stands in the form of a bundle's settings, by key: texts (several of them one a line), switches, and `null` for a secret to be removed. */
export type BundleDraft = Readonly<Record<string, string | boolean | null>>;

/** The form as it is opened. Secrets are empty: what is stored never comes back. */
export const draftOf = (fields: readonly BundleField[]): BundleDraft =>
  Object.fromEntries(
    fields.map(({ key, type, value }) => {
      if (type === 'boolean') return [key, value === true];
      return [key, Array.isArray(value) ? value.join('\n') : value === undefined ? '' : String(value)];
    }),
  );

/** What is sent of it: an empty text takes a value back, an empty secret stays as it is. */
export function valuesOf(fields: readonly BundleField[], draft: BundleDraft): BundleValues {
  const values: BundleValues = {};
  for (const { key, type, multiple, sensitive } of fields) {
    const given = draft[key];
    if (given === undefined || (sensitive && given === '')) continue;
    if (typeof given !== 'string') values[key] = given;
    else if (multiple) values[key] = linesOf(given);
    else if (given === '') values[key] = null;
    // What is no number goes as it was typed: the host says so beside its field.
    else if (type === 'number' && given.trim() !== '' && Number.isFinite(Number(given))) values[key] = Number(given);
    else values[key] = given;
  }
  return values;
}

function linesOf(text: string): string[] | null {
  const lines = text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');
  return lines.length === 0 ? null : lines;
}

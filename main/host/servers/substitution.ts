/** `${secret:NAME}` and `${env:NAME}`. Every other `${…}` is left as it stands: shells and programs have their own. */
const reference = /\$\{(secret|env):([^}]*)\}/g;

export type Reference = { kind: 'secret' | 'env'; name: string };

/** Every reference in a text, in order, with repeats. */
export function referencesIn(text: string): Reference[] {
  return [...text.matchAll(reference)].map((match) => ({ kind: match[1] === 'secret' ? 'secret' : 'env', name: match[2] ?? '' }));
}

/**
 * Puts values in place of references. Values are taken as they are: a reference inside a value is not followed, so that no
 * secret can be read out through another.
 */
export function substitute(
  text: string,
  lookup: (reference: Reference) => string | undefined,
): { ok: true; text: string } | { ok: false; missing: Reference } {
  let missing: Reference | undefined;
  const replaced = text.replace(reference, (whole, kind: string, name: string) => {
    const found: Reference = { kind: kind === 'secret' ? 'secret' : 'env', name };
    const value = lookup(found);
    if (value === undefined) missing ??= found;
    return value ?? whole;
  });
  return missing ? { ok: false, missing } : { ok: true, text: replaced };
}

/** What to say about a missing value. */
export function missingInWords(missing: Reference): string {
  return missing.kind === 'secret'
    ? `The secret ${missing.name} is not set. Enter it on the page of this server, then start it again.`
    : `The environment variable ${missing.name} is not set on this computer. Set it, or write the value into the configuration.`;
}

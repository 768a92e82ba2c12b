import { referencesIn } from './substitution.ts';

/** A secret that stands readable in an entry. `path` leads to it from the entry; `name` is what it is called in the secret store. */
export interface PlainSecret {
  path: [member: 'env' | 'headers', name: string];
  name: string;
  value: string;
}

const secretVariable = /(^|_)(TOKEN|KEY|SECRET|PASSWORD|PASSWD|PASSPHRASE|CREDENTIALS?)$|PASSWORD$|(API|ACCESS)KEY$/i;
const secretHeader = /^(proxy-)?authorization$|^cookie$|(^|-)(token|key|secret|password)$/i;

/**
 * Values of `env` and `headers` that look like secrets by their names and are no references yet. A wrong guess harms nobody:
 * the value works the same from the secret store.
 */
export function plainSecretsIn(entry: unknown): PlainSecret[] {
  const found: PlainSecret[] = [];
  const taken = new Set(textsIn(entry).flatMap((text) => referencesIn(text).map((reference) => reference.name)));
  const collect = (member: 'env' | 'headers', looksSecret: RegExp): void => {
    for (const [key, value] of membersOf(entry, member)) {
      if (typeof value !== 'string' || value.trim() === '' || referencesIn(value).length > 0 || !looksSecret.test(key)) continue;
      const name = freeName(key, taken);
      taken.add(name);
      found.push({ path: [member, key], name, value });
    }
  };
  collect('env', secretVariable);
  collect('headers', secretHeader);
  return found;
}

/** Every `${secret:NAME}` of an entry, each name once. */
export const secretNamesIn = (entry: unknown): string[] => [
  ...new Set(
    textsIn(entry).flatMap((text) => referencesIn(text).flatMap((reference) => (reference.kind === 'secret' ? [reference.name] : []))),
  ),
];

export const secretReference = (name: string): string => `\${secret:${name}}`;

function membersOf(entry: unknown, member: string): [string, unknown][] {
  if (typeof entry !== 'object' || entry === null) return [];
  const found = Object.entries(entry).find(([name]) => name === member)?.[1];
  return typeof found === 'object' && found !== null ? Object.entries(found) : [];
}

function textsIn(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(textsIn) : [];
}

/** A name of the store's form, made of the member's own. */
function freeName(key: string, taken: ReadonlySet<string>): string {
  const base = key
    .replace(/[^A-Za-z0-9_]/g, '_')
    .replace(/^(?=[0-9])/, '_')
    .toUpperCase()
    .slice(0, 120);
  let name = base;
  for (let count = 2; taken.has(name); count += 1) name = `${base}_${count}`;
  return name;
}

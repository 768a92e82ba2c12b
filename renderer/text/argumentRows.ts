import { countLines } from './rowsOfText.ts';

/** One value of a call's arguments. `name` is its path, such as `filter.labels[0]`; empty where the whole is one value. */
export interface ArgumentRow {
  name: string;
  /** The same as a JSON Pointer (RFC 6901). */
  at: string;
  value: string;
  /** Strings stand without quotes and escapes; everything else is JSON. */
  kind: 'string' | 'json';
}

/** Arguments that say where something is or goes, the likeliest first. Whoever decides reads these before what is sent there. */
const places = [
  ...['path', 'paths', 'file', 'file_path', 'filePath', 'filename', 'source', 'src', 'from', 'directory', 'dir', 'folder', 'cwd'],
  ...['destination', 'dest', 'target', 'to', 'recipient', 'recipients', 'cc', 'bcc', 'uri', 'url', 'host', 'repo', 'repository'],
  ...['owner', 'channel', 'database', 'table'],
];

/** Too long to be taken in at a glance. */
export const isLongValue = (value: string): boolean => value.length > 300 || countLines(value) > 4;

const plainName = /^[\p{L}_$][\p{L}\p{N}_$-]*$/u;
/** A list longer than this, of values without parts, stays one row. */
const longList = 12;

const step = (path: string, key: string): string => {
  if (!plainName.test(key)) return `${path}[${JSON.stringify(key)}]`;
  return path === '' ? key : `${path}.${key}`;
};

const pointerStep = (at: string, key: string | number): string => `${at}/${String(key).replaceAll('~', '~0').replaceAll('/', '~1')}`;

function rowsOf(value: unknown, path: string, at: string, apart: Pointers): ArgumentRow[] {
  if (typeof value === 'string') return [{ name: path, at, value, kind: 'string' }];
  if (Array.isArray(value) && value.length > 0) {
    const flat = value.every((item) => typeof item !== 'object' || item === null);
    const isOneRow = flat && value.length > longList && !value.some((_, index) => apart.has(pointerStep(at, index)));
    if (!isOneRow) return value.flatMap((item: unknown, index) => rowsOf(item, `${path}[${index}]`, pointerStep(at, index), apart));
  } else if (typeof value === 'object' && value !== null) {
    const entries = Object.entries(value);
    if (entries.length > 0) return entries.flatMap(([key, inner]) => rowsOf(inner, step(path, key), pointerStep(at, key), apart));
  }
  return [{ name: path, at, value: JSON.stringify(value, null, 2), kind: 'json' }];
}

type Pointers = ReadonlySet<string>;
const none: Pointers = new Set();

/**
 * The arguments of a call, one row for each value at any depth, so that no text hides behind escapes; in the order in which a person decides. `json` is what would be
 * sent; a text that is no JSON (a model's mistake) is one row as it stands. No arguments give no rows.
 * What `first` points to stands first where it is short; what `apart` points to has a row of its own also in a long list.
 */
export function argumentRows(json: string, { first = none, apart = none }: { first?: Pointers; apart?: Pointers } = {}): ArgumentRow[] {
  let value: unknown;
  try {
    value = JSON.parse(json);
  } catch (error) {
    if (error instanceof SyntaxError) return [{ name: '', at: '', value: json, kind: 'json' }];
    throw error;
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return rowsOf(value, '', '', apart);
  const groups = Object.entries(value).map(([key, inner]) => ({ key, rows: rowsOf(inner, step('', key), pointerStep('', key), apart) }));
  return groups.sort((a, b) => rank(a, first) - rank(b, first)).flatMap(({ rows }) => rows);
}

/** Where something is or goes first, what is long last, the rest between in the order in which it is sent. */
function rank({ key, rows }: { key: string; rows: readonly ArgumentRow[] }, first: Pointers): number {
  if (rows.some(({ value }) => isLongValue(value))) return places.length + 1;
  if (rows.some(({ at }) => first.has(at))) return -1;
  const place = places.indexOf(key);
  return place === -1 ? places.length : place;
}

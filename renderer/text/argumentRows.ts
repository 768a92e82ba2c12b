import { countLines } from './rowsOfText.ts';

/** One value of a call's arguments. `name` is its path, such as `filter.labels[0]`; empty where the whole is one value. */
export interface ArgumentRow {
  name: string;
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

function rowsOf(value: unknown, path: string): ArgumentRow[] {
  if (typeof value === 'string') return [{ name: path, value, kind: 'string' }];
  if (Array.isArray(value) && value.length > 0) {
    const flat = value.every((item) => typeof item !== 'object' || item === null);
    if (!(flat && value.length > longList)) return value.flatMap((item: unknown, index) => rowsOf(item, `${path}[${index}]`));
  } else if (typeof value === 'object' && value !== null) {
    const entries = Object.entries(value);
    if (entries.length > 0) return entries.flatMap(([key, inner]) => rowsOf(inner, step(path, key)));
  }
  return [{ name: path, value: JSON.stringify(value, null, 2), kind: 'json' }];
}

/**
 * The arguments of a call, one row for each value at any depth, so that no text hides behind escapes; in the order in which a person decides. `json` is what would be
 * sent; a text that is no JSON (a model's mistake) is one row as it stands. No arguments give no rows.
 */
export function argumentRows(json: string): ArgumentRow[] {
  let value: unknown;
  try {
    value = JSON.parse(json);
  } catch (error) {
    if (error instanceof SyntaxError) return [{ name: '', value: json, kind: 'json' }];
    throw error;
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return rowsOf(value, '');
  const groups = Object.entries(value).map(([key, inner]) => ({ key, rows: rowsOf(inner, step('', key)) }));
  return groups.sort((a, b) => rank(a) - rank(b)).flatMap(({ rows }) => rows);
}

/** Where something is or goes first, what is long last, the rest between in the order in which it is sent. */
function rank({ key, rows }: { key: string; rows: readonly ArgumentRow[] }): number {
  if (rows.some(({ value }) => isLongValue(value))) return places.length + 1;
  const place = places.indexOf(key);
  return place === -1 ? places.length : place;
}

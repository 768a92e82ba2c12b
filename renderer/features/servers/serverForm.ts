import type { LocalServerConfig, RemoteServerConfig } from '../../../preload/contract/servers.ts';
import type { LocalDraft, NamedValue, RemoteDraft } from '../../state/newServer.ts';

/** Keys under `servers.form.problems`. `rows` are by position; a row without name and value is not there at all. */
export interface FormProblems {
  name?: 'nameMissing' | 'nameTaken';
  command?: 'commandMissing';
  url?: 'urlMissing' | 'urlInvalid' | 'urlScheme' | 'urlCredentials';
  rows?: Record<number, 'rowNameMissing' | 'rowNameTwice' | 'rowNameInvalid' | 'rowValueMissing'>;
}

export interface SecretValue {
  name: string;
  value: string;
}

export type FormOutcome<Config> =
  { ok: true; name: string; config: Config; secrets: SecretValue[] } | { ok: false; problems: FormProblems };

/** Each line is one argument, exactly as it stands; lines with nothing on them are layout, not arguments. */
export const argumentLines = (text: string): string[] => text.split(/\r?\n/).filter((line) => line !== '');

/** A name that the secret store takes, made from a variable or header name, unlike all in `taken`. */
export const secretNameFor = (name: string, taken: ReadonlySet<string>): string => {
  const cleaned =
    name
      .replace(/[^A-Za-z0-9_]/g, '_')
      .replace(/^(?=[0-9])/, '_')
      .slice(0, 120) || 'SECRET';
  for (let count = 1; ; count += 1) {
    const candidate = count === 1 ? cleaned : `${cleaned}_${count}`;
    if (!taken.has(candidate)) return candidate;
  }
};

const headerName = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;
const variableName = /^[^=\0]+$/;

interface Rows {
  problems: Record<number, NonNullable<FormProblems['rows']>[number]>;
  values: Record<string, string>;
  secrets: SecretValue[];
}

const readRows = (rows: readonly NamedValue[], kind: 'variable' | 'header'): Rows => {
  const read: Rows = { problems: {}, values: {}, secrets: [] };
  const seen = new Set<string>();
  const secretNames = new Set<string>();
  rows.forEach((row, index) => {
    const name = row.name.trim();
    if (name === '' && row.value === '') return;
    const key = kind === 'header' ? name.toLowerCase() : name;
    if (name === '') read.problems[index] = 'rowNameMissing';
    else if (!(kind === 'header' ? headerName : variableName).test(name)) read.problems[index] = 'rowNameInvalid';
    else if (seen.has(key)) read.problems[index] = 'rowNameTwice';
    else if (row.secret && row.value === '') read.problems[index] = 'rowValueMissing';
    else if (row.secret) {
      const secretName = secretNameFor(name, secretNames);
      secretNames.add(secretName);
      read.secrets.push({ name: secretName, value: row.value });
      read.values[name] = `\${secret:${secretName}}`;
    } else read.values[name] = row.value;
    seen.add(key);
  });
  return read;
};

const nameProblem = (name: string, taken: ReadonlySet<string>): FormProblems => {
  if (name.trim() === '') return { name: 'nameMissing' };
  return taken.has(name.trim()) ? { name: 'nameTaken' } : {};
};

/** What a filled-in form for a program on this computer means, or what is wrong with each field. */
export const readLocalDraft = (draft: LocalDraft, takenNames: ReadonlySet<string>): FormOutcome<LocalServerConfig> => {
  const rows = readRows(draft.env, 'variable');
  const problems: FormProblems = nameProblem(draft.name, takenNames);
  if (draft.command.trim() === '') problems.command = 'commandMissing';
  if (Object.keys(rows.problems).length > 0) problems.rows = rows.problems;
  if (Object.keys(problems).length > 0) return { ok: false, problems };
  const args = argumentLines(draft.args);
  return {
    ok: true,
    name: draft.name.trim(),
    config: {
      command: draft.command.trim(),
      ...(args.length > 0 && { args }),
      ...(Object.keys(rows.values).length > 0 && { env: rows.values }),
      ...(draft.cwd.trim() !== '' && { cwd: draft.cwd.trim() }),
    },
    secrets: rows.secrets,
  };
};

const urlProblem = (text: string): FormProblems['url'] => {
  if (text === '') return 'urlMissing';
  const url = URL.parse(text);
  if (url === null) return 'urlInvalid';
  if (url.protocol !== 'http:' && url.protocol !== 'https:') return 'urlScheme';
  return url.username === '' && url.password === '' ? undefined : 'urlCredentials';
};

/** The same for a server at an address. */
export const readRemoteDraft = (draft: RemoteDraft, takenNames: ReadonlySet<string>): FormOutcome<RemoteServerConfig> => {
  const rows = readRows(draft.headers, 'header');
  const problems: FormProblems = nameProblem(draft.name, takenNames);
  const address = urlProblem(draft.url.trim());
  if (address !== undefined) problems.url = address;
  if (Object.keys(rows.problems).length > 0) problems.rows = rows.problems;
  if (Object.keys(problems).length > 0) return { ok: false, problems };
  return {
    ok: true,
    name: draft.name.trim(),
    config: {
      type: draft.type,
      url: draft.url.trim(),
      ...(Object.keys(rows.values).length > 0 && { headers: rows.values }),
    },
    secrets: rows.secrets,
  };
};

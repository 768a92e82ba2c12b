import { type Db, openReadOnly } from '../store/database.ts';
import type { Finding, OriginMark } from '../../../preload/contract/policy.ts';
import { type ArgumentText, originMarks } from '../policy/originMarks.ts';
import { earlierTexts } from '../policy/earlierTexts.ts';
import { findSecrets } from '../policy/findSecrets.ts';
import { pointerTo } from '../policy/patterns.ts';
import { inOneLine } from '../tools/plainText.ts';
import type { Jobs } from './jobs.ts';

/** Kept open between calls: opening costs more than most searches. Closed with the worker. */
const connections = new Map<string, Db>();

/** UTF-16 units of arguments that are searched. */
const maxSearched = 4 * 1024 * 1024;
/** A card must fit a message of the bridge. */
const mostMarks = 300;
const mostFindings = 50;

/** Names of arguments that hold a secret, whatever it looks like. */
const secretName =
  /^(pass(word|wd|phrase)?|pwd|.{0,30}_?password|client_?secret|secret|api_?key|(access|auth|bearer|refresh)_?token|private_?key|credentials?)$/i;

function connectionTo(databaseFile: string): Db {
  let db = connections.get(databaseFile);
  if (!db) connections.set(databaseFile, (db = openReadOnly(databaseFile)));
  return db;
}

/** Rehearsals of a worker: enough for the engine to translate what runs once for every byte. */
const rehearsals = 6;
let rehearsed = 0;

/** Reads what the branch has read, and keeps it ready to be searched. A new worker also goes through a search, which the next one is faster for. */
export async function prepareEarlier({ databaseFile, leafId }: Jobs['prepare']['input']): Promise<undefined> {
  const earlier = [...earlierTexts(connectionTo(databaseFile), leafId, undefined, () => undefined)];
  for (; rehearsed < rehearsals && earlier.length > 0; rehearsed += 1) {
    const { bytes, length } = earlier[rehearsed % earlier.length]?.forms ?? { bytes: new Uint8Array(0), length: 0 };
    const text = Buffer.from(bytes.buffer, 0, Math.min(length, 65_536)).toString('latin1');
    originMarks([{ at: '', text }], earlier);
    await findSecrets(text, 0);
  }
}

/** Marks and findings of a call's arguments: {@link originMarks}, {@link findSecrets}. */
export async function inspectArguments({
  databaseFile,
  leafId,
  callId,
  values,
  now,
}: Jobs['inspect']['input']): Promise<Jobs['inspect']['output']> {
  let whole = true;
  const strings: ArgumentText[] = [];
  let left = maxSearched;
  for (const each of [...textsOf(values, 'values'), ...textsOf(values, 'names')]) {
    if (each.text.length > left) whole = false;
    const text = each.text.slice(0, left);
    left -= text.length;
    strings.push({ ...each, text });
  }
  const cut = (): void => void (whole = false);
  const found = originMarks(strings, earlierTexts(connectionTo(databaseFile), leafId, callId, cut));
  // The longest say most, where there are more than anybody reads.
  const kept = new Set(found.toSorted((a, b) => b.to - b.from - (a.to - a.from)).slice(0, mostMarks));
  const marks = found
    .filter((mark) => kept.has(mark))
    .map(({ source, ...mark }): OriginMark => ({ ...mark, source: source.labels, text: source.text }));
  const findings = await findingsIn(strings, now);
  if (findings.length > mostFindings) whole = false;
  return { marks, findings: findings.slice(0, mostFindings), whole };
}

/** In the order of the arguments: strings, or the names of members. */
function textsOf(value: unknown, what: 'values' | 'names', at = ''): ArgumentText[] {
  if (typeof value === 'string') return what === 'values' ? [{ at, text: value }] : [];
  if (typeof value !== 'object' || value === null) return [];
  if (Array.isArray(value)) return value.flatMap((element, index) => textsOf(element, what, pointerTo(at, index)));
  return Object.entries(value).flatMap(([name, member]) => {
    const inside = textsOf(member, what, pointerTo(at, name));
    return what === 'names' ? [{ at: pointerTo(at, name), text: name, isName: true }, ...inside] : inside;
  });
}

/** All strings are read at once: each reading of the rules has its price. */
async function findingsIn(strings: readonly ArgumentText[], now: number): Promise<Finding[]> {
  // No secret goes over the end of a string.
  const between = '\n\u0000\n';
  const secrets = await findSecrets(strings.map(({ text }) => text).join(between), now);
  const findings: Finding[] = [];
  let begin = 0;
  for (const { at, text, isName } of strings) {
    const end = begin + text.length;
    const here = secrets.filter(({ from }) => from >= begin && from < end);
    for (const { kind, lines, preview } of here) findings.push({ at, where: 'argument', kind, lines, preview });
    const name = isName === true ? '' : at.slice(at.lastIndexOf('/') + 1);
    if (here.length === 0 && text !== '' && secretName.test(name))
      findings.push({ at, where: 'argument', kind: `value named ${inOneLine(name)}`, preview: '••••' });
    begin = end + between.length;
  }
  return findings;
}

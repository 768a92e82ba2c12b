import type { Finding } from '../../../preload/contract/policy.ts';
import { findSecrets } from '../policy/findSecrets.ts';
import type { ArgumentText } from '../policy/originMarks.ts';
import { inOneLine } from '../tools/plainText.ts';
import { argumentTexts } from './argumentTexts.ts';
import type { Jobs } from './jobs.ts';

/** A card must fit a message of the bridge. */
const mostFindings = 50;

/** Names of arguments that hold a secret, whatever it looks like. */
const secretName =
  /^(pass(word|wd|phrase)?|pwd|.{0,30}_?password|client_?secret|secret|api_?key|(access|auth|bearer|refresh)_?token|private_?key|credentials?)$/i;

/** Rehearsals of a worker: enough for the engine to translate what runs once for every character. */
const rehearsals = 6;
let rehearsed = 0;
const ordinaryText = 'Dear Ann, the figures of May (v2.1) are in https://example.com/may?page=4#top: 1,204 of 3,377.\n'.repeat(700);

/** A new worker goes through a search, which the next one is faster for. */
export async function prepareFindings(): Promise<undefined> {
  for (; rehearsed < rehearsals; rehearsed += 1) await findSecrets(ordinaryText, 0);
}

/** The secrets in a call's arguments: {@link findSecrets}. */
export async function findingsInArguments({ values, now }: Jobs['findings']['input']): Promise<Jobs['findings']['output']> {
  const { strings, whole } = argumentTexts(values);
  const findings = await findingsIn(strings, now);
  return { findings: findings.slice(0, mostFindings), whole: whole && findings.length <= mostFindings };
}

const placeInList = /^(.*)\/\d+$/;

const areOfOneList = (one: ArgumentText, next: ArgumentText | undefined): boolean =>
  one.isName !== true &&
  next?.isName !== true &&
  placeInList.test(one.at) &&
  placeInList.exec(one.at)?.[1] === placeInList.exec(next?.at ?? '')?.[1];

/** All strings are read at once: each reading of the rules has its price. */
async function findingsIn(strings: readonly ArgumentText[], now: number): Promise<Finding[]> {
  // No secret goes over the end of a string, but a key may be a list of its lines.
  const between = strings.map((each, index) => (areOfOneList(each, strings[index + 1]) ? '\n' : '\n\u0000\n'));
  const secrets = await findSecrets(strings.map(({ text }, index) => `${text}${between[index]}`).join(''), now);
  const findings: Finding[] = [];
  let begin = 0;
  for (const [index, { at, text, isName }] of strings.entries()) {
    const end = begin + text.length;
    const here = secrets.filter(({ from }) => from >= begin && from < end);
    for (const { kind, lines, preview } of here) findings.push({ at, where: 'argument', kind, lines, preview });
    const name = isName === true ? '' : at.slice(at.lastIndexOf('/') + 1);
    if (here.length === 0 && text !== '' && secretName.test(name))
      findings.push({ at, where: 'argument', kind: `value named ${inOneLine(name)}`, preview: '••••' });
    begin = end + (between[index]?.length ?? 0);
  }
  return findings;
}

import { expect, test } from 'vitest';
import { findSecrets } from '../../../main/host/policy/findSecrets.ts';
import { leaveOut } from '../../../main/host/policy/leaveOut.ts';
import { encodings } from './encodings.ts';

const token = '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';
test.each(Object.entries(encodings).filter(([name]) => name !== 'as it is'))('secrets are found through %s', async (_, encode) => {
  const key = `-----BEGIN OPENSSH PRIVATE KEY-----\n${'b3BlbnNzaC1rZXktdjEAAAAABG5vbmUAAAAEbm9uZQAAAAAAAAABAAAAMwAAAAtzc2gt\n'.repeat(5)}-----END OPENSSH PRIVATE KEY-----\n`;
  const text = `Look: ${encode(`the token ${token} and\n${key}`)} !`;
  const found = await findSecrets(text, 0);
  expect(found.map(({ kind }) => kind)).toEqual(['GitHub Token', 'private key']);
  for (const { preview } of found) expect(preview).not.toContain(token.slice(6, 20));
});

const letters = (seed: number): string =>
  Array.from({ length: 36 }, (_, at) => ((seed * 7919 + at * 31 + at * at * seed) % 36).toString(36)).join('');

test('of more secrets than are told apart none is left in the text', async () => {
  const tokens = Array.from({ length: 150 }, (_, at) => `ghp_${letters(at + 1)}`);
  const key = `-----BEGIN OPENSSH PRIVATE KEY-----\n${'b3BlbnNzaC1rZXktdjEAAAAABG5vbmUAAAAEbm9uZQAAAAAAAAABAAAAMwAAAAtzc2gt\n'.repeat(5)}-----END OPENSSH PRIVATE KEY-----\n`;
  const text = `${tokens.join('\n')}\n${key}\nand an end`;
  const left = leaveOut(text, await findSecrets(text, 0));
  expect(tokens.filter((each) => left.includes(each))).toEqual([]);
  expect(left).not.toContain('b3BlbnNzaC1rZXkt');
  expect(left).toContain('and an end');
});

test('a secret that touches another one in its encoded form is not known by the name of the first alone', async () => {
  const key = `-----BEGIN OPENSSH PRIVATE KEY-----\n${'b3BlbnNzaC1rZXktdjEAAAAABG5vbmUAAAAEbm9uZQAAAAAAAAABAAAAMwAAAAtzc2gt\n'.repeat(5)}-----END OPENSSH PRIVATE KEY-----\n`;
  const [known] = await findSecrets(Buffer.from(`${token} and so on, for long enough to be looked into`).toString('base64'), 0);
  for (const between of ['', ' ', '\n', ': ']) {
    const found = await findSecrets(Buffer.from(`${token}${between}${key}`).toString('base64'), 0);
    const hashes = found.filter(({ hash }) => hash !== known?.hash);
    expect({ between, others: hashes.length > 0 }).toEqual({ between, others: true });
  }
});

test.each<[string, (lines: string[]) => string]>([
  ['numbered', (lines) => lines.map((line, at) => `${at + 1} | ${line}`).join('\n')],
  ['as a list in JSON', (lines) => JSON.stringify(lines)],
  ['with marks of a quotation', (lines) => lines.map((line) => `> ${line}`).join('\n')],
])('a whole key is found %s', async (_how, written) => {
  const body = Array.from({ length: 6 }, (_, at) => `${letters(at + 1)}${letters(at + 50)}`.slice(0, 60));
  const text = written(['-----BEGIN RSA PRIVATE KEY-----', ...body, '-----END RSA PRIVATE KEY-----']);
  const found = await findSecrets(text, 0);
  expect(found.map(({ kind }) => kind)).toEqual(['private key']);
  expect(body.filter((line) => leaveOut(text, found).includes(line.slice(0, 30)))).toEqual([]);
});

test('each piece of a key that was read in pieces is found where it begins or ends a key', async () => {
  const lines = Array.from({ length: 20 }, (_, at) => `${letters(at + 1)}${letters(at + 50)}`);
  const whole = `-----BEGIN RSA PRIVATE KEY-----\n${lines.join('\n')}\n-----END RSA PRIVATE KEY-----`;
  for (const piece of [whole.slice(0, 700), whole.slice(700), `read on:\n${whole.slice(900)}\nand more`]) {
    const found = await findSecrets(piece, 0);
    expect(found.map(({ kind }) => kind)).toEqual(['private key']);
    expect(lines.filter((line) => leaveOut(piece, found).includes(line.slice(0, 30)))).toEqual([]);
  }
  expect(await findSecrets(whole, 0)).toHaveLength(1);
});

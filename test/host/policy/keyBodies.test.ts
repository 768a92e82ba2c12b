import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { findSecrets } from '../../../main/host/policy/findSecrets.ts';
import { keyBodies } from '../../../main/host/policy/keyBodies.ts';
import { encodings } from './encodings.ts';

const wrapped = (base64: string, width: number): string[] => base64.match(new RegExp(`.{1,${width}}`, 'g')) ?? [];
/** Bytes that look random, the same each time. */
const noise = (count: number): Buffer =>
  Buffer.concat(Array.from({ length: Math.ceil(count / 32) }, (_, at) => createHash('sha256').update(`${at}`).digest())).subarray(0, count);
/** As PKCS #8 and PKCS #1 begin (RFC 5208, RFC 8017). */
const keyOf = (name: string, begin: string, bytes: number): string[] => [
  `-----BEGIN ${name}-----`,
  ...wrapped(Buffer.concat([Buffer.from(begin, 'hex'), noise(bytes)]).toString('base64'), 64),
  `-----END ${name}-----`,
];

const rsa = keyOf('PRIVATE KEY', '308204bd020100300d06092a864886f70d0101010500048204a7308204a30201000282010100', 1180);
const longest = 20_000;
const found = (text: string): string[] => keyBodies(text, longest).map(({ from, to }) => text.slice(from, to));

describe('the middle of a private key is found without its armour', () => {
  const body = rsa.slice(5, 12);
  test.each<[string, string, string]>([
    ['alone', body.join('\n'), body.join('\n')],
    ['behind and before half lines', `${rsa[4]?.slice(30)}\n${body.join('\n')}\n${rsa[12]?.slice(0, 40)}`, body.join('\n')],
    ['three lines of it', body.slice(0, 3).join('\n'), body.slice(0, 3).join('\n')],
    ['among words', `Lines 5 to 12:\n\n${body.join('\n')}\n\nThat is all.`, body.join('\n')],
    ['with line ends of Windows', body.join('\r\n'), body.join('\r\n')],
    [
      'indented',
      body.map((line) => `    ${line}`).join('\n'),
      body
        .map((line) => `    ${line}`)
        .join('\n')
        .trimStart(),
    ],
    ['the whole body of a key', rsa.slice(1, -1).join('\n'), rsa.slice(1, -2).join('\n')],
    ['of an older kind', keyOf('RSA PRIVATE KEY', '308204a30201000282010100', 600).slice(1, 5).join('\n'), ''],
    ['of OpenSSH, which wraps at 70', wrapped(noise(220).toString('base64'), 70).join('\n'), ''],
    ['of the longest that is in use', wrapped(noise(9500).toString('base64'), 64).join('\n'), ''],
    ['numbered', body.map((line, at) => `${at + 6}: ${line}`).join('\n'), ''],
    ['numbered by a tab', body.map((line, at) => `     ${at + 6}\t${line}`).join('\n'), ''],
    ['numbered by an arrow', body.map((line, at) => `${at + 6}→${line}`).join('\n'), ''],
    ['as a list in JSON', JSON.stringify({ from: 6, lines: ['words', ...body, 'words'] }), body.join('","')],
    ['as a list in JSON in lines', JSON.stringify(body, null, 2), ''],
    ['behind the end of a certificate', `-----END CERTIFICATE-----\n${body.join('\n')}`, body.join('\n')],
  ])('%s', (_how, text, expected) => {
    expect(found(text)).toHaveLength(1);
    if (expected !== '') expect(found(text)).toEqual([expected]);
  });

  test.each(Object.entries(encodings))('through encodings: %s', async (_how, encode) => {
    const text = `Look: ${encode(`the rest is\n${body.join('\n')}\n`)} !`;
    const secrets = await findSecrets(text, 0);
    expect(secrets.map(({ kind }) => kind)).toEqual(['what looks like a piece of a private key']);
    expect(secrets[0]?.preview).toBe('••••');
    expect(secrets[0]?.lines).toBe(7);
  });

  test('and a whole key is one finding, under its own name', async () => {
    expect((await findSecrets(rsa.join('\n'), 0)).map(({ kind }) => kind)).toEqual(['private key']);
  });
});

describe('nothing is found', () => {
  const picture = readFileSync(path.join(import.meta.dirname, '../../../build/icons/icon.png'));
  const certificate = ['MIIDXTCCAkWgAwIBAgIJAKL0UG+mRKSzMA0GCSqGSIb3DQEBCwUAMEUxCzAJBgNV', ...wrapped(noise(600).toString('base64'), 64)];
  const words = 'The quick brown fox jumps over the lazy dog; 0/1 ?? >> ok. '.repeat(12);
  test.each<[string, string]>([
    ['in a picture as mail wraps it', wrapped(picture.toString('base64'), 76).join('\n')],
    ['in a piece of it', wrapped(picture.toString('base64'), 76).slice(3, 40).join('\n')],
    ['in a picture in one line', picture.toString('base64')],
    ['in a small picture, though it is wrapped like a key', wrapped(picture.subarray(0, 2000).toString('base64'), 64).join('\n')],
    ['in an archive that is', wrapped(Buffer.concat([Buffer.from([0x1f, 0x8b, 8]), noise(900)]).toString('base64'), 64).join('\n')],
    ['in a file of any kind that is longer than any key', wrapped(noise(15_500).toString('base64'), 64).join('\n')],
    ['in a certificate', ['-----BEGIN CERTIFICATE-----', ...certificate, '-----END CERTIFICATE-----'].join('\n')],
    ['in the body of a certificate', certificate.join('\n')],
    ['in its beginning', ['-----BEGIN CERTIFICATE-----', ...certificate.slice(1, 6)].join('\n')],
    ['in its end', [...certificate.slice(3), '-----END CERTIFICATE-----'].join('\n')],
    [
      'in a public key of PGP',
      [
        '-----BEGIN PGP PUBLIC KEY BLOCK-----',
        'Version: 2',
        '',
        ...wrapped(noise(600).toString('base64'), 64),
        '=njUN',
        '-----END PGP PUBLIC KEY BLOCK-----',
      ].join('\n'),
    ],
    ['in a list of digests', Array.from({ length: 9 }, (_, at) => createHash('sha256').update(`${at}`).digest('hex')).join('\n')],
    [
      'in a list of names without signs',
      Array.from({ length: 9 }, (_, at) =>
        noise(90 + at)
          .toString('base64')
          .replaceAll(/[+/=]/g, 'x')
          .slice(0, 64),
      ).join('\n'),
    ],
    ['in a text that was wrapped so', wrapped(Buffer.from(words).toString('base64'), 64).join('\n')],
    ['in a text in Chinese', wrapped(Buffer.from('厨师把信放在桌上。'.repeat(40)).toString('base64'), 64).join('\n')],
    ['in two lines', rsa.slice(5, 7).join('\n')],
    ['in lines of other widths', wrapped(noise(600).toString('base64'), 60).join('\n')],
    ['in lines of both widths in turn', [64, 70, 64, 70, 64].map((width) => noise(60).toString('base64').slice(0, width)).join('\n')],
    [
      'in lines with words between',
      rsa
        .slice(5, 12)
        .map((line) => `line ${line}`)
        .join('\n'),
    ],
    ['in prose', words.match(/.{1,64}/g)?.join('\n') ?? ''],
    ['in nothing', ''],
  ])('%s', (_what, text) => {
    expect(found(text)).toEqual([]);
  });
});

test('of several blocks each is told', () => {
  const text = `${rsa.slice(1, 5).join('\n')}\n\n${rsa.slice(6, 10).join('\n')}\n.\n${rsa.slice(11, 13).join('\n')}`;
  expect(found(text)).toEqual([rsa.slice(1, 5).join('\n'), rsa.slice(6, 10).join('\n')]);
});

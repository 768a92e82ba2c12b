import { execFileSync } from 'node:child_process';
import { createHash, generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { findSecrets } from '../../../main/host/policy/findSecrets.ts';
import { keysInBase64 } from '../../../main/host/policy/keyStructure.ts';
import { leaveOut } from '../../../main/host/policy/leaveOut.ts';
import { tempFolder } from '../../doubles/hostParts.ts';

const longest = 20_000;
const found = (text: string): string[] => keysInBase64(text, longest).map(({ from, to }) => text.slice(from, to));
const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 });
const ec = generateKeyPairSync('ec', { namedCurve: 'P-256' });
const ed = generateKeyPairSync('ed25519');
const der = (key: KeyObject, type: 'pkcs8' | 'pkcs1' | 'sec1'): string =>
  key.export({ type: type as 'pkcs8', format: 'der' }).toString('base64');

/** The body of a key file of OpenSSH, in one line. */
function openSsh(type: 'rsa' | 'ed25519' | 'ecdsa'): { key: string; pub: string } {
  const file = path.join(tempFolder(), 'id');
  execFileSync('ssh-keygen', ['-q', '-t', type, '-N', '', '-C', 'someone@somewhere', '-f', file]);
  const body = readFileSync(file, 'utf8')
    .split('\n')
    .filter((line) => !line.startsWith('-----'));
  return { key: body.join(''), pub: readFileSync(`${file}.pub`, 'utf8') };
}
const hasSshKeygen = (() => {
  try {
    execFileSync('ssh-keygen', ['-?'], { stdio: 'ignore' });
    return true;
  } catch (error) {
    return error instanceof Error && 'status' in error && error.status !== null;
  }
})();

describe('a private key in one line, without armour', () => {
  test.each<[string, string]>([
    ['RSA in PKCS #8', der(rsa.privateKey, 'pkcs8')],
    ['RSA in PKCS #1', der(rsa.privateKey, 'pkcs1')],
    ['of a curve in PKCS #8', der(ec.privateKey, 'pkcs8')],
    ['of a curve in SEC 1', der(ec.privateKey, 'sec1')],
    ['Ed25519', der(ed.privateKey, 'pkcs8')],
    [
      'under a password',
      rsa.privateKey.export({ type: 'pkcs8', format: 'der', cipher: 'aes-256-cbc', passphrase: 'x' }).toString('base64'),
    ],
  ])('%s', async (_kind, key) => {
    expect(found(`key = ${key}; and so on`)).toEqual([key]);
    expect(found(key.replaceAll('+', '-').replaceAll('/', '_'))).toHaveLength(1);
    const lines = key.match(/.{1,76}/g)?.join('\r\n') ?? '';
    expect(found(`Here:\n\n${lines}\n\nThat is it.`)).toEqual([lines]);
    const secrets = await findSecrets(`{"a":"${key.match(/.{1,60}/g)?.join('\\n')}"}`, 0);
    expect(secrets.map(({ kind }) => kind)).toEqual(['private key']);
    expect(leaveOut(key, await findSecrets(key, 0))).not.toContain(key.slice(-20));
  });

  test.skipIf(!hasSshKeygen).each(['rsa', 'ed25519', 'ecdsa'] as const)('of OpenSSH: %s, and its public half is none', (type) => {
    const { key, pub } = openSsh(type);
    expect(found(key)).toEqual([key]);
    expect(found(pub)).toEqual([]);
    // Its second half, from any letter on.
    if (type !== 'ecdsa') for (const cut of [81, 82, 83, 84]) expect(found(key.slice(type === 'rsa' ? 400 + cut : cut))).toHaveLength(1);
  });

  test('a piece is found where two of its numbers meet, from any letter on', () => {
    const key = der(rsa.privateKey, 'pkcs8');
    for (let cut = 0; cut < 4; cut += 1) {
      // From before the end of the exponent, and from before the end of the first prime.
      expect(found(key.slice(300 + cut, 700))).toHaveLength(1);
      expect(found(key.slice(800 + cut, 1200))).toHaveLength(1);
    }
  });

  test('the private number of a key as JSON', async () => {
    const jwk = JSON.stringify(ec.privateKey.export({ format: 'jwk' }));
    const secrets = await findSecrets(`The key: ${jwk}`, 0);
    expect(secrets.map(({ kind }) => kind)).toEqual(['private key']);
    expect(leaveOut(jwk, await findSecrets(jwk, 0))).not.toContain((ec.privateKey.export({ format: 'jwk' }).d ?? 'x').slice(4, 30));
    expect(await findSecrets(JSON.stringify(ec.publicKey.export({ format: 'jwk' })), 0)).toEqual([]);
  });

  test('of what is longer than any key, as much as a key has is told', () => {
    const key = der(rsa.privateKey, 'pkcs1').replaceAll('=', '');
    const text = `${'QUJD'.repeat(10_000)}${key}${'QUJD'.repeat(10_000)}`;
    const [only = '', ...more] = found(text);
    expect([only.includes(key), only.length, more]).toEqual([true, longest, []]);
  });
});

describe('nothing is found', () => {
  const noise = (count: number) =>
    Buffer.concat(Array.from({ length: Math.ceil(count / 32) }, (_, at) => createHash('sha256').update(`${at}`).digest())).subarray(
      0,
      count,
    );
  const picture = readFileSync(path.join(import.meta.dirname, '../../../build/icons/icon.png'));
  test.each<[string, string]>([
    ['in a public key', rsa.publicKey.export({ type: 'spki', format: 'der' }).toString('base64')],
    ['in one of PKCS #1', rsa.publicKey.export({ type: 'pkcs1', format: 'der' }).toString('base64')],
    ['in one of a curve', ec.publicKey.export({ type: 'spki', format: 'der' }).toString('base64')],
    ['in one of Ed25519', ed.publicKey.export({ type: 'spki', format: 'der' }).toString('base64')],
    ['in signatures', [rsa, ec].map(({ privateKey }) => sign('sha256', Buffer.from('x'), privateKey).toString('base64')).join(' ')],
    ['in a picture', picture.toString('base64')],
    ['in noise', noise(1_000_000).toString('base64')],
    ['in words in lines', 'The quick brown fox\njumps\nover the lazy dog\n'.repeat(40)],
    ['in one letter', 'A'.repeat(5_000_000)],
    ['in many short lines', 'A\n'.repeat(500_000)],
    ['in armour alone', '-'.repeat(100_000)],
    ['in a token', randomBytes(32).toString('base64')],
  ])('%s', (_what, text) => {
    expect(found(text)).toEqual([]);
  });
});

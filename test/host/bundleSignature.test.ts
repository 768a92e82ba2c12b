import { describe, expect, test } from 'vitest';
import { splitSignature, systemRoots, verifySignature } from '../../main/host/servers/bundles/signature.ts';
import { signed, zipOf } from '../doubles/bundleFile.ts';
import { selfSigned, vouchedFor } from '../doubles/certificates.ts';

const content = (): Promise<Buffer> => zipOf([{ name: 'manifest.json', content: '{}' }]);
const stateOf = async (file: Buffer, roots: readonly string[] = []) => {
  const { content: bytes, signature, isBroken } = splitSignature(file);
  if (isBroken) return { state: 'broken' as const };
  return signature ? verifySignature(bytes, signature, roots) : { state: 'unsigned' as const };
};
const footer = Buffer.from('MCPB_SIG_END');

describe('The signature of a bundle', () => {
  test('by somebody whom a trusted root vouches for gives the publisher', async () => {
    const { root, ...signer } = await vouchedFor('Acme');
    expect(await stateOf(signed(await content(), signer), [root])).toEqual({
      state: 'signed',
      publisher: 'Acme (Acme Inc.)',
      signer: expect.stringMatching(/^[0-9a-f]{64}$/),
    });
  });

  test('is of a name that nobody vouches for where the root is not trusted, or it is his own', async () => {
    const acme = await vouchedFor('Acme');
    const file = signed(await content(), acme);
    expect(await stateOf(file, [])).toMatchObject({ state: 'selfSigned', publisher: 'Acme (Acme Inc.)' });
    expect(await stateOf(file, [(await vouchedFor('Other')).root])).toMatchObject({ state: 'selfSigned' });
    const own = await selfSigned('Acme');
    expect(await stateOf(signed(await content(), own), [own.certificate])).toMatchObject({ state: 'selfSigned', publisher: 'Acme' });
  });

  test.each([
    ['is for a website', { use: 'website' }],
    ['has ended', { days: -1 }],
    ['says nothing of what it may be used for', { use: undefined }],
  ] as const)('vouches for no name with a certificate that %s', async (_what, wish) => {
    const acme = await vouchedFor('Acme', { ...wish });
    expect(await stateOf(signed(await content(), acme), [acme.root])).toMatchObject({ state: 'selfSigned' });
  });

  test('is broken where a byte of the file, of the signature or of the block’s frame is another one', async () => {
    const acme = await vouchedFor('Acme');
    const plain = await content();
    const file = signed(plain, acme);
    const changed = (at: number): Buffer => {
      const copy = Buffer.from(file);
      copy[at] = (copy[at] ?? 0) ^ 1;
      return copy;
    };
    expect(await stateOf(changed(3), [acme.root])).toMatchObject({ state: 'broken', problem: expect.stringContaining('changed after') });
    // Its last bytes before the mark are those of the signature itself.
    expect(await stateOf(changed(file.length - footer.length - 5), [acme.root])).toMatchObject({ state: 'broken' });
    expect(await stateOf(changed(plain.length), [acme.root])).toEqual({ state: 'broken' });
    expect(await stateOf(changed(plain.length + 11), [acme.root])).toEqual({ state: 'broken' });
    expect(await stateOf(Buffer.concat([plain, footer]), [acme.root])).toEqual({ state: 'broken' });
  });

  test('of one file does not hold for another', async () => {
    const acme = await vouchedFor('Acme');
    const file = signed(await content(), acme);
    const block = file.subarray((await content()).length);
    const other = await zipOf([{ name: 'manifest.json', content: '{"name":"other"}' }]);
    expect(await stateOf(Buffer.concat([other, block]), [acme.root])).toMatchObject({ state: 'broken' });
  });

  test('is not there in a file without one, and whom the system trusts can be read', async () => {
    expect(await stateOf(await content())).toEqual({ state: 'unsigned' });
    expect(systemRoots().length).toBeGreaterThan(10);
  });
});

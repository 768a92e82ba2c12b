import type { InstalledBundle } from '../../../../preload/contract/bundles.ts';
import type { OpenedBundle } from './openBundle.ts';

/**
 * Values and secrets go over to a bundle only from one of the same maker: a name is free for everybody. Whose first version was signed must
 * sign the next one, by the same name that somebody vouches for, or with the very same certificate.
 */
export function whyNotInstead(before: InstalledBundle, { signature }: Pick<OpenedBundle, 'signature'>): string | undefined {
  const isSame =
    before.signature === 'unsigned' ||
    (before.signature === 'signed' && signature.state === 'signed' && signature.publisher === before.publisher) ||
    (signature.state !== 'unsigned' && before.signer !== undefined && signature.signer === before.signer);
  if (isSame) return undefined;
  const who = before.publisher === undefined ? 'The installed version is signed' : `The installed version is signed by ${before.publisher}`;
  return `${who}, and this one is not signed by the same. It cannot take its place and get its values; it can be added beside it.`;
}

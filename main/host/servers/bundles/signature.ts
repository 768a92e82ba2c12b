import { createHash } from 'node:crypto';
import { getCACertificates } from 'node:tls';
import * as pkijs from 'pkijs';
import type { BundleSignature } from '../../../../preload/contract/bundles.ts';

const header = Buffer.from('MCPB_SIG_V1');
const footer = Buffer.from('MCPB_SIG_END');
/** A block with a whole chain of certificates is some 10 kB. */
const longestBlock = 1_048_576;

const oids = {
  commonName: '2.5.4.3',
  organisation: '2.5.4.10',
  keyUses: '2.5.29.37',
  codeSigning: '1.3.6.1.5.5.7.3.3',
  anyUse: '2.5.29.37.0',
};
/** SHA-256, SHA-384, SHA-512. */
const soundDigests = ['2.16.840.1.101.3.4.2.1', '2.16.840.1.101.3.4.2.2', '2.16.840.1.101.3.4.2.3'];

/** `signer`: SHA-256 of its certificate in hex. `problem`: a sentence about a signature that does not hold. */
export type FoundSignature =
  | { state: BundleSignature; publisher?: string | undefined; signer?: string | undefined; problem?: undefined }
  | { state: 'broken'; problem: string };

/**
 * Takes the signature block off the end of a bundle: `MCPB_SIG_V1`, the length as a 32-bit number (little endian), a detached PKCS#7
 * signature in DER, `MCPB_SIG_END`. Whatever ends with the last mark and is no such block counts as a broken one.
 */
export function splitSignature(file: Buffer): { content: Buffer; signature?: Buffer; isBroken: boolean } {
  if (!file.subarray(-footer.length).equals(footer)) return { content: file, isBroken: false };
  const end = file.length - footer.length;
  for (
    let at = file.lastIndexOf(header, end - 1);
    at >= 0 && end - at <= longestBlock;
    at = at === 0 ? -1 : file.lastIndexOf(header, at - 1)
  ) {
    const start = at + header.length + 4;
    if (start <= end && file.readUInt32LE(at + header.length) === end - start)
      return { content: file.subarray(0, at), signature: file.subarray(start, end), isBroken: false };
  }
  return { content: file, isBroken: true };
}

/** Certificates in PEM of those whom this system trusts. */
export function systemRoots(): string[] {
  const found = getCACertificates('system');
  return found.length > 0 ? found : getCACertificates('default');
}

/**
 * Who signed `content`. A name counts as vouched for (`signed`) when a chain of certificates leads from the signer to one of `roots`, all
 * of them hold today, and the signer's may be used to sign programs. Never throws for what stands in the file.
 */
export async function verifySignature(content: Buffer, signature: Buffer, roots: readonly string[]): Promise<FoundSignature> {
  const broken = (why: string): FoundSignature => ({
    state: 'broken',
    problem: `Its signature does not hold: ${why}. Get it again from where it comes from.`,
  });
  let signed: pkijs.SignedData;
  try {
    const info = pkijs.ContentInfo.fromBER(bytesOf(signature));
    if (info.contentType !== pkijs.ContentInfo.SIGNED_DATA) return broken('it is no signature');
    signed = new pkijs.SignedData({ schema: info.content });
  } catch {
    return broken('it cannot be read');
  }
  const [signer] = signed.signerInfos;
  if (signed.signerInfos.length !== 1 || !signer) return broken('it is not by one signer');
  if (!soundDigests.includes(signer.digestAlgorithm.algorithmId)) return broken('it uses a method that is not safe any more');
  // Anything inside of it would be checked in the place of the file.
  if (signed.encapContentInfo.eContent) return broken('it is made for something else than this file');
  const data = bytesOf(content);
  try {
    const holds = await signed.verify({ signer: 0, data, checkChain: false });
    if (!holds) return broken('the file was changed after it was signed');
  } catch {
    return broken('the file was changed after it was signed, or the signature is of an unknown kind');
  }
  const certificate = certificatesOf(signed).find((each) => isOfSigner(each, signer));
  if (!certificate) return broken('the certificate of its signer is missing');
  const publisher = nameOf(certificate);
  const who = {
    ...(publisher !== undefined && { publisher: publisher.slice(0, 500) }),
    signer: createHash('sha256')
      .update(Buffer.from(certificate.toSchema().toBER(false)))
      .digest('hex'),
  };
  return { state: (await isVouchedFor(signed, certificate, data, roots)) ? 'signed' : 'selfSigned', ...who };
}

const certificatesOf = (signed: pkijs.SignedData): pkijs.Certificate[] =>
  (signed.certificates ?? []).filter((each): each is pkijs.Certificate => each instanceof pkijs.Certificate);

const isOfSigner = (certificate: pkijs.Certificate, { sid }: pkijs.SignerInfo): boolean =>
  sid instanceof pkijs.IssuerAndSerialNumber &&
  certificate.issuer.isEqual(sid.issuer) &&
  certificate.serialNumber.isEqual(sid.serialNumber);

function nameOf({ subject }: pkijs.Certificate): string | undefined {
  const texts = (type: string): string[] =>
    subject.typesAndValues.flatMap((each) => (each.type === type ? [String(each.value.valueBlock.value)] : []));
  const [organisation] = texts(oids.organisation);
  const [name] = texts(oids.commonName);
  return organisation === undefined || organisation === name ? name : name === undefined ? organisation : `${name} (${organisation})`;
}

async function isVouchedFor(
  signed: pkijs.SignedData,
  certificate: pkijs.Certificate,
  data: ArrayBuffer,
  roots: readonly string[],
): Promise<boolean> {
  const uses = certificate.extensions?.find(({ extnID }) => extnID === oids.keyUses)?.parsedValue;
  const isForPrograms =
    uses instanceof pkijs.ExtKeyUsage && (uses.keyPurposes.includes(oids.codeSigning) || uses.keyPurposes.includes(oids.anyUse));
  if (!isForPrograms) return false;
  // One who vouches for himself vouches for nobody.
  if (certificate.issuer.isEqual(certificate.subject)) return false;
  const trustedCerts = roots.flatMap(readCertificate);
  try {
    const result = await signed.verify({ signer: 0, data, checkChain: true, trustedCerts, checkDate: new Date(), extendedMode: true });
    return result.signatureVerified === true && result.signerCertificateVerified === true;
  } catch {
    // It throws its result where the chain leads nowhere.
    return false;
  }
}

/** Roots of a system may be of kinds that the library cannot read: nobody is vouched for by those. */
function readCertificate(pem: string): pkijs.Certificate[] {
  const der = Buffer.from(pem.replace(/-----[^-]+-----/g, ''), 'base64');
  try {
    return [pkijs.Certificate.fromBER(bytesOf(der))];
  } catch {
    return [];
  }
}

const bytesOf = (buffer: Buffer): ArrayBuffer => {
  const copy = new Uint8Array(buffer.byteLength);
  copy.set(buffer);
  return copy.buffer;
};

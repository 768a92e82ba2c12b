import { randomBytes } from 'node:crypto';
import { BitString, Integer, Utf8String } from 'asn1js';
import * as pkijs from 'pkijs';

/** A certificate and its private key, in PEM. */
export interface Signer {
  certificate: string;
  key: string;
}

const algorithm = { name: 'RSASSA-PKCS1-v1_5', modulusLength: 2048, publicExponent: new Uint8Array([1, 0, 1]), hash: 'SHA-256' };
const uses = { programs: '1.3.6.1.5.5.7.3.3', website: '1.3.6.1.5.5.7.3.1' };
const day = 86_400_000;

interface Wish {
  name: string;
  organisation?: string;
  use?: keyof typeof uses | undefined;
  isRoot?: boolean;
  /** Days from now until it ends; it began thirty days ago. */
  days?: number;
}

/** A certificate of its own making. */
export async function selfSigned(name: string): Promise<Signer> {
  const { pem } = await issue({ name, use: 'programs' });
  return pem;
}

/** A root of this test, and a signer it vouches for. */
export async function vouchedFor(name: string, wish: Omit<Wish, 'name'> = {}): Promise<Signer & { root: string }> {
  const root = await issue({ name: 'A root of this test', isRoot: true });
  const { pem } = await issue({ name, organisation: `${name} Inc.`, use: 'programs', ...wish }, root);
  return { ...pem, root: root.pem.certificate };
}

interface Issued {
  certificate: pkijs.Certificate;
  keys: CryptoKeyPair;
  pem: Signer;
}

async function issue({ name, organisation, use, isRoot = false, days = 2 }: Wish, by?: Issued): Promise<Issued> {
  const keys = await crypto.subtle.generateKey(algorithm, true, ['sign', 'verify']);
  const certificate = new pkijs.Certificate();
  certificate.version = 2;
  certificate.serialNumber = new Integer({ valueHex: randomBytes(8).fill(1, 0, 1) });
  const say = (type: string, value: string): void =>
    void certificate.subject.typesAndValues.push(new pkijs.AttributeTypeAndValue({ type, value: new Utf8String({ value }) }));
  say('2.5.4.3', name);
  if (organisation !== undefined) say('2.5.4.10', organisation);
  certificate.issuer = by ? by.certificate.subject : certificate.subject;
  certificate.notBefore.value = new Date(Date.now() - 30 * day);
  certificate.notAfter.value = new Date(Date.now() + days * day);
  await certificate.subjectPublicKeyInfo.importKey(keys.publicKey);
  const constraints = new pkijs.BasicConstraints({ cA: isRoot });
  certificate.extensions = [extension('2.5.29.19', constraints)];
  if (isRoot) {
    const mayIssue = new BitString({ valueHex: new Uint8Array([0x06]).buffer });
    certificate.extensions.push(new pkijs.Extension({ extnID: '2.5.29.15', critical: true, extnValue: mayIssue.toBER(false) }));
  }
  if (use) certificate.extensions.push(extension('2.5.29.37', new pkijs.ExtKeyUsage({ keyPurposes: [uses[use]] })));
  await certificate.sign((by ?? { keys }).keys.privateKey, 'SHA-256');
  const key = Buffer.from(await crypto.subtle.exportKey('pkcs8', keys.privateKey));
  return {
    certificate,
    keys,
    pem: { certificate: pem('CERTIFICATE', Buffer.from(certificate.toSchema().toBER(false))), key: pem('PRIVATE KEY', key) },
  };
}

const extension = (extnID: string, value: { toSchema(): { toBER(sizeOnly: boolean): ArrayBuffer } }): pkijs.Extension =>
  new pkijs.Extension({ extnID, critical: false, extnValue: value.toSchema().toBER(false) });

const pem = (label: string, der: Buffer): string =>
  `-----BEGIN ${label}-----\n${der.toString('base64').replace(/.{64}/g, '$&\n')}\n-----END ${label}-----\n`;

import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { signMcpbFile } from '@anthropic-ai/mcpb/node';
import yazl from 'yazl';
import type { Signer } from './certificates.ts';
import { tempFolder } from './hostParts.ts';

/** A file of an archive. `mode` is that of Unix, its kind included. */
export interface Packed {
  name: string;
  content: string | Buffer;
  mode?: number;
}

/** A ZIP archive of these files, as bytes. The packer lets no hostile name pass: those are put in afterwards by {@link renamed}. */
export async function zipOf(files: readonly Packed[]): Promise<Buffer> {
  const zip = new yazl.ZipFile();
  for (const { name, content, mode = 0o100_644 } of files) zip.addBuffer(Buffer.from(content), name, { mode });
  zip.end();
  const chunks: Buffer[] = [];
  for await (const chunk of zip.outputStream) chunks.push(Buffer.from(chunk as Buffer));
  return Buffer.concat(chunks);
}

/** The archive with one name put in the place of another of the same length, wherever it stands. */
export function renamed(zip: Buffer, from: string | Buffer, to: string | Buffer): Buffer {
  const [before, after] = [Buffer.from(from), Buffer.from(to)];
  if (before.length !== after.length) throw new Error(`${JSON.stringify([String(from), String(to)])} are not of one length.`);
  const changed = Buffer.from(zip);
  for (let at = changed.indexOf(before); at >= 0; at = changed.indexOf(before, at + 1)) after.copy(changed, at);
  return changed;
}

/** The bytes with a signature at their end, made by the packer that the format comes with. */
export function signed(bytes: Buffer, { certificate, key }: Signer): Buffer {
  const at = (name: string): string => path.join(folder, name);
  const folder = tempFolder();
  writeFileSync(at('signed.mcpb'), bytes);
  writeFileSync(at('certificate.pem'), certificate);
  writeFileSync(at('key.pem'), key);
  signMcpbFile(at('signed.mcpb'), at('certificate.pem'), at('key.pem'));
  return readFileSync(at('signed.mcpb'));
}

/** A bundle: a manifest over a plain one, and the files beside it. */
export const bundleOf = ({ manifest, files }: { manifest: object; files: readonly Packed[] }): Promise<Buffer> =>
  zipOf([
    {
      name: 'manifest.json',
      content: JSON.stringify({
        manifest_version: '0.3',
        name: 'notes',
        version: '1.0.0',
        description: 'Keeps notes.',
        author: { name: 'Ada' },
        ...manifest,
      }),
    },
    ...files,
  ]);

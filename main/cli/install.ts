import { open, readFile } from 'node:fs/promises';
import path from 'node:path';
import { BundleValues } from '../../preload/contract/bundles.ts';
import { Refusal, messageOf, refuse } from '../host/refusal.ts';
import type { Client } from './client.ts';
import type { Outcome, Print } from './output.ts';

/** A piece of a file in one message, before base64. */
const pieceBytes = 524_288;

/**
 * `install`: opens a bundle and adds its server, or brings the one that is installed to this version. Starts nothing: its start is agreed
 * to in the window. `values`: a file with an object of its settings by key.
 */
export async function installBundle(client: Client, file: string, values: string | undefined, print: Print): Promise<Outcome> {
  const given = values === undefined ? {} : await readValues(values);
  const uploadId = client.newCommandId();
  await upload(client, uploadId, file);
  const { proposal } = await client.ask('bundle.open', { commandId: client.newCommandId(), uploadId });
  print({ ...proposal, type: 'bundle', server: proposal.type });
  const { installed, bundleId } = proposal;
  const isUpdate = installed !== undefined && installed.refused === undefined;
  const { server } = await client
    .ask('bundle.install', {
      commandId: client.newCommandId(),
      bundleId,
      name: proposal.title.slice(0, 128),
      values: given,
      ...(isUpdate && { serverId: installed.serverId }),
    })
    .catch(nameValues);
  return {
    status: 'done',
    serverId: server.id,
    name: server.name,
    version: proposal.summary.version,
    updated: isUpdate,
    needsConsent: server.status.state === 'off' && server.status.needsConsent !== undefined,
  };
}

/** What is missing or wrong can be given on a command line in one way only. */
function nameValues(thrown: unknown): never {
  if (!(thrown instanceof Refusal) || thrown.failure.fields === undefined) throw thrown;
  const { code, message, ...more } = thrown.failure;
  const keys = thrown.failure.fields.map(({ name }) => name).join(', ');
  return refuse(code, `${message} Give the settings as one object in a file that --values names (${keys}).`, more);
}

async function upload(client: Client, uploadId: string, name: string): Promise<void> {
  const file = await open(name);
  try {
    const piece = Buffer.alloc(pieceBytes);
    for (let offset = 0; ;) {
      const { bytesRead } = await file.read(piece, 0, pieceBytes, offset);
      if (bytesRead === 0 && offset > 0) return;
      const { received } = await client.ask('bundle.upload', { uploadId, offset, data: piece.toString('base64', 0, bytesRead) });
      if (bytesRead === 0) return;
      offset = received;
    }
  } finally {
    await file.close();
  }
}

async function readValues(file: string): Promise<BundleValues> {
  try {
    return BundleValues.parse(JSON.parse(await readFile(file, 'utf8')));
  } catch (error) {
    return refuse(
      'invalidInput',
      `The file of --values (${path.basename(file)}) must hold one object of settings by key: ${messageOf(error)}`,
    );
  }
}

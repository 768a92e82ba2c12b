import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { BundleProposal } from '../../preload/contract/bundleProposal.ts';
import type { BundleValues } from '../../preload/contract/bundles.ts';
import type { ServerId } from '../../preload/contract/ids.ts';
import type { Failure } from '../../preload/contract/result.ts';
import type { Server, StartConsent } from '../../preload/contract/servers.ts';
import { testServer } from '../host/mcp/harness.ts';
import { bundleOf, type Packed } from './bundleFile.ts';
import type { TestHost } from './testHost.ts';

/** A server that fits into a bundle: it answers `about` with its arguments, its folder and the variables it was started with. */
export const aboutFiles = (): Packed[] => [
  { name: 'server/index.ts', content: readFileSync(testServer('tellsStart')) },
  { name: 'server/rawStdio.ts', content: readFileSync(testServer('rawStdio')) },
];

/** A bundle of that server. `config`: command, arguments and environment over the usual ones. */
export const aboutBundle = (manifest: object = {}, config: object = {}, more: readonly Packed[] = []): Promise<Buffer> =>
  bundleOf({
    manifest: {
      server: {
        type: 'node',
        entry_point: 'server/index.ts',
        mcp_config: { command: 'node', args: ['${__dirname}/server/index.ts'], ...config },
      },
      ...manifest,
    },
    files: [...aboutFiles(), ...more],
  });

/** Sends a file in pieces, as the window does. */
export async function upload(host: TestHost, bytes: Buffer, pieceBytes = 500_000): Promise<string> {
  const uploadId = randomUUID();
  for (let offset = 0; offset === 0 || offset < bytes.length; offset += pieceBytes)
    await host.run('bundle.upload', { uploadId, offset, data: bytes.subarray(offset, offset + pieceBytes).toString('base64') });
  return uploadId;
}

export const open = async (host: TestHost, bytes: Buffer): Promise<BundleProposal> =>
  (await host.run('bundle.open', { uploadId: await upload(host, bytes) })).proposal;

export const refusedToOpen = async (host: TestHost, bytes: Buffer): Promise<Failure> =>
  host.refused('bundle.open', { uploadId: await upload(host, bytes) });

export async function install(host: TestHost, bytes: Buffer, values: BundleValues = {}, serverId?: ServerId): Promise<Server> {
  const { bundleId } = await open(host, bytes);
  return (await host.run('bundle.install', { bundleId, name: 'Notes', values, ...(serverId && { serverId }) })).server;
}

export async function serverOf(host: TestHost, id: ServerId): Promise<Server> {
  const found = (await host.run('server.list', {})).servers.find((server) => server.id === id);
  if (!found) throw new Error(`There is no server ${id}.`);
  return found;
}

export function consentOf(server: Server): StartConsent {
  if (server.status.state !== 'off' || !server.status.needsConsent)
    throw new Error(`Nothing to agree to: ${JSON.stringify(server.status)}`);
  return server.status.needsConsent;
}

/** Agrees to what the page shows now, and waits until it runs or has failed. */
export async function agree(host: TestHost, id: ServerId): Promise<Server> {
  const from = host.events.length;
  await host.run('server.consent', { serverId: id, configHash: consentOf(await serverOf(host, id)).configHash, allow: true });
  return host.until(
    (message) =>
      host.events.indexOf(message) >= from &&
      message.topic === 'servers' &&
      message.event.type === 'server.changed' &&
      message.event.server.id === id &&
      ['ready', 'failed'].includes(message.event.server.status.state) &&
      message.event.server,
  );
}

/** What a running server of {@link aboutBundle} says of its start. */
export async function about(
  host: TestHost,
  id: ServerId,
): Promise<{ args: string[]; cwd: string; env: Record<string, string>; program: string }> {
  const { details } = await host.run('server.details', { serverId: id });
  if (details.instructions === undefined) throw new Error(`It says nothing: ${JSON.stringify(details.server.status)}`);
  return JSON.parse(details.instructions);
}

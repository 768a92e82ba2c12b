import type { Server } from '../../preload/contract/servers.ts';
import type { Host } from '../host/createHost.ts';
import { serversSettled } from './client.ts';
import type { Client } from './client.ts';
import type { Outcome, Print } from './output.ts';

/** `servers`: one line a server, after each has connected, failed or turned out to wait for a person. */
export async function listServers(host: Host, client: Client, print: Print, stopped: AbortSignal): Promise<Outcome> {
  const servers = await serversSettled(host, client, stopped);
  for (const server of servers) print(serverLine(server));
  return { status: 'done', servers: servers.length };
}

function serverLine(server: Server) {
  const { status } = server;
  return {
    type: 'server',
    id: server.id,
    name: server.name,
    kind: server.kind,
    enabled: server.enabled,
    state: status.state,
    era: server.protocol?.era ?? null,
    protocolVersion: server.protocol?.version ?? null,
    transport: server.protocol?.transport ?? null,
    counts: server.counts ?? null,
    error: status.state === 'failed' ? status.failure : null,
    needsConsent: status.state === 'off' && status.needsConsent !== undefined,
    toReview: server.toReview ?? null,
  };
}

/** `tools`: one line a tool of every server that is ready, in the servers' order. */
export async function listTools(host: Host, client: Client, print: Print, stopped: AbortSignal): Promise<Outcome> {
  let tools = 0;
  for (const server of await serversSettled(host, client, stopped)) {
    if (server.status.state !== 'ready') {
      print(serverLine(server));
      continue;
    }
    const { details } = await client.ask('server.details', { serverId: server.id });
    for (const tool of details.tools) {
      tools += 1;
      print({
        type: 'tool',
        serverId: server.id,
        server: server.name,
        name: tool.name,
        title: tool.title ?? null,
        description: tool.description ?? null,
        effects: tool.effects,
        inputSchema: tool.inputSchema,
        problem: tool.problem ?? null,
      });
    }
  }
  return { status: 'done', tools };
}

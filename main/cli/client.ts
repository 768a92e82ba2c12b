import type { CommandInput, CommandName, CommandOutput } from '../../preload/contract/commands.ts';
import { commands } from '../../preload/contract/commands.ts';
import { CommandId } from '../../preload/contract/ids.ts';
import type { Server } from '../../preload/contract/servers.ts';
import type { Host } from '../host/createHost.ts';
import { Refusal } from '../host/refusal.ts';

/** The host as a client of the contract sees it: typed, and failures are thrown as Refusals. */
export interface Client {
  ask<Name extends CommandName>(name: Name, input: CommandInput<Name>): Promise<CommandOutput<Name>>;
  newCommandId(): CommandId;
}

export function createClient(host: Host, newId: () => string): Client {
  return {
    async ask(name, input) {
      const result = await host.invoke(name, input);
      if (!result.ok) {
        const { code, message, ...more } = result.error;
        throw new Refusal(code, message, more);
      }
      return outputOf(name, result.value);
    },
    newCommandId: () => CommandId.parse(newId()),
  };
}

function outputOf<Name extends CommandName>(name: Name, value: unknown): CommandOutput<Name> {
  const schema: { parse(value: unknown): unknown } = commands[name].output;
  // The schema is the one of `name`; TypeScript cannot follow that through the table.
  return schema.parse(value) as CommandOutput<Name>;
}

/** Resolves when no server that is switched on is starting any more: each is ready, failed or waits for a person. Rejects when stopped. */
export async function serversSettled(host: Host, client: Client, stopped?: AbortSignal): Promise<Server[]> {
  const { promise, resolve, reject } = Promise.withResolvers<Server[]>();
  let looking = false;
  let again = false;
  const look = async (): Promise<void> => {
    if (looking) {
      again = true;
      return;
    }
    looking = true;
    do {
      again = false;
      const { servers } = await client.ask('server.list', {});
      if (!servers.some((server) => server.enabled && server.status.state === 'starting')) resolve(servers);
    } while (again);
    looking = false;
  };
  const end = host.on((message) => {
    if (message.topic === 'servers' || message.topic === 'resync') look().catch(reject);
  });
  const stop = (): void => reject(new Error('Stopped.'));
  stopped?.addEventListener('abort', stop);
  try {
    stopped?.throwIfAborted();
    await look();
    return await promise;
  } finally {
    stopped?.removeEventListener('abort', stop);
    end();
  }
}

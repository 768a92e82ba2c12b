import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createHost, type Host, type HostOptions } from '../../main/host/createHost.ts';
import { nodePorts } from '../../main/host/nodePorts.ts';
import { type CommandInput, type CommandName, type CommandOutput, commands } from '../../preload/contract/commands.ts';
import type { EventMessage } from '../../preload/contract/events.ts';

export interface BenchHost {
  host: Host;
  run<Name extends CommandName>(name: Name, input: Omit<CommandInput<Name>, 'commandId'>): Promise<CommandOutput<Name>>;
  /** Resolves with the first event from now on for which `pick` returns something. */
  next<Value>(pick: (message: EventMessage) => Value | undefined): Promise<Value>;
}

export function benchFolder(later: (undo: () => unknown) => void): string {
  const folder = mkdtempSync(join(tmpdir(), 'maitre-bench-'));
  later(() => rmSync(folder, { recursive: true, force: true, maxRetries: 3 }));
  return folder;
}

/** A real host with nothing of this computer in it but its Node. */
export async function startBenchHost(
  dataDir: string,
  options: Partial<HostOptions>,
  later: (undo: () => unknown) => void,
): Promise<BenchHost> {
  const env = { PATH: process.env['PATH'], HOME: process.env['HOME'] };
  const host = await createHost(nodePorts({ dataDir, env }), {
    shell: 'test',
    version: '0.0.0',
    endpoints: { local: [] },
    env,
    ...options,
  });
  later(() => host.close());
  let counter = 0;
  return {
    host,
    async run(name, input) {
      const result = await host.invoke(name, commands[name].changes ? { commandId: `bench-${++counter}`, ...input } : input);
      if (!result.ok) throw new Error(`${name}: ${result.error.code}: ${result.error.message} ${result.error.detail ?? ''}`);
      return result.value as CommandOutput<typeof name>;
    },
    next(pick) {
      return new Promise((resolve) => {
        const stop = host.on((message) => {
          const value = pick(message);
          if (value === undefined) return;
          stop();
          resolve(value);
        });
      });
    },
  };
}

export function writeJson(path: string, value: unknown): string {
  writeFileSync(path, JSON.stringify(value));
  return path;
}

import fc from 'fast-check';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { z } from 'zod';
import { createHost } from '../../main/host/createHost.ts';
import { nodePorts } from '../../main/host/nodePorts.ts';
import { commands, type CommandName } from '../../preload/contract/commands.ts';
import { resultCodes } from '../../preload/contract/result.ts';
import { withCleanUp } from '../bench/row.ts';

type Schema = z.core.JSONSchema._JSONSchema;

const names = Object.keys(commands) as CommandName[];
const Answer = z.union([
  z.strictObject({ ok: z.literal(true), value: z.unknown() }),
  z.strictObject({ ok: z.literal(false), error: z.looseObject({ code: z.enum(resultCodes), message: z.string().min(1) }) }),
]);

/** Values that nearly fit: most pass the schema and reach the code behind it, the rest break it in one place. */
function nearly(schema: Schema, ids: readonly string[], depth = 0): fc.Arbitrary<unknown> {
  if (typeof schema === 'boolean' || depth > 5) return fc.jsonValue();
  const fitting = (): fc.Arbitrary<unknown> => {
    if (schema.const !== undefined) return fc.constant(schema.const);
    if (schema.enum) return fc.constantFrom(...schema.enum);
    const choices = schema.anyOf ?? schema.oneOf;
    if (choices) return fc.oneof(...choices.map((choice) => nearly(choice, ids, depth + 1)));
    switch (schema.type) {
      case 'string':
        return fc.oneof(fc.constantFrom(...ids), fc.string({ maxLength: 40 }), fc.constantFrom('{}', '[1', '\u0000', 'file:///', '../..'));
      case 'integer':
        return fc.oneof(fc.integer({ min: 0, max: 50 }), fc.integer());
      case 'number':
        return fc.double();
      case 'boolean':
        return fc.boolean();
      case 'array':
        return fc.array(Array.isArray(schema.items) ? fc.jsonValue() : nearly(schema.items ?? true, ids, depth + 1), { maxLength: 3 });
      case 'object': {
        const properties = Object.entries(schema.properties ?? {});
        const requiredKeys = (schema.required ?? []).filter((key) => properties.some(([name]) => name === key));
        return fc.record(Object.fromEntries(properties.map(([key, value]) => [key, nearly(value, ids, depth + 1)])), { requiredKeys });
      }
      default:
        return fc.jsonValue();
    }
  };
  return fc.oneof({ weight: 30, arbitrary: fitting() }, { weight: 1, arbitrary: fc.anything({ maxDepth: 2 }) });
}

/**
 * Whatever comes over the bridge, in whatever order: the host answers with a value or a refusal of the contract, never with a bug, and it
 * goes on. Rejects with the smallest sequence that breaks this.
 */
export function fuzzBridge(seed: number, runs: number): Promise<void> {
  return withCleanUp(async (later) => {
    const folder = mkdtempSync(join(tmpdir(), 'maitre-soak-'));
    later(() => rmSync(folder, { recursive: true, force: true, maxRetries: 3 }));
    const keys = new Map<string, string>();
    const env = { PATH: process.env['PATH'], HOME: folder };
    const broken: string[] = [];
    const ports = nodePorts({ dataDir: join(folder, 'data'), env });
    const host = await createHost(
      {
        ...ports,
        keychain: {
          get: async (account) => keys.get(account) ?? null,
          set: async (account, secret) => void keys.set(account, secret),
          remove: async (account) => void keys.delete(account),
        },
        log: {
          info: () => undefined,
          warn: () => undefined,
          error: (message, fields) => void broken.push(`${message} ${JSON.stringify(fields)}`),
        },
        openUrl: async () => undefined,
        notify: () => undefined,
      },
      { shell: 'test', version: '0.0.0', endpoints: { local: [] }, env },
    );
    later(() => host.close());
    const created = await host.invoke('conversation.create', { commandId: 'first', model: 'demo' });
    const added = await host.invoke('server.add', { commandId: 'second', name: 'odd', config: { command: 'no-such-program-anywhere' } });
    const ids = [...JSON.stringify([created, added]).matchAll(/"id":"([^"]+)"/g)].map(([, id = '']) => id);

    const command = fc.constantFrom(...names).chain((name) => {
      const schema = z.toJSONSchema(commands[name].input, { io: 'input', unrepresentable: 'any' });
      return fc.record({ name: fc.constant(name), input: nearly(schema, ids) });
    });
    await fc.assert(
      fc.asyncProperty(fc.array(command, { minLength: 1, maxLength: 4 }), async (sequence) => {
        for (const { name, input } of sequence) {
          const answer = Answer.parse(await host.invoke(name, input));
          if (!answer.ok && answer.error.code === 'internal') throw new Error(`${name} broke: ${broken.at(-1) ?? ''}`);
        }
      }),
      { seed, numRuns: runs },
    );
    Answer.parse(await host.invoke('app.open', {}));
  });
}

/**
 * The client that the official conformance suite drives: a whole host with one server, and in front of it a person who agrees to
 * everything. The address of the server is the last argument. It signs in where that is asked, calls every usable tool once (or
 * what the suite lists in its context), fills forms in with their defaults, and quits.
 */
import { mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { z } from 'zod';
import { CommandId } from '../../preload/contract/ids.ts';
import type { InputAnswer, InputRequest } from '../../preload/contract/policy.ts';
import type { ServerDetails } from '../../preload/contract/servers.ts';
import { createClient, serversSettled } from '../../main/cli/client.ts';
import { callsOf, runTurn } from '../../main/cli/turn.ts';
import { createHost } from '../../main/host/createHost.ts';
import { nodePorts } from '../../main/host/nodePorts.ts';
import { contentOf, initialValues, parseForm } from '../../renderer/features/approval/elicitationForm.ts';

const Context = z.looseObject({
  toolCalls: z.array(z.object({ name: z.string(), arguments: z.record(z.string(), z.unknown()) })).optional(),
});

const url = process.argv.at(-1) ?? '';
const context = Context.parse(JSON.parse(process.env['MCP_CONFORMANCE_CONTEXT'] ?? '{}'));
const say = (line: string): void => void process.stderr.write(`${line}\n`);

const folder = await realpath(await mkdtemp(path.join(tmpdir(), 'maitre-conformance-')));
const scriptFile = path.join(folder, 'script.json');
const memory = new Map<string, string>();
const base = nodePorts({ dataDir: path.join(folder, 'data'), env: {} });

const host = await createHost(
  {
    ...base,
    keychain: {
      get: async (account) => memory.get(account) ?? null,
      set: async (account, secret) => void memory.set(account, secret),
      remove: async (account) => void memory.delete(account),
    },
    openUrl: async () => undefined,
  },
  { shell: 'test', version: '0.0.0-conformance', scriptFiles: [scriptFile], endpoints: { local: [] }, env: { PATH: process.env['PATH'] } },
);
const client = createClient(host, base.ids);
const commandId = () => CommandId.parse(base.ids());

try {
  const { server } = await client.ask('server.add', { commandId: commandId(), name: 'Suite', config: { url } });
  const consent = server.status.state === 'off' ? server.status.needsConsent : undefined;
  if (!consent) throw new Error('The new server does not ask for consent.');
  await client.ask('server.consent', { commandId: commandId(), serverId: server.id, configHash: consent.configHash, allow: true });
  const [settled] = await serversSettled(host, client);
  if (settled?.status.state !== 'ready') {
    say(`The server did not become ready: ${JSON.stringify(settled?.status)}`);
    process.exitCode = 1;
  } else {
    const { details } = await client.ask('server.details', { serverId: server.id });
    const calls = (context.toolCalls ?? callsOfAll(details)).map(({ name, arguments: args }) => ({
      tool: `Suite.${name}`,
      arguments: args,
    }));
    if (calls.length > 0) await callTools(calls);
  }
} finally {
  await host.close();
  await rm(folder, { recursive: true, force: true });
}

async function callTools(calls: { tool: string; arguments: Record<string, unknown> }[]): Promise<void> {
  await writeFile(scriptFile, JSON.stringify({ steps: [{ calls }, { text: 'Done.' }] }));
  const { answer } = await runTurn(host, client, {
    model: `scripted:${scriptFile}`,
    message: 'Call what there is.',
    answering: { mayCall: () => true, answerTo: agree },
    onEvent: () => undefined,
    stopped: new AbortController().signal,
  });
  for (const call of callsOf(answer)) say(`${call.tool}: ${call.state}${call.state === 'failed' ? ` (${call.error.message})` : ''}`);
}

function agree(request: InputRequest): InputAnswer {
  if (request.schema === undefined) return { action: 'accept' };
  const form = parseForm(request.schema);
  return form.ok ? { action: 'accept', content: contentOf(form.fields, initialValues(form.fields)) } : { action: 'decline' };
}

function callsOfAll(details: ServerDetails): { name: string; arguments: Record<string, unknown> }[] {
  return details.tools
    .filter((tool) => tool.problem === undefined)
    .map((tool) => ({ name: tool.name, arguments: valuesFor(JSON.parse(tool.inputSchema)) }));
}

/** Some value for each argument that has to be there. */
function valuesFor(schema: unknown): Record<string, unknown> {
  const { properties = {}, required = [] } = z
    .looseObject({ properties: z.record(z.string(), z.unknown()).optional(), required: z.array(z.string()).optional() })
    .parse(schema);
  return Object.fromEntries(required.map((name) => [name, valueFor(properties[name])]));
}

function valueFor(schema: unknown): unknown {
  const { type } = z.looseObject({ type: z.string().optional() }).parse(schema ?? {});
  if (type === 'number' || type === 'integer') return 2;
  if (type === 'boolean') return true;
  if (type === 'array') return [];
  if (type === 'object') return {};
  return 'text';
}

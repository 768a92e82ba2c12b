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
import type { Server, ServerDetails } from '../../preload/contract/servers.ts';
import type { SignInClient } from '../../preload/contract/signIn.ts';
import { createClient, serversSettled } from '../../main/cli/client.ts';
import { callsOf, runTurn } from '../../main/cli/turn.ts';
import { createHost } from '../../main/host/createHost.ts';
import { nodePorts } from '../../main/host/nodePorts.ts';
import { Refusal } from '../../main/host/refusal.ts';
import { agreeToDefinitions } from '../doubles/agreeToDefinitions.ts';
import { contentOf, initialValues, parseForm } from '../../renderer/features/approval/elicitationForm.ts';

const Context = z.looseObject({
  toolCalls: z.array(z.object({ name: z.string(), arguments: z.record(z.string(), z.unknown()) })).optional(),
  issuer: z.string().optional(),
  client_id: z.string().optional(),
  client_secret: z.string().optional(),
  private_key_pem: z.string().optional(),
  signing_algorithm: z.string().optional(),
  idp_client_id: z.string().optional(),
  idp_id_token: z.string().optional(),
  idp_issuer: z.string().optional(),
  idp_token_endpoint: z.string().optional(),
});

/** The document by which the suite's authorization servers know a client. */
const clientMetadata = 'https://conformance-test.local/client-metadata.json';
/** So often does the person sign in again because a server that he has just signed in to wants it. */
const maxSignIns = 3;

const url = process.argv.at(-1) ?? '';
const scenario = process.env['MCP_CONFORMANCE_SCENARIO'] ?? '';
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
    // The suite's authorization servers ask nothing: they send the browser straight back.
    openUrl: async (page) => void (await fetch(page)),
  },
  {
    shell: 'test',
    version: '0.0.0-conformance',
    scriptFiles: [scriptFile],
    endpoints: { local: [], clientMetadata },
    env: { PATH: process.env['PATH'] },
  },
);
agreeToDefinitions(host);
const client = createClient(host, base.ids);
const commandId = () => CommandId.parse(base.ids());

try {
  const { server } = await client.ask('server.add', { commandId: commandId(), name: 'Suite', config: { url } });
  const consent = server.status.state === 'off' ? server.status.needsConsent : undefined;
  if (!consent) throw new Error('The new server does not ask for consent.');
  const known = signInClient();
  if (known) {
    await client.ask('server.setClient', {
      commandId: commandId(),
      serverId: server.id,
      client: known,
      ...(context.issuer === undefined ? {} : { issuer: context.issuer }),
    });
  }
  await client.ask('server.consent', { commandId: commandId(), serverId: server.id, configHash: consent.configHash, allow: true });
  let settled = await serverSettled();
  for (
    let signIns = 0;
    settled.status.state === 'needsSignIn' && settled.status.problem === undefined && signIns < maxSignIns;
    signIns += 1
  ) {
    await client.ask('server.signIn', { commandId: commandId(), serverId: server.id });
    settled = await serverSettled();
  }
  if (settled.status.state !== 'ready') {
    say(`The server did not become ready: ${JSON.stringify(settled.status)}`);
    process.exitCode = 1;
  } else {
    const { details } = await client.ask('server.details', { serverId: server.id });
    const calls = (context.toolCalls ?? callsOfAll(details)).map(({ name, arguments: args }) => ({
      tool: `Suite.${name}`,
      arguments: args,
    }));
    const failed = calls.length > 0 ? await callTools(calls) : [];
    // A model that has read why its arguments do not fit leaves out what is null.
    const mended = calls.filter(({ tool }) => failed.includes(tool));
    if (mended.length > 0) await callTools(mended.map(({ tool, arguments: args }) => ({ tool, arguments: withoutNulls(args) })));
  }
} catch (error) {
  // Where the suite plays an attacker, refusing is what it waits for.
  if (!(error instanceof Refusal)) throw error;
  say(`${error.failure.code}: ${error.failure.message} ${error.failure.detail ?? ''}`);
  process.exitCode = 1;
} finally {
  await host.close();
  await rm(folder, { recursive: true, force: true });
}

/** The one server, when it is ready, has failed, or waits for the person and for nothing else. */
function serverSettled(): Promise<Server> {
  const { promise, resolve, reject } = Promise.withResolvers<Server>();
  const look = async (): Promise<void> => {
    const [server] = await serversSettled(host, client);
    const state = server?.status.state;
    if (server && (state === 'ready' || state === 'failed')) resolve(server);
    if (server?.status.state === 'needsSignIn' && (server.status.words ?? server.status.problem) !== undefined && !server.signingIn)
      resolve(server);
  };
  const end = host.on((message) => {
    if (message.topic === 'servers') look().catch(reject);
  });
  look().catch(reject);
  return promise.finally(end);
}

/** What the suite tells of the client that its authorization server knows already. */
function signInClient(): SignInClient | undefined {
  const { client_id: clientId, client_secret: clientSecret } = context;
  if (clientId === undefined) return undefined;
  if (scenario.includes('client-credentials')) {
    const { private_key_pem: privateKey, signing_algorithm: algorithm = 'ES256' } = context;
    if (privateKey !== undefined) return { kind: 'machine', clientId, proof: { kind: 'key', privateKey, algorithm } };
    return { kind: 'machine', clientId, proof: { kind: 'secret', secret: clientSecret ?? '' } };
  }
  const { idp_client_id: idpClientId, idp_id_token: idToken, idp_issuer: idpIssuer, idp_token_endpoint: idpTokenEndpoint } = context;
  if (idpClientId !== undefined && idToken !== undefined && idpIssuer !== undefined)
    return {
      kind: 'organization',
      clientId,
      clientSecret: clientSecret ?? '',
      idpIssuer,
      idpClientId,
      idToken,
      ...(idpTokenEndpoint === undefined ? {} : { idpTokenEndpoint }),
    };
  return { kind: 'person', clientId, ...(clientSecret === undefined ? {} : { clientSecret }) };
}

function withoutNulls(args: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(args).filter(([, value]) => value !== null));
}

/** Returns the calls whose arguments did not fit. */
async function callTools(calls: { tool: string; arguments: Record<string, unknown> }[]): Promise<string[]> {
  await writeFile(scriptFile, JSON.stringify({ steps: [{ calls }, { text: 'Done.' }] }));
  const { answer } = await runTurn(host, client, {
    model: `scripted:${scriptFile}`,
    message: 'Call what there is.',
    answering: { mayCall: () => true, answerTo: agree },
    onEvent: () => undefined,
    stopped: new AbortController().signal,
  });
  const made = callsOf(answer);
  for (const call of made) say(`${call.tool}: ${call.state}${call.state === 'failed' ? ` (${call.error.message})` : ''}`);
  return made.flatMap((call) => (call.state === 'failed' && call.error.code === 'invalidArguments' ? [`Suite.${call.tool}`] : []));
}

function agree(request: InputRequest): InputAnswer {
  if (request.schema === undefined) return { action: 'accept' };
  const form = parseForm(request.schema);
  return form.ok ? { action: 'accept', content: contentOf(form.fields, initialValues(form.fields)) } : { action: 'decline' };
}

function callsOfAll(details: ServerDetails): { name: string; arguments: Record<string, unknown> }[] {
  const echo = details.tools.find((tool) => tool.name === 'json_schema_echo');
  const echoed = details.tools.find((tool) => tool.name === 'json_schema_2020_12_tool');
  if (echo && echoed) return [{ name: echo.name, arguments: { schema: JSON.parse(echoed.inputSchema) } }];
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

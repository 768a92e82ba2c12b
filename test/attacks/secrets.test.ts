import { readFileSync } from 'node:fs';
import { vi } from 'vitest';
import type { ServerId } from '../../preload/contract/ids.ts';
import { createLogFile } from '../../main/host/logFile.ts';
import { tempFolder } from '../doubles/hostParts.ts';
import type { TestHost } from '../doubles/testHost.ts';
import { signInWorld, type SignInWorld } from '../host/auth/signInWorld.ts';
import { clock, testServer } from '../host/mcp/harness.ts';
import { type Attack, describeAttacks } from './attack.ts';
import { legacyHttp, listen } from './legacyHttp.ts';
import { canary } from './stage.ts';

vi.mock('../../main/host/redact.ts', async (original) => (await import('./switchable.ts')).switchable(await original()));
vi.mock('../../main/host/trace/redactEnvelope.ts', async (original) => (await import('./switchable.ts')).switchable(await original()));
vi.mock('../../main/host/servers/environment.ts', async (original) => (await import('./switchable.ts')).switchable(await original()));

const harmless = 'tawny-owl-of-the-tower';
const same = <Value>(value: Value): Value => value;
const keepsAll = { createRedactor: () => ({ add: () => undefined, text: same, known: same, value: same }) };

/** Adds a server, agrees to it, and waits until it is ready. */
async function add({ host, when }: SignInWorld, name: string, env: Record<string, string>): Promise<ServerId> {
  const { server } = await host.run('server.add', { name, config: { command: process.execPath, args: [testServer('saysItsKey')], env } });
  if (server.status.state !== 'off' || !server.status.needsConsent) throw new Error('No consent is asked for.');
  await host.run('server.consent', { serverId: server.id, configHash: server.status.needsConsent.configHash, allow: true });
  await when(server.id, ({ status }) => status.state === 'ready');
  return server.id;
}

/** Every message of the trace of a server, as its page shows it. */
async function traceOf(host: TestHost, serverId: ServerId): Promise<string> {
  const { entries } = await host.run('trace.list', { serverId, filter: {} });
  const read = [];
  for (const { id } of entries) read.push(await host.run('trace.read', { entryId: id, offset: 0, length: 100_000 }));
  return JSON.stringify([entries, read]);
}

/** A server that says its own key wherever it can, and a place where what it said is written down. */
const written = (place: string, look: (host: TestHost, serverId: ServerId) => Promise<string>): Attack => ({
  name: `a server that says the key it was given, and ${place}`,
  guard: 'what was given as a secret is struck out of all that is written down',
  off: keepsAll,
  async run(kind) {
    const world = await signInWorld();
    const id = await add(world, 'Owls', kind === 'attack' ? { API_KEY: canary } : { WORD: harmless });
    await world.host.run('trace.record', { serverId: id, on: true });
    const call = await world.call(id, `say_${kind === 'attack' ? canary : harmless}`, {});
    const found = await look(world.host, id);
    return { left: found.includes(canary), done: call.state === 'failed' && found.includes(harmless) };
  },
});

const passwordInAddress: Attack = {
  name: 'an address with a password in an answer, and the trace',
  guard: 'what looks like a secret is struck out of all that is written down',
  off: { withoutLookalikes: same },
  async run(kind) {
    const world = await signInWorld();
    const id = await add(world, 'Owls', kind === 'attack' ? { PASSWORD_OF_ADDRESS: canary } : {});
    await world.call(id, 'address', {});
    const found = await traceOf(world.host, id);
    return { left: found.includes(canary), done: found.includes('db.example/rows') };
  },
};

const sessionInReport: Attack = {
  name: 'the id of a session, said by its server, in a report for whoever asks for one (stolen session)',
  guard: 'what opens a session is struck out of the trace',
  off: { secretsOfExchange: () => [], redactHeaders: (headers: Headers) => [...headers] },
  async run(kind) {
    const lab = await legacyHttp({
      session: () => `session-${canary}`,
      onCall: () => (kind === 'attack' ? `session-${canary}` : harmless),
    });
    const world = await signInWorld();
    const id = await world.add(lab.url);
    await world.when(id, ({ status }) => status.state === 'ready');
    await world.call(id, 'echo', {});
    const { json } = await world.host.run('trace.bundle', { serverId: id });
    return { left: json.includes(canary), done: json.includes(harmless) };
  },
};

const keyInLog: Attack = {
  name: 'a server that says the key of a header in its challenge, and the log file',
  guard: 'what was given as a secret is struck out of all that is written down',
  off: keepsAll,
  async run(kind) {
    const origin = await listen((request, _body, response) => {
      const said = kind === 'attack' ? String(request.headers['x-api-key']) : harmless;
      response.writeHead(401, { 'www-authenticate': `Bearer resource_metadata="no address but ${said}"` }).end();
    });
    const folder = tempFolder();
    const world = await signInWorld({ ports: { log: createLogFile(folder, clock) } });
    const id = await world.add(`${origin}/mcp`, { 'x-api-key': canary });
    await world.when(id, ({ status }) => status.state === 'needsSignIn' && status.problem !== undefined);
    const found = readFileSync(`${folder}/maitre.log`, 'utf8');
    return { left: found.includes(canary), done: found.includes(harmless) };
  },
};

const environmentOfHost: Attack = {
  name: 'a server that reads the keys of other programs out of its environment',
  guard: 'a program is started with a chosen few variables and what was listed for it',
  off: {
    childEnvironment: (base: Record<string, string>, listed: Record<string, string>) => ({ ...base, ...listed }),
  },
  async run(kind) {
    const env = { PATH: process.env['PATH'], HOME: tempFolder(), GITHUB_TOKEN: canary, LANG: 'en_OWL.UTF-8' };
    const world = await signInWorld({ env });
    const id = await world.addProgram(process.execPath, [testServer('showsEnvironment')]);
    await world.when(id, ({ status }) => status.state === 'ready');
    const { details } = await world.host.run('server.details', { serverId: id });
    const heard = details.instructions ?? '';
    return { left: kind === 'attack' && heard.includes(canary), done: heard.includes('en_OWL.UTF-8') };
  },
};

describeAttacks([
  written('its trace', traceOf),
  written('the recording of its trace', async (host, serverId) => {
    const { recording } = await host.run('trace.list', { serverId, filter: {} });
    return readFileSync(recording?.file ?? '', 'utf8');
  }),
  written('a report on it', async (host, serverId) => (await host.run('trace.bundle', { serverId })).json),
  written('the activity log that is passed on', async (host) => (await host.run('audit.export', {})).jsonl),
  passwordInAddress,
  sessionInReport,
  keyInLog,
  environmentOfHost,
]);

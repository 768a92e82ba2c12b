import { mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { z } from 'zod';
import type { ToolCall } from '../../preload/contract/calls.ts';
import type { Server } from '../../preload/contract/servers.ts';
import type { Host } from '../host/createHost.ts';
import { refuse } from '../host/refusal.ts';
import { type Client, serversSettled } from './client.ts';

/** Reads the arguments of a call. Refuses with `invalidInput`. */
export function parseArguments(json: string): Record<string, unknown> {
  let value: unknown;
  try {
    value = JSON.parse(json);
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    return refuse('invalidInput', `The arguments are not JSON: ${error.message}`);
  }
  const parsed = z.record(z.string(), z.unknown()).safeParse(value);
  return parsed.success ? parsed.data : refuse('invalidInput', 'The arguments must be a JSON object.');
}

/**
 * Says before the call why it cannot be made: no such server, with the names there are; one that is not connected, and why; no such tool.
 * Refuses with `notFound`, `notAllowed` or `serverUnavailable`.
 */
export async function checkCallable(
  host: Host,
  client: Client,
  { server: name, tool, stopped }: { server: string; tool: string; stopped: AbortSignal },
): Promise<void> {
  const servers = await serversSettled(host, client, stopped);
  const server = servers.find((one) => one.name === name);
  if (server === undefined) {
    const names = servers.map((one) => one.name);
    refuse('notFound', `There is no server “${name}”. ${names.length === 0 ? 'None is configured.' : `There are: ${names.join(', ')}.`}`);
  }
  if (server.toReview?.isFirst)
    refuse('notAllowed', `Nobody has looked at what “${name}” offers yet. Open Maitre, go to Settings → To review, and use its tools.`);
  const { details } = await client.ask('server.details', { serverId: server.id });
  const found = details.tools.find((one) => one.name === tool);
  if (found === undefined)
    refuseWithout(
      server,
      tool,
      details.tools.map((one) => one.name),
    );
  if (found.problem !== undefined) refuse('serverFailed', `“${tool}” of “${name}” cannot be used. ${found.problem}`);
  if (found.isOff) refuse('notAllowed', `“${tool}” of “${name}” is switched off. Switch it on in Settings, Servers.`);
  if (found.agreed === 'new')
    refuse('notAllowed', `Nobody has looked at “${tool}” of “${name}” yet. Open Maitre, go to Settings → To review, and use it.`);
}

/** Why the tool is not there: of a server that is not connected nothing is known but what it offered the last time. */
function refuseWithout({ name, status }: Server, tool: string, tools: readonly string[]): never {
  switch (status.state) {
    case 'failed':
      return refuse('serverUnavailable', status.failure.message, { detail: status.failure.detail });
    case 'off':
      if (status.needsConsent === undefined) return refuse('notAllowed', `“${name}” is switched off. Switch it on in Settings, Servers.`);
      return refuse('notAllowed', `Nobody has agreed to start “${name}” yet. Open Maitre and look at its page in Settings, Servers.`);
    case 'needsSignIn':
      return refuse('notAllowed', `“${name}” wants you to sign in. Open Maitre and do that on its page in Settings, Servers.`);
    case 'starting':
    case 'ready':
      return refuse('notFound', `“${name}” has no tool “${tool}”. ${tools.length === 0 ? 'It has none.' : `It has: ${tools.join(', ')}.`}`);
  }
}

/**
 * A script that makes the one call and says nothing: so a call from the command line goes the same way as a model's,
 * past the same gate into the same history. `server` is the server's name.
 */
export async function withCallScript<Value>(
  temp: string,
  { server, tool, args }: { server: string; tool: string; args: Record<string, unknown> },
  use: (scriptFile: string) => Promise<Value>,
): Promise<Value> {
  const dir = await realpath(await mkdtemp(path.join(temp, 'maitre-call-')));
  try {
    const file = path.join(dir, 'call.json');
    await writeFile(file, JSON.stringify({ steps: [{ calls: [{ tool: `${server}.${tool}`, arguments: args }] }, { text: '' }] }), {
      mode: 0o600,
    });
    return await use(file);
  } finally {
    await rm(dir, { recursive: true, force: true });
  }
}

/** What the last line says of a call that ended. */
export function callOutcome(call: ToolCall | undefined) {
  if (call === undefined) return { status: 'failed', error: { code: 'unknownTool', message: 'The call was not made.' } };
  const common = { status: call.state, server: call.serverName, tool: call.tool, reason: call.reason };
  switch (call.state) {
    case 'succeeded':
      return { ...common, durationMs: call.durationMs, content: call.content };
    case 'failed':
      return { ...common, durationMs: call.durationMs, error: call.error, content: call.content };
    case 'denied':
      return { ...common, by: call.by };
    default:
      return common;
  }
}

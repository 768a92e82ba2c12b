import { mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { z } from 'zod';
import type { ToolCall } from '../../preload/contract/calls.ts';
import { refuse } from '../host/refusal.ts';

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

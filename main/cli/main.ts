import { readFileSync } from 'node:fs';
import path from 'node:path';
import { z } from 'zod';
import type { ModelGuard } from '../../preload/contract/policy.ts';
import { createHost } from '../host/createHost.ts';
import type { Host, HostOptions } from '../host/createHost.ts';
import { nodePorts } from '../host/nodePorts.ts';
import { Refusal } from '../host/refusal.ts';
import { answerTo, mayCall, noAnswers, readAnswers } from './answers.ts';
import { readAudit } from './audit.ts';
import { callOutcome, checkCallable, parseArguments, withCallScript } from './call.ts';
import { createClient } from './client.ts';
import type { Client } from './client.ts';
import { parseCommandLine, usage } from './commandLine.ts';
import type { CommandLine } from './commandLine.ts';
import { installBundle } from './install.ts';
import { listServers, listTools } from './list.ts';
import { exitCodes, failureOf, lineOf } from './output.ts';
import type { Outcome, Print } from './output.ts';
import { callsOf, finalText, runTurn } from './turn.ts';

const packageFile = path.resolve(import.meta.dirname, '../../package.json');
const print: Print = (line) => {
  process.stdout.write(`${lineOf(line)}\n`);
};
/** Masked: the host gives no more of a secret. */
const printLeftOut = (secrets: ModelGuard): void => print({ type: 'leftOut', ...secrets });
const stopping = new AbortController();

type Options = Omit<HostOptions, 'shell' | 'version'>;
type Ports = ReturnType<typeof nodePorts>;

/** Opens the host for one piece of work and closes it in any case. */
async function withHost<Value>(ports: Ports, options: Options, use: (host: Host, client: Client) => Promise<Value>): Promise<Value> {
  const { version } = z.object({ version: z.string() }).parse(JSON.parse(readFileSync(packageFile, 'utf8')));
  const host = await createHost(ports, { ...options, shell: 'cli', version });
  try {
    return await use(host, createClient(host, ports.ids));
  } finally {
    await host.close();
  }
}

async function carryOut(line: Exclude<CommandLine, { command: 'help' }>): Promise<Outcome> {
  const ports = nodePorts({ ...(line.data === undefined ? {} : { dataDir: path.resolve(line.data) }), env: process.env });
  const options: Options = line.servers === undefined ? {} : { serversFile: line.servers };
  switch (line.command) {
    case 'audit':
      return readAudit(ports, line.what, print);
    case 'servers':
      return withHost(ports, options, (host, client) => listServers(host, client, print, stopping.signal));
    case 'install':
      return withHost(ports, options, (_host, client) => installBundle(client, line.file, line.values, print));
    case 'tools':
      return withHost(ports, options, (host, client) => listTools(host, client, print, stopping.signal));
    case 'run': {
      const answers = line.answers === undefined ? noAnswers : readAnswers(line.answers);
      const runOptions: Options = {
        ...options,
        scriptFiles: line.scriptFiles,
        declaresRoots: (server) => answers.requests.some((answer) => answer.kind === 'roots' && answer.server === server),
        ...(line.traceModel ? { onModelRequest: (request) => print({ type: 'modelRequest', ...request }) } : {}),
      };
      return withHost(ports, runOptions, async (host, client) => {
        const { turn, answer } = await runTurn(host, client, {
          model: line.model,
          message: line.message,
          answering: { mayCall: (approval) => mayCall(answers, approval), answerTo: (request) => answerTo(answers, request) },
          onEvent: print,
          onLeftOut: printLeftOut,
          stopped: stopping.signal,
        });
        return { status: turn.state, text: await finalText(client, answer), ...(turn.error === undefined ? {} : { error: turn.error }) };
      });
    }
    case 'call': {
      const call = { server: line.server, tool: line.tool, args: parseArguments(line.json) };
      return withCallScript(ports.paths.temp, call, (script) =>
        withHost(ports, { ...options, scriptFiles: [script] }, async (host, client) => {
          await checkCallable(host, client, { server: line.server, tool: line.tool, stopped: stopping.signal });
          const { answer } = await runTurn(host, client, {
            model: `scripted:${script}`,
            message: `Call ${line.tool} of ${line.server}.`,
            answering: { mayCall: () => line.allow, answerTo: () => ({ action: 'decline' }) },
            onEvent: print,
            onLeftOut: printLeftOut,
            stopped: stopping.signal,
          });
          return callOutcome(callsOf(answer)[0]);
        }),
      );
    }
  }
}

function exitCodeOf(outcome: Outcome): number {
  if (stopping.signal.aborted) return exitCodes.interrupted;
  if (outcome.status === 'unchecked') return exitCodes.unchecked;
  return ['done', 'succeeded', 'intact'].includes(outcome.status) ? exitCodes.done : exitCodes.notDone;
}

async function main(): Promise<number> {
  let line: CommandLine;
  try {
    line = parseCommandLine(process.argv.slice(2));
    if (line.command === 'call') parseArguments(line.json);
    if (line.command === 'run' && line.answers !== undefined) readAnswers(line.answers);
  } catch (thrown) {
    if (!(thrown instanceof Refusal)) throw thrown;
    print({ type: 'result', status: 'error', text: '', error: thrown.failure });
    return exitCodes.usage;
  }
  if (line.command === 'help') {
    process.stdout.write(`${usage}\n`);
    return exitCodes.done;
  }
  // The host's timers keep no process alive, and between two tries of a request nothing else does.
  const alive = setInterval(() => {}, 2 ** 30);
  try {
    const outcome = await carryOut(line);
    print({ type: 'result', ...outcome });
    return exitCodeOf(outcome);
  } catch (thrown) {
    if (stopping.signal.aborted) {
      print({ type: 'result', status: 'stopped', text: '' });
      return exitCodes.interrupted;
    }
    print({ type: 'result', status: 'error', text: '', error: failureOf(thrown) });
    return exitCodes.failed;
  } finally {
    clearInterval(alive);
  }
}

let stoppingSince = 0;

/** The first Ctrl+C, which may arrive several times (from the terminal and from npm), stops the turn and closes in order; the second does not wait. */
function onSignal(): void {
  if (stopping.signal.aborted) {
    if (performance.now() - stoppingSince > 500) process.exit(exitCodes.interrupted);
    return;
  }
  stoppingSince = performance.now();
  stopping.abort();
}
process.on('SIGINT', onSignal);
process.on('SIGTERM', onSignal);
// A reader that has gone (`| head`) is no error of ours.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error;
  onSignal();
});

// Not process.exit: it would cut off what stdout still holds when it is a pipe.
process.exitCode = await main();

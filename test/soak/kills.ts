import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import type { ToolCall } from '../../preload/contract/calls.ts';
import { databaseFile, openReadOnly } from '../../main/host/store/database.ts';
import { startBenchHost } from '../bench/benchHost.ts';
import { withCleanUp } from '../bench/row.ts';
import { ownServer } from '../bench/servers.ts';
import type { Random } from './random.ts';

const hostProgram = fileURLToPath(new URL('../host/programs/hostInAProcess.ts', import.meta.url));
const calls = 5;
/** Events after which the whole answer has been given. */
const eventsOfAnswer = 40;
const endedStates: ReadonlySet<ToolCall['state']> = new Set(['succeeded', 'failed', 'denied', 'cancelled', 'interrupted']);

const hold = (condition: boolean, promise: string): void => {
  if (!condition) throw new Error(`Broken: ${promise}`);
};

/** Kills a host at a moment of its answer that nobody chose, starts another one on what it left, and has the answer continued. Rejects with the promise that broke. */
export function killOnce(random: Random): Promise<void> {
  return withCleanUp(async (later) => {
    const folder = mkdtempSync(join(tmpdir(), 'maitre-soak-'));
    later(() => rmSync(folder, { recursive: true, force: true, maxRetries: 3 }));
    const [dataDir, marks, serversFile, script] = ['data', 'marks', 'servers.json', 'script.json'].map((name) => join(folder, name)) as [
      string,
      string,
      string,
      string,
    ];
    writeFileSync(marks, '');
    writeFileSync(serversFile, JSON.stringify({ mcpServers: { notes: ownServer('marks', marks) } }));
    const steps = Array.from({ length: calls }, (_, n) => ({
      text: `Step ${n}.`,
      calls: [{ tool: 'notes.note', arguments: { text: `n${n}` } }],
    }));
    writeFileSync(script, JSON.stringify({ steps: [...steps, { text: 'Done.' }] }));

    await runAndKill([dataDir, serversFile, script, 'allow'], random.below(eventsOfAnswer) + 1, random.below(4));
    const made = () => readFileSync(marks, 'utf8').split('\n').filter(Boolean);
    const onceEach = () => new Set(made()).size === made().length;
    hold(onceEach(), 'no call is made twice before the crash');

    const db = openReadOnly(databaseFile(dataDir));
    hold(db.pragma('integrity_check', { simple: true }) === 'ok', 'the database is whole after a crash');
    db.close();

    const host = await startBenchHost(dataDir, { serversFile, scriptFiles: [script] }, later);
    host.allowEverything(later);
    await host.serversReady();
    hold((await host.run('approval.list', {})).approvals.length === 0, 'no card of the crashed host is open');
    const { conversations } = await host.run('conversation.list', { limit: 10 });
    for (const { id } of conversations) {
      const { messages } = await host.run('conversation.open', { conversationId: id });
      const found = messages.flatMap(({ parts }) => parts.flatMap((part) => (part.kind === 'call' ? [part.call] : [])));
      hold(
        messages.every(({ turn }) => turn?.state !== 'running'),
        'no turn of the crashed host runs',
      );
      hold(
        found.every(({ state }) => endedStates.has(state)),
        'every call of the crashed host has ended',
      );
      for (const call of found) {
        const { text } = JSON.parse(call.arguments.text) as { text: string };
        if (call.state === 'succeeded') hold(made().includes(`note ${text}`), 'what stands as done was done');
        if (call.state === 'interrupted' && call.was !== 'running')
          hold(!made().includes(`note ${text}`), 'what stands as not made was not made');
      }
      const turn = messages.findLast((message) => message.turn)?.turn;
      if (turn?.state !== 'interrupted') continue;
      const ended = host.next((message) =>
        message.topic === 'conversation' && message.event.type === 'turn.changed' && message.event.turn.state !== 'running'
          ? message.event.turn.state
          : undefined,
      );
      await host.run('turn.continue', { turnId: turn.id });
      hold((await ended) === 'done', 'an interrupted answer can be continued to its end');
    }
    hold(onceEach(), 'no call is repeated after a crash');
  });
}

/** Kills it when it has told of so many events, or `ms` later. */
async function runAndKill(args: string[], events: number, ms: number): Promise<void> {
  const child = spawn(process.execPath, [hostProgram, ...args], { stdio: ['ignore', 'pipe', 'inherit'] });
  const exited = once(child, 'exit');
  let seen = 0;
  for await (const line of createInterface({ input: child.stdout })) {
    seen += 1;
    const message = JSON.parse(line) as { topic?: string; event?: { type?: string; turn?: { state?: string } } };
    const isOver = message.event?.type === 'turn.changed' && message.event.turn?.state !== 'running';
    if (seen >= events || isOver) break;
  }
  if (ms > 0) await new Promise((resolve) => setTimeout(resolve, ms));
  child.kill('SIGKILL');
  await exited;
}

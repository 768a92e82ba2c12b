import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { Client } from '@modelcontextprotocol/client';
import type { TurnId } from '../../preload/contract/ids.ts';
import type { ServerConfig } from '../../preload/contract/servers.ts';
import { nodePorts } from '../../main/host/nodePorts.ts';
import { callsOfTurn, updateCall } from '../../main/host/store/calls.ts';
import { auditRowsAfter, insertAuditRow, type StoredAuditRow } from '../../main/host/store/auditRows.ts';
import { databaseFile, inTransaction, openDatabase, openReadOnly } from '../../main/host/store/database.ts';
import { countUse, listRules } from '../../main/host/store/rules.ts';
import { finishStep } from '../../main/host/store/turns.ts';
import { benchFolder, startBenchHost, writeJson } from './benchHost.ts';
import { median, watchLoop, withCleanUp } from './row.ts';

/** Bare client and host take turns, so that both meet the same moments of a busy computer. */
const rounds = 6;
const callsOfRound = 40;
/** Rounds at the start that only warm up: what is measured is a running application, not its first second. */
const warmUpRounds = 2;
const tool = 'echo';

type Transport = Parameters<Client['connect']>[0];
type ArgumentsOf = (n: number) => Record<string, string>;

/** The server under test: its entry in the usual `mcpServers` shape, and how the bare client reaches it. */
export interface Measurable {
  config: ServerConfig;
  connect(): Transport;
  era: 'legacy' | 'modern';
  /** The argument of its `echo`. */
  argument: 'message' | 'text';
}

export const bareClient = (era: Measurable['era']): Client =>
  new Client({ name: 'maitre-bench', version: '0.0.0' }, { versionNegotiation: { mode: era === 'legacy' ? 'legacy' : 'auto' } });

export interface CallCost {
  /** Medians in milliseconds. */
  bare: number;
  host: number;
  rows: number;
  loopDelayMs: number;
}

/**
 * Medians of one call of the reference server's `echo`: by the bare official client; through the whole host, from the model's saved and announced
 * wish to the saved and announced result (arguments validated, a rule allows the reviewed read); and of the row writes in between alone, made again
 * on a copy of the same database.
 */
export function measureCall({ config, connect, era, argument }: Measurable): Promise<CallCost> {
  const argumentsOf: ArgumentsOf = (n) => ({ [argument]: `number ${n}` });
  return withCleanUp(async (later) => {
    const folder = benchFolder(later);
    const script = writeJson(join(folder, 'script.json'), {
      steps: [
        ...Array.from({ length: callsOfRound }, (_, n) => ({ calls: [{ tool: `bench.${tool}`, arguments: argumentsOf(n) }] })),
        { text: 'Done.' },
      ],
    });
    const serversFile = writeJson(join(folder, 'servers.json'), { mcpServers: { bench: config } });
    const dataDir = join(folder, 'data');

    const client = bareClient(era);
    await client.connect(connect());
    later(() => client.close());
    const { value, loopDelayMs } = await watchLoop(() =>
      withCleanUp(async (afterwards) => {
        const hostCalls = await openHost(dataDir, script, serversFile, afterwards);
        const rowWrites = openRowWrites(dataDir, join(folder, 'copy'), (await hostCalls()).turnId, afterwards);
        const all = { bare: [] as number[], rows: [] as number[], host: [] as number[] };
        let { gapMs } = await hostCalls();
        for (let round = 0; round < warmUpRounds + rounds; round += 1) {
          const { bare, rows } = await timeBareCalls(client, argumentsOf, rowWrites, gapMs);
          const { times, ...host } = await hostCalls();
          ({ gapMs } = host);
          if (round < warmUpRounds) continue;
          all.bare.push(...bare);
          all.rows.push(...rows);
          all.host.push(...times);
        }
        return all;
      }),
    );
    return {
      bare: median(value.bare),
      host: median(value.host),
      rows: median(value.rows),
      loopDelayMs,
    };
  });
}

/**
 * Bare calls, and behind each the bare writes of its rows: with the processor's caches as a call leaves them, as in the host. Between two
 * calls lies `gapMs` of such writes, since in the host the step of the model lies between them: a server that was asked a moment
 * ago answers faster than one that was not.
 */
async function timeBareCalls(
  client: Client,
  argumentsOf: ArgumentsOf,
  rowWrites: RowWrites,
  gapMs: number,
): Promise<{ bare: number[]; rows: number[] }> {
  const bare: number[] = [];
  const rows: number[] = [];
  rowWrites.reset();
  for (let n = 0; n < callsOfRound; n += 1) {
    const start = performance.now();
    await client.callTool({ name: tool, arguments: argumentsOf(n) });
    const answered = performance.now();
    rowWrites.write(n);
    bare.push(answered - start);
    rows.push(performance.now() - answered);
    while (performance.now() - answered < gapMs) rowWrites.write(n);
  }
  return { bare, rows };
}

/** Returns what has a turn make the calls of one round, with the time between two of them. In the first one the person allows them for good. */
async function openHost(
  dataDir: string,
  script: string,
  serversFile: string,
  later: (undo: () => unknown) => void,
): Promise<() => Promise<{ times: number[]; gapMs: number; turnId: TurnId }>> {
  const host = await startBenchHost(dataDir, { scriptFiles: [script], serversFile }, later);
  const serverId = await firstReadyServer(host);
  await host.run('server.classifyTool', { serverId, tool, effects: ['reads'] });
  await host.run('settings.set', { patch: { stepLimit: callsOfRound + 1 } });
  later(
    host.host.on((message) => {
      if (message.topic !== 'approvals' || message.event.type !== 'approval.added') return;
      const { id, argumentsHash } = message.event.approval;
      void host.run('approval.answer', { approvalId: id, argumentsHash, decision: { kind: 'allow', scope: 'always' } });
    }),
  );
  return async () => {
    const { conversation } = await host.run('conversation.create', { model: `scripted:${script}` });
    let proposedAt = 0;
    let endedAt: number | undefined;
    const times: number[] = [];
    const gaps: number[] = [];
    const stop = host.host.on((message) => {
      if (message.topic !== 'conversation' || message.event.type !== 'part.changed') return;
      const { part } = message.event;
      if (part.kind !== 'call') return;
      if (part.call.state === 'proposed') {
        proposedAt = performance.now();
        if (endedAt !== undefined) gaps.push(proposedAt - endedAt);
      }
      if (part.call.state === 'succeeded') {
        endedAt = performance.now();
        times.push(endedAt - proposedAt);
      }
    });
    const ended = host.next((message) =>
      message.topic === 'conversation' && message.event.type === 'turn.changed' && message.event.turn.state !== 'running'
        ? message.event.turn
        : undefined,
    );
    const { turnId } = await host.run('turn.send', { conversationId: conversation.id, text: 'Call it often.' });
    const turn = await ended;
    stop();
    if (turn.state !== 'done' || times.length !== callsOfRound)
      throw new Error(`The turn ended as ${turn.state} after ${times.length} calls.`);
    return { times, gapMs: median(gaps), turnId };
  };
}

async function firstReadyServer(host: Awaited<ReturnType<typeof startBenchHost>>) {
  const ready = host.next((message) =>
    message.topic === 'servers' && message.event.type === 'server.changed' && message.event.server.status.state === 'ready'
      ? message.event.server.id
      : undefined,
  );
  const { servers } = await host.run('server.list', {});
  return servers.find(({ status }) => status.state === 'ready')?.id ?? ready;
}

interface RowWrites {
  /** Puts the calls back to where a round begins. */
  reset(): void;
  /** Writes the rows of one call, in the transactions of the host: the step that asked for it, its rule's count, running, ended, and what the activity log tells of these. */
  write(n: number): void;
}

/** The rows of the calls of a turn, on a copy of the database as it is now. */
function openRowWrites(dataDir: string, copy: string, turnId: TurnId, later: (undo: () => unknown) => void): RowWrites {
  mkdirSync(copy);
  const original = openReadOnly(databaseFile(dataDir));
  original.prepare('VACUUM INTO ?').run(databaseFile(copy));
  original.close();
  const { clock, log } = nodePorts({ dataDir: copy, env: {} });
  const db = openDatabase({ dataDir: copy, log, clock });
  later(() => db.close());
  const calls = callsOfTurn(db, turnId).map(({ call }) => {
    if (call.state !== 'succeeded') throw new Error('A call is not stored as it ended.');
    const { content: _content, endedAt: _endedAt, durationMs: _durationMs, ...common } = call;
    return { ended: call, common };
  });
  const logged = auditRowsAfter(db, 0, Number.MAX_SAFE_INTEGER);
  const [decided, finished] = calls.map(({ ended }) => logged.filter(({ row }) => row.callId === ended.id)).at(-1) ?? [];
  if (!decided || !finished) throw new Error('A call is not in the activity log.');
  let seq = logged.length;
  const tell = ({ row, ...chained }: StoredAuditRow): void => insertAuditRow(db, { ...chained, row: { ...row, seq: (seq += 1) } });
  const [rule] = listRules(db);
  if (rule === undefined) throw new Error('The rule was not saved.');
  return {
    reset: () => calls.forEach(({ common }) => updateCall(db, { ...common, state: 'proposed' })),
    write(n) {
      const call = calls[n];
      if (!call) throw new Error('The turn made fewer calls.');
      const { common, ended } = call;
      inTransaction(db, () => finishStep(db, turnId, common.step, { providerData: undefined, usage: undefined }));
      inTransaction(db, () => {
        tell(decided);
        countUse(db, rule.id, clock.now());
        updateCall(db, { ...common, state: 'running', startedAt: clock.now() });
      });
      inTransaction(db, () => {
        updateCall(db, ended);
        tell(finished);
      });
    },
  };
}

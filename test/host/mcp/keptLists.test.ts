import { expect, test } from 'vitest';
import { keptLists } from '../../../main/host/mcp/keptLists.ts';
import { createReadCache } from '../../../main/host/mcp/readCache.ts';
import { serverLog } from '../../../main/host/mcp/serverLog.ts';
import { handClock } from './handClock.ts';

type Options = Parameters<typeof keptLists>[0];

/** Lists over a server that is asked for nothing but tools. */
async function lists(options: { era?: Options['era']; ttlMs?: number; told?: boolean }) {
  const clock = handClock();
  const tools = ['first'];
  const changes: string[][] = [];
  let asked = 0;
  const client = {
    getServerCapabilities: () => ({ tools: {} }),
    getServerVersion: () => undefined,
    getInstructions: () => undefined,
    request: async () => {
      asked += 1;
      return { tools: tools.map((name) => ({ name, inputSchema: { type: 'object' } })), ttlMs: options.ttlMs };
    },
  };
  const kept = keptLists({
    client: client as unknown as Options['client'],
    introduction: { icons: undefined, problems: [] },
    era: options.era ?? 'modern',
    overHttp: false,
    clock,
    log: serverLog(clock),
    cache: createReadCache(clock, () => ''),
    startSignal: new AbortController().signal,
    startTimeoutMs: 1000,
    hasEnded: () => false,
    isTold: () => options.told ?? false,
    onChange: (changed) => void changes.push(changed.tools.map(({ name }) => name)),
  });
  await kept.readAll();
  return { kept, clock, tools, changes, asked: () => asked };
}

test('a list that somebody needs after its time is read again, once, and what has changed is told', async () => {
  const { kept, clock, tools, changes, asked } = await lists({ ttlMs: 60_000 });
  tools.push('second');
  await clock.pass(59_999);
  kept.refresh();
  expect(asked()).toBe(1);
  await clock.pass(1);
  expect(asked()).toBe(1);
  kept.refresh();
  kept.refresh();
  await clock.pass(1);
  expect(asked()).toBe(2);
  await expect.poll(() => changes).toEqual([['first', 'second']]);
});

test('a list that is called stale at once is not read at every need, and not at all while its server tells of changes', async () => {
  const untold = await lists({});
  await untold.clock.pass(9999);
  untold.kept.refresh();
  expect(untold.asked()).toBe(1);
  await untold.clock.pass(1);
  untold.kept.refresh();
  await untold.clock.pass(1);
  expect(untold.asked()).toBe(2);

  const told = await lists({ told: true });
  await told.clock.pass(1_000_000);
  told.kept.refresh();
  await told.clock.pass(1);
  expect(told.asked()).toBe(1);
});

test('a time to live counts though the server tells of changes, and a legacy server has none', async () => {
  const told = await lists({ told: true, ttlMs: 20_000 });
  await told.clock.pass(20_000);
  told.kept.refresh();
  await told.clock.pass(1);
  expect(told.asked()).toBe(2);

  const legacy = await lists({ era: 'legacy', ttlMs: 20_000 });
  await legacy.clock.pass(1_000_000);
  legacy.kept.refresh();
  await legacy.clock.pass(1);
  expect(legacy.asked()).toBe(1);
});

test('a notice ends the time of a list at once', async () => {
  const { kept, clock, tools, changes } = await lists({ ttlMs: 60_000 });
  tools.push('second');
  kept.notice('tools');
  await clock.pass(1000);
  await expect.poll(() => changes).toEqual([['first', 'second']]);
});

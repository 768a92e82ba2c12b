import { expect, test } from 'vitest';
import type { RuleId, ServerId, StartId, ApprovalId } from '../../preload/contract/ids.ts';
import type { Rule } from '../../preload/contract/policy.ts';
import { fail, ok, type Result } from '../../preload/contract/result.ts';
import { fakeBridge } from '../../renderer/bridge/fakeBridge.ts';
import { createRulesStore, matchingRules } from '../../renderer/state/rules.ts';

const rule = (id: string, createdAt: number, more: Partial<Rule> = {}): Rule => ({
  id: id as RuleId,
  serverId: 's' as ServerId,
  serverName: 'Files',
  tool: 'read_text_file',
  verdict: 'allow',
  scope: 'always',
  createdAt,
  uses: 0,
  ...more,
});

test('permissions are shown newest first and found by words of server and tool', async () => {
  const store = createRulesStore(
    fakeBridge({ 'rule.list': () => ok({ rules: [rule('old', 1), rule('new', 2, { serverName: 'Mail', tool: 'send' })] }) }),
  );
  await store.load();
  const rules = store.store.getState().rules ?? [];
  expect(rules.map(({ id }) => id)).toEqual(['new', 'old']);
  expect(matchingRules(rules, { query: 'read  FILES' }).map(({ id }) => id)).toEqual(['old']);
  expect(matchingRules(rules, { query: '' }).length).toBe(2);
});

test('an answer that comes late never brings a removed permission back', async () => {
  const waiting: ((result: Result<{ rules: Rule[] }>) => void)[] = [];
  const store = createRulesStore(fakeBridge({ 'rule.list': () => new Promise((resolve) => waiting.push(resolve)) }));
  const first = store.load();
  const second = store.load();
  waiting[1]?.(ok({ rules: [] }));
  await second;
  waiting[0]?.(ok({ rules: [rule('removed', 1)] }));
  await first;
  expect(store.store.getState().rules).toEqual([]);
});

test('a failed reading keeps what was known and says why', async () => {
  let broken = false;
  const store = createRulesStore(
    fakeBridge({ 'rule.list': () => (broken ? fail('internal', 'It did not work.') : ok({ rules: [rule('a', 1)] })) }),
  );
  await store.load();
  broken = true;
  await store.load();
  expect(store.store.getState().rules?.length).toBe(1);
  expect(store.store.getState().failure?.message).toBe('It did not work.');
});

test('permissions are read again after an answered card, until the page is left', async () => {
  const bridge = fakeBridge({ 'rule.list': () => ok({ rules: [] }) });
  const store = createRulesStore(bridge);
  const leave = store.watch();
  const closed = (revision: number) =>
    bridge.emit({
      startId: 's' as StartId,
      topic: 'approvals',
      revision,
      event: { type: 'approval.closed', approvalId: 'a' as ApprovalId, outcome: 'allowed' },
    });
  closed(1);
  leave();
  closed(2);
  expect(bridge.sent.map(({ name }) => name)).toEqual(['rule.list']);
});

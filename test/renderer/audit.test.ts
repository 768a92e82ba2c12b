import { expect, test } from 'vitest';
import { AuditKind } from '../../preload/contract/audit.ts';
import type { ApprovalId, StartId } from '../../preload/contract/ids.ts';
import { ok } from '../../preload/contract/result.ts';
import { fakeBridge } from '../../renderer/bridge/fakeBridge.ts';
import { kindGroups, sentenceKey } from '../../renderer/features/audit/auditSentence.ts';
import { createI18n } from '../../renderer/i18n/i18n.ts';
import { type AuditEntry, createAuditStore } from '../../renderer/state/audit.ts';

const row = (seq: number, more: Partial<AuditEntry> = {}): AuditEntry => ({
  seq,
  at: seq,
  kind: 'call.ended',
  outcome: 'succeeded',
  ...more,
});
const rowsTo = (last: number): AuditEntry[] => Array.from({ length: last }, (_, index) => row(index + 1));

/** A store over a host whose log is the given list, which may grow. */
function logOver(all: AuditEntry[]) {
  const bridge = fakeBridge({
    'audit.list': ({ filter = {}, before = Infinity, limit = 100 }) => {
      const found = all
        .filter(({ seq, verdict }) => seq < before && (filter.verdict === undefined || verdict === filter.verdict))
        .reverse();
      return ok({ rows: found.slice(0, limit), hasMore: found.length > limit });
    },
    'audit.export': ({ after = 0 }) => {
      const found = all.filter(({ seq }) => seq > after).slice(0, 40);
      const next = found.length === 40 ? found.at(-1)?.seq : undefined;
      return ok({ jsonl: found.map(({ seq }) => `${seq}\n`).join(''), rows: found.length, ...(next === undefined ? {} : { next }) });
    },
  });
  const audit = createAuditStore(bridge);
  const happened = () =>
    bridge.emit({
      startId: 's' as StartId,
      topic: 'approvals',
      revision: 1,
      event: { type: 'approval.closed', approvalId: 'a' as ApprovalId, outcome: 'allowed' },
    });
  const seqs = () => audit.store.getState().rows?.map(({ seq }) => seq);
  return { bridge, audit, happened, seqs };
}

test('the newest rows come first, older ones are put behind them, each once', async () => {
  const { audit, seqs } = logOver(rowsTo(230));
  await audit.load({});
  expect(seqs()).toHaveLength(100);
  await Promise.all([audit.loadOlder(), audit.loadOlder()]);
  expect(seqs()).toHaveLength(200);
  await audit.loadOlder();
  expect(seqs()).toEqual(
    rowsTo(230)
      .map(({ seq }) => seq)
      .reverse(),
  );
  await audit.loadOlder();
  expect(seqs()).toHaveLength(230);
});

test('what happens while the page is open is put on top; after too much of it the list begins anew', async () => {
  const all = rowsTo(3);
  const { audit, happened, seqs } = logOver(all);
  await audit.load({});
  const end = audit.watch();
  all.push(row(4), row(5));
  happened();
  happened();
  await expect.poll(seqs).toEqual([5, 4, 3, 2, 1]);
  all.push(...rowsTo(300).slice(5));
  happened();
  await expect.poll(() => seqs()?.[0]).toBe(300);
  expect(seqs()).toHaveLength(100);
  expect(audit.store.getState().hasMore).toBe(true);
  end();
});

test('a filter asked for later wins over an answer that comes late', async () => {
  const { audit, seqs } = logOver([row(1, { verdict: 'deny' }), row(2)]);
  const late = audit.load({});
  await audit.load({ verdict: 'deny' });
  await late;
  expect(seqs()).toEqual([1]);
});

test('what is saved are all rows, piece after piece', async () => {
  const { audit } = logOver(rowsTo(100));
  await audit.load({});
  const result = await audit.exported();
  if (!result.ok) throw new Error(result.error.message);
  expect(result.value.rows).toBe(100);
  expect(result.value.pieces.join('').trimEnd().split('\n')).toEqual(rowsTo(100).map(({ seq }) => String(seq)));
});

/** Every row that the host writes, as far as the words depend on it. */
const written: Partial<AuditEntry>[] = [
  ...['ruleAllows', 'ownTool'].map((code) => ({ kind: 'call.decided' as const, verdict: 'allow' as const, code })),
  ...['ruleDenies', 'managedDenies', 'definitionChanged', 'noRule'].map((code) => ({
    kind: 'call.decided' as const,
    verdict: 'deny' as const,
    code,
  })),
  ...(['once', 'turn', 'chat', 'until', 'always'] as const).map((scope) => ({
    kind: 'call.answered' as const,
    verdict: 'allow' as const,
    scope,
  })),
  { kind: 'call.answered', verdict: 'allow', code: 'covered', scope: 'always' },
  { kind: 'call.answered', verdict: 'allow', scope: 'once', outcome: 'allowed edited' },
  { kind: 'call.answered', verdict: 'deny' },
  ...['succeeded', 'failed', 'cancelled', 'interrupted'].map((outcome) => ({ kind: 'call.ended' as const, outcome })),
  ...['elicitation', 'sampling', 'roots', 'signIn', 'modelGuard'].flatMap((code) =>
    ['accepted', 'declined', 'cancelled', 'accepted before', 'declined before'].map((outcome) => ({
      kind: 'input.answered' as const,
      code,
      outcome,
    })),
  ),
  ...['accepted edited', 'sent', 'sent edited', 'withheld'].map((outcome) => ({
    kind: 'input.answered' as const,
    code: 'sampling',
    outcome,
  })),
  { kind: 'account.signedIn' },
  { kind: 'account.signedOut' },
  { kind: 'start.answered', verdict: 'allow' },
  { kind: 'start.answered', verdict: 'deny' },
  { kind: 'start.answered', verdict: 'deny', code: 'managedDenies' },
  ...(['rule.added', 'rule.removed'] as const).flatMap((kind) => (['allow', 'deny'] as const).map((verdict) => ({ kind, verdict }))),
  { kind: 'definition.accepted' },
  ...['effects', 'content', 'questions', 'folders', 'sandbox'].map((code) => ({ kind: 'trust.changed' as const, code })),
  ...['inForce', 'none', 'broken'].map((code) => ({ kind: 'policy.applied' as const, code })),
  { kind: 'log.damaged', code: 'truncated' },
];

test.each(['en', 'zh'] as const)('every row is a sentence of its own with the names in it (%s)', (language) => {
  const { t } = createI18n(language);
  expect(new Set(written.map(({ kind }) => kind))).toEqual(new Set(AuditKind.options));
  const wanting = written.flatMap((each) => {
    const key = sentenceKey(row(1, { outcome: '', ...each }));
    const sentence = t(`audit:${key}`, { server: 'SERVER', tool: 'TOOL', summary: 'SUMMARY' });
    const ofServer = each.kind !== 'policy.applied' && each.kind !== 'log.damaged';
    const ofTool = each.kind?.startsWith('call.') === true || each.kind?.startsWith('rule.') === true;
    const isWhole = !sentence.includes(key) && !sentence.includes('{{');
    return isWhole && (!ofServer || sentence.includes('SERVER')) && (!ofTool || sentence.includes('TOOL')) ? [] : [sentence];
  });
  expect(wanting).toEqual([]);
});

test('what the person changed before it was sent is told as changed, of a call and of both sides of a question to a model', () => {
  const { t } = createI18n('en');
  const edited = [
    { kind: 'call.answered', verdict: 'allow', scope: 'once', outcome: 'allowed edited' },
    { kind: 'input.answered', code: 'sampling', outcome: 'accepted edited' },
    { kind: 'input.answered', code: 'sampling', outcome: 'sent edited' },
  ] as const;
  expect(edited.map((each) => t(`audit:${sentenceKey(row(1, each))}`).startsWith('You changed'))).toEqual([true, true, true]);
});

test('every kind of row is in exactly one group of the filter', () => {
  expect(Object.values(kindGroups).flat().sort()).toEqual([...AuditKind.options].sort());
});

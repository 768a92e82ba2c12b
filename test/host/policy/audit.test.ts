import { createHash } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import type { AuditCheck } from '../../../preload/contract/audit.ts';
import { ServerId } from '../../../preload/contract/ids.ts';
import { type Audit, createAudit, type AuditEntry } from '../../../main/host/policy/audit.ts';
import { checkChain } from '../../../main/host/policy/auditChain.ts';
import type { Keychain } from '../../../main/host/ports.ts';
import { createRedactor } from '../../../main/host/redact.ts';
import { auditKeyAccounts, auditRowsAfter } from '../../../main/host/store/auditRows.ts';
import { type Db, inTransaction } from '../../../main/host/store/database.ts';
import { createSecrets } from '../../../main/host/store/secrets.ts';
import { auditRows, exportedRow } from '../../../main/host/workers/auditFile.ts';
import { handClock, memoryKeychain, rememberingLog, tempDatabase, tempFolder } from '../../doubles/hostParts.ts';

const serverId = ServerId.parse('mail');
const entry = (n: number): AuditEntry => ({
  kind: 'call.decided',
  serverId,
  serverName: 'Mail',
  tool: `tool_${n}`,
  verdict: 'allow',
  code: 'ruleAllows',
  outcome: 'allowed',
});

const noKeychain: Keychain = {
  get: () => Promise.reject(new Error('There is no bus.')),
  set: () => Promise.reject(new Error('There is no bus.')),
  remove: () => Promise.reject(new Error('There is no bus.')),
};

let runs = 0;

interface Run {
  db: Db;
  audit: Audit;
  write(count: number): void;
  check(): Promise<AuditCheck>;
}

/** One run of a host over a data folder, as far as the log is concerned. */
async function run(dataDir: string, keychain: Keychain): Promise<Run> {
  const { db } = tempDatabase(dataDir);
  const log = rememberingLog();
  runs += 1;
  const name = `run-${runs}`;
  const secrets = createSecrets(db, keychain, { ids: () => name, clock: handClock(), log });
  const audit = createAudit({ db, secrets, keychain, clock: handClock(), log, redactor: createRedactor(), startId: name });
  await audit.ready;
  return {
    db,
    audit,
    write: (count) => {
      for (let n = 1; n <= count; n += 1) audit.append(entry(n));
    },
    check: async () => checkChain(auditRows(db), await audit.chainKeys(auditKeyAccounts(db))),
  };
}

async function logOf(rows: number) {
  const dataDir = tempFolder();
  const keychain = memoryKeychain();
  const first = await run(dataDir, keychain);
  first.write(rows);
  return { dataDir, keychain, ...first };
}

/** Somebody with the file and SQLite at hand. The triggers are no obstacle to him. */
function attack(db: Db, sql: string): void {
  db.exec(`DROP TRIGGER IF EXISTS audit_only_grows; DROP TRIGGER IF EXISTS audit_not_replaced; DROP TRIGGER IF EXISTS audit_stays; ${sql}`);
}

describe('the chain', () => {
  test('a log that nobody touched is whole, within a run and over a restart', async () => {
    const { dataDir, keychain, audit, check } = await logOf(7);
    expect(await check()).toMatchObject({ state: 'intact', rows: 7, text: 'Nothing was removed or changed. The log has 7 rows.' });
    await audit.close();
    const second = await run(dataDir, keychain);
    second.write(3);
    expect(await second.check()).toMatchObject({ state: 'intact', rows: 10 });
  });

  test.each<[string, string, Partial<AuditCheck>]>([
    ['one row is removed', 'DELETE FROM audit WHERE seq = 4', { code: 'removed', seq: 4, to: 4, text: 'Row 4 was removed.' }],
    ['several are removed', 'DELETE FROM audit WHERE seq IN (4, 5)', { code: 'removed', seq: 4, to: 5, text: 'Rows 4 to 5 were removed.' }],
    [
      'one is removed and the rest numbered anew',
      'DELETE FROM audit WHERE seq = 4; UPDATE audit SET seq = seq - 1 WHERE seq > 4',
      { code: 'changed', seq: 4 },
    ],
    ['the first are removed', 'DELETE FROM audit WHERE seq < 3', { code: 'removed', seq: 1, to: 2 }],
    [
      'a verdict is changed',
      "UPDATE audit SET verdict = 'deny' WHERE seq = 5",
      { code: 'changed', seq: 5, text: 'Row 5 was changed or moved.' },
    ],
    ['a time is changed', 'UPDATE audit SET at = at + 1 WHERE seq = 1', { code: 'changed', seq: 1 }],
    ['an empty column is filled', "UPDATE audit SET summary = '' WHERE seq = 2", { code: 'changed', seq: 2 }],
    [
      'two rows change places',
      'UPDATE audit SET seq = -1 WHERE seq = 3; UPDATE audit SET seq = 3 WHERE seq = 6; UPDATE audit SET seq = 6 WHERE seq = -1',
      { code: 'changed', seq: 3 },
    ],
    [
      'a signature is taken from another row',
      'UPDATE audit SET mac = (SELECT mac FROM audit WHERE seq = 2) WHERE seq = 5',
      { code: 'changed', seq: 5 },
    ],
    ['a signature is emptied', "UPDATE audit SET mac = x'' WHERE seq = 5", { code: 'changed', seq: 5 }],
    [
      'rows claim a key that nobody has',
      "UPDATE audit SET key_account = 'data-folder-other' WHERE seq > 5",
      { code: 'otherKey', seq: 6, to: 8 },
    ],
  ])('says so when %s', async (_what, sql, found) => {
    const { db, check } = await logOf(8);
    attack(db, sql);
    expect(await check()).toMatchObject({ state: 'broken', ...found });
  });

  /** Puts the log of another data folder in the place of this one. */
  function replaceLog(db: Db, forged: Db): void {
    attack(db, 'DELETE FROM audit');
    db.exec(`ATTACH '${forged.name}' AS forged; INSERT INTO audit SELECT * FROM forged.audit; DETACH forged`);
  }

  test('a log written anew with a chain of one’s own shows, for only the keychain has the key', async () => {
    const { dataDir, keychain, audit, db } = await logOf(8);
    await audit.close();
    const forger = await run(tempFolder(), memoryKeychain());
    forger.write(8);
    replaceLog(db, forger.db);
    db.exec("UPDATE audit SET key_account = (SELECT value FROM settings WHERE name = 'secrets.keyAccount')");
    const second = await run(dataDir, keychain);
    expect(await second.check()).toMatchObject({ state: 'broken', code: 'changed', seq: 1 });
  });

  test('nor can it be passed off as the log of a run without a keychain, for the keychain knows how far it had come', async () => {
    const { audit, db, check } = await logOf(8);
    await audit.close();
    const forger = await run(tempFolder(), noKeychain);
    forger.audit.append({ ...entry(1), verdict: 'deny' });
    forger.write(8);
    replaceLog(db, forger.db);
    expect(await check()).toMatchObject({ state: 'broken', code: 'changed', seq: 1, to: 8 });
  });

  test('rows removed from the end show against what the keychain knows', async () => {
    const { dataDir, keychain, db, audit, check } = await logOf(12);
    await audit.close();
    attack(db, 'DELETE FROM audit WHERE seq > 9');
    expect(await check()).toMatchObject({
      state: 'broken',
      code: 'truncated',
      seq: 10,
      to: 12,
      text: 'Rows 10 to 12 were removed from the end of the log.',
    });
    // The next start writes it down, so that a newer anchor does not cover it up.
    const second = await run(dataDir, keychain);
    second.write(5);
    await second.audit.close();
    expect(await second.check()).toMatchObject({ state: 'broken', code: 'recorded', seq: 10, rows: 15 });
    expect(auditRowsAfter(second.db, 9, 1)[0]?.row).toMatchObject({ kind: 'log.damaged', summary: 'There were 12 rows, and 9 were left.' });
    const third = await run(dataDir, keychain);
    expect(await third.check()).toMatchObject({ code: 'recorded', seq: 10, rows: 15 });
  });

  test('a log emptied before its hundredth row shows after a quit', async () => {
    const { dataDir, keychain, db, audit } = await logOf(3);
    await audit.close();
    attack(db, 'DELETE FROM audit');
    const second = await run(dataDir, keychain);
    expect(auditRowsAfter(second.db, 0, 10).map(({ row }) => row.kind)).toEqual(['log.damaged']);
  });
});

describe('the anchor', () => {
  test('rows beyond it are no alarm: a crash may come between a row and the next anchor', async () => {
    const { dataDir, keychain, audit } = await logOf(100);
    await audit.close();
    const crashed = await run(dataDir, keychain);
    crashed.write(20);
    const second = await run(dataDir, keychain);
    expect(await second.check()).toMatchObject({ state: 'intact', rows: 120 });
    second.write(1);
    expect(await second.check()).toMatchObject({ state: 'intact', rows: 121 });
  });

  test('is set with the first row and then every hundred, not only at the quit', async () => {
    const { keychain, write } = await logOf(1);
    const anchored = () => [...keychain.entries].find(([account]) => account.endsWith('-audit'))?.[1].split(' ')[0];
    await expect.poll(anchored).toBe('1');
    write(99);
    await expect.poll(anchored).toBe('100');
  });

  test('a quit before the keychain has answered is not held up', async () => {
    const { db } = tempDatabase();
    const waiting: Keychain = { ...noKeychain, get: () => new Promise(() => undefined) };
    const parts = { clock: handClock(), log: rememberingLog() };
    const secrets = createSecrets(db, waiting, { ids: () => 'x', ...parts });
    const audit = createAudit({ db, secrets, keychain: waiting, redactor: createRedactor(), startId: 'x', ...parts });
    audit.append(entry(1));
    await audit.close();
    expect(audit.isKept()).toBe(false);
  });
});

describe('the store', () => {
  test('a row goes with the transaction it was written in, and the next takes its number', async () => {
    const { db, audit, check } = await logOf(2);
    expect(() =>
      inTransaction(db, () => {
        audit.append(entry(3));
        throw new Error('It was not to be.');
      }),
    ).toThrow('It was not to be.');
    audit.append(entry(4));
    expect(auditRowsAfter(db, 2, 10).map(({ row }) => [row.seq, row.tool])).toEqual([[3, 'tool_4']]);
    expect(await check()).toMatchObject({ state: 'intact', rows: 3 });
  });

  test('no statement of the application can remove or change a row', async () => {
    const { db } = await logOf(2);
    expect(() => db.exec('DELETE FROM audit')).toThrow('only grows');
    expect(() => db.exec("UPDATE audit SET verdict = 'deny'")).toThrow('only grows');
  });

  test('names and summaries lose their secrets and their length; nothing else crosses', async () => {
    const { db, audit } = await logOf(0);
    audit.append({ ...entry(1), tool: `t-${'x'.repeat(5000)}`, summary: 'with Bearer canary-0123456789abcdef' });
    const [stored] = auditRowsAfter(db, 0, 1);
    expect(stored?.row.tool?.length).toBeLessThan(300);
    expect(stored?.row.summary).toBe('with Bearer [removed]');
  });
});

test('who has only the file of the log and docs/activity-log.md finds every digest in it', async () => {
  const { db, audit, write } = await logOf(0);
  audit.append({ kind: 'start.answered', serverName: 'Märchen "1"', verdict: 'allow', hash: 'h', outcome: 'allowed', summary: 'npx' });
  write(2);
  let before: Buffer = Buffer.alloc(0);
  for (const line of [...auditRows(db)].map((row) => JSON.stringify(exportedRow(row)))) {
    const row = JSON.parse(line) as Record<string, unknown>;
    const members = ['seq', 'at', 'kind', 'serverId', 'serverName', 'tool', 'conversationId', 'callId', 'verdict', 'code'];
    const list = [...members, 'ruleId', 'scope', 'hash', 'outcome', 'summary'].map((member) =>
      member === 'at' ? Date.parse(String(row[member])) : (row[member] ?? null),
    );
    const digest = createHash('sha256').update(before).update(JSON.stringify(list), 'utf8').digest();
    expect(row['digest']).toBe(digest.toString('hex'));
    before = digest;
  }
});

describe('keys', () => {
  test('rows written before the keychain has answered are signed when it does', async () => {
    const { db } = tempDatabase();
    const keychain = memoryKeychain();
    const parts = { clock: handClock(), log: rememberingLog() };
    const secrets = createSecrets(db, keychain, { ids: () => 'x', ...parts });
    const audit = createAudit({ db, secrets, keychain, redactor: createRedactor(), startId: 'x', ...parts });
    audit.append(entry(1));
    expect(checkChain(auditRows(db), { keys: new Map(), anchors: [], keychain: false })).toMatchObject({ state: 'unchecked', seq: 1 });
    await audit.ready;
    expect(auditRowsAfter(db, 0, 1)[0]?.mac).toBeDefined();
    expect(checkChain(auditRows(db), await audit.chainKeys(auditKeyAccounts(db)))).toMatchObject({ state: 'intact' });
  });

  test('without a keychain rows are written, and the check says what it cannot see', async () => {
    const dataDir = tempFolder();
    const first = await run(dataDir, noKeychain);
    first.write(4);
    expect(first.audit.isKept()).toBe(false);
    expect(await first.check()).toMatchObject({ state: 'unchecked', code: 'noKeychain', rows: 4 });
    attack(first.db, "UPDATE audit SET tool = 'other' WHERE seq = 2");
    expect(await first.check()).toMatchObject({ state: 'broken', code: 'changed', seq: 2 });
  });

  test('rows of a run without a keychain are covered by the first one that is signed', async () => {
    const dataDir = tempFolder();
    const without = await run(dataDir, noKeychain);
    without.write(3);
    await without.audit.close();
    const keychain = memoryKeychain();
    const later = await run(dataDir, keychain);
    expect(await later.check()).toMatchObject({ state: 'unchecked', code: 'otherRun', seq: 1, to: 3 });
    later.write(2);
    expect(await later.check()).toMatchObject({ state: 'intact', rows: 5 });
    attack(later.db, "UPDATE audit SET tool = 'other' WHERE seq = 2");
    expect(await later.check()).toMatchObject({ state: 'broken', code: 'changed', seq: 2 });
  });

  test('a keychain that lost the key is said to have lost it, and the old one opens the rows again', async () => {
    const { dataDir, keychain, audit } = await logOf(4);
    await audit.close();
    const other = memoryKeychain();
    const second = await run(dataDir, other);
    second.write(2);
    await second.audit.close();
    // The new rows speak for the old ones, as they were found; before there is one, nobody does.
    const third = await run(dataDir, keychain);
    expect(await third.check()).toMatchObject({ state: 'broken', code: 'otherKey', seq: 5, to: 6 });
    for (const [account, secret] of other.entries) keychain.entries.set(account, secret);
    const fourth = await run(dataDir, keychain);
    expect(await fourth.check()).toMatchObject({ state: 'intact', rows: 6 });
  });
});

import type { AuditFilter, AuditKind, AuditRow } from '../../../preload/contract/audit.ts';
import type { CallId, ConversationId, RuleId, ServerId } from '../../../preload/contract/ids.ts';
import { type Db, prepared } from './database.ts';

/** A row as it stands, with what chains it to the one before. `keyAccount` and `mac` are absent until it is signed. */
export interface StoredAuditRow {
  row: AuditRow;
  digest: Buffer;
  keyAccount: string | undefined;
  mac: Buffer | undefined;
}

interface Row {
  seq: number;
  at: number;
  kind: AuditKind;
  server_id: string | null;
  server_name: string | null;
  tool: string | null;
  conversation_id: string | null;
  call_id: string | null;
  verdict: AuditRow['verdict'] | null;
  code: string | null;
  rule_id: string | null;
  scope: AuditRow['scope'] | null;
  hash: string | null;
  outcome: string | null;
  summary: string | null;
  digest: Buffer;
  key_account: string | null;
  mac: Buffer | null;
}

const rowOf = (row: Row): AuditRow => ({
  seq: row.seq,
  at: row.at,
  kind: row.kind,
  ...(row.server_id === null ? {} : { serverId: row.server_id as ServerId }),
  ...(row.server_name === null ? {} : { serverName: row.server_name }),
  ...(row.tool === null ? {} : { tool: row.tool }),
  ...(row.conversation_id === null ? {} : { conversationId: row.conversation_id as ConversationId }),
  ...(row.call_id === null ? {} : { callId: row.call_id as CallId }),
  ...(row.verdict === null ? {} : { verdict: row.verdict }),
  ...(row.code === null ? {} : { code: row.code }),
  ...(row.rule_id === null ? {} : { ruleId: row.rule_id as RuleId }),
  ...(row.scope === null ? {} : { scope: row.scope }),
  ...(row.hash === null ? {} : { hash: row.hash }),
  ...(row.outcome === null ? {} : { outcome: row.outcome }),
  ...(row.summary === null ? {} : { summary: row.summary }),
});

const storedOf = (row: Row): StoredAuditRow => ({
  row: rowOf(row),
  digest: row.digest,
  keyAccount: row.key_account ?? undefined,
  mac: row.mac ?? undefined,
});

/**
 * The members of a row in the order of their columns, null for what is absent. The digests of the log are made of these: what is added
 * later goes to the end, and into a digest only where it is set.
 */
export const columnsOf = (row: AuditRow): (string | number | null)[] => [
  row.seq,
  row.at,
  row.kind,
  row.serverId ?? null,
  row.serverName ?? null,
  row.tool ?? null,
  row.conversationId ?? null,
  row.callId ?? null,
  row.verdict ?? null,
  row.code ?? null,
  row.ruleId ?? null,
  row.scope ?? null,
  row.hash ?? null,
  row.outcome ?? null,
  row.summary ?? null,
];

/** Read before every row that is added: what a transaction took back is gone from here too. */
export function lastAuditRow(db: Db): { seq: number; digest: Buffer } | undefined {
  return prepared<[], { seq: number; digest: Buffer }>(db, 'SELECT seq, digest FROM audit ORDER BY seq DESC LIMIT 1').get();
}

export function insertAuditRow(db: Db, { row, digest, keyAccount, mac }: StoredAuditRow): void {
  prepared(
    db,
    `INSERT INTO audit (seq, at, kind, server_id, server_name, tool, conversation_id, call_id, verdict, code, rule_id, scope, hash, outcome, summary, digest, key_account, mac)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  ).run(...columnsOf(row), digest, keyAccount ?? null, mac ?? null);
}

export function signAuditRow(db: Db, seq: number, keyAccount: string, mac: Buffer): void {
  prepared(db, 'UPDATE audit SET key_account = ?, mac = ? WHERE seq = ?').run(keyAccount, mac, seq);
}

export function getAuditRow(db: Db, seq: number): StoredAuditRow | undefined {
  const row = prepared<[number], Row>(db, 'SELECT * FROM audit WHERE seq = ?').get(seq);
  return row && storedOf(row);
}

/** Oldest first, from the row after `after` on. */
export function auditRowsAfter(db: Db, after: number, limit: number): StoredAuditRow[] {
  return prepared<[number, number], Row>(db, 'SELECT * FROM audit WHERE seq > ? ORDER BY seq LIMIT ?').all(after, limit).map(storedOf);
}

/** Whose keys the rows were signed with, each once. Reads the whole table. */
export function auditKeyAccounts(db: Db): string[] {
  return db.prepare<[], string>('SELECT DISTINCT key_account FROM audit WHERE key_account IS NOT NULL').pluck().all();
}

/** The newest row of a kind. */
export function lastAuditRowOf(db: Db, kind: AuditKind): AuditRow | undefined {
  const row = db.prepare<[string], Row>('SELECT * FROM audit WHERE kind = ? ORDER BY seq DESC LIMIT 1').get(kind);
  return row && rowOf(row);
}

export interface AuditQuery {
  filter: AuditFilter;
  /** Rows on this side of a `seq`, in the order in which one walks away from it. */
  from: { newestBefore: number | undefined } | { oldestAfter: number };
  limit: number;
}

/** The rows that fit, each with the title of its chat as long as there is one. Without an index: for workers. */
export function findAuditRows(db: Db, { filter, from, limit }: AuditQuery): (StoredAuditRow & { chat: string | undefined })[] {
  const tests: string[] = [];
  const values: (string | number)[] = [];
  const demand = (test: string, ...given: (string | number)[]): void => {
    tests.push(test);
    values.push(...given);
  };
  const newestFirst = 'newestBefore' in from;
  if (!newestFirst) demand('seq > ?', from.oldestAfter);
  else if (from.newestBefore !== undefined) demand('seq < ?', from.newestBefore);
  if (filter.serverId !== undefined) demand('server_id = ?', filter.serverId);
  if (filter.kinds !== undefined) demand(`audit.kind IN (${filter.kinds.map(() => '?').join(', ')})`, ...filter.kinds);
  if (filter.verdict !== undefined) demand('verdict = ?', filter.verdict);
  if (filter.from !== undefined) demand('at >= ?', filter.from);
  if (filter.to !== undefined) demand('at <= ?', filter.to);
  for (const word of filter.text?.split(/\s+/).filter(Boolean) ?? []) {
    const pattern = `%${word.replaceAll(/[\\%_]/g, String.raw`\$&`)}%`;
    demand(String.raw`(coalesce(server_name, '') || ' ' || coalesce(tool, '') || ' ' || coalesce(summary, '')) LIKE ? ESCAPE '\'`, pattern);
  }
  return db
    .prepare<(string | number)[], Row & { chat: string | null }>(
      `SELECT audit.*, conversations.title AS chat FROM audit
       LEFT JOIN conversations ON conversations.id = audit.conversation_id AND conversations.kind = 'chat'
       ${tests.length === 0 ? '' : `WHERE ${tests.join(' AND ')}`} ORDER BY seq ${newestFirst ? 'DESC' : 'ASC'} LIMIT ?`,
    )
    .all(...values, limit)
    .map((row) => ({ ...storedOf(row), chat: row.chat ?? undefined }));
}

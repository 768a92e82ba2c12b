import type { ConversationId, RuleId, ServerId, TurnId } from '../../../preload/contract/ids.ts';
import type { ArgumentPattern, Rule } from '../../../preload/contract/policy.ts';
import { type Db, prepared } from './database.ts';

/** A rule as stored; the server's name is looked up when it is shown. */
export type StoredRule = Omit<Rule, 'serverName' | 'patterns'> & { patterns: ArgumentPattern[] };

interface Row {
  id: string;
  server_id: string;
  tool: string;
  verdict: 'allow' | 'deny';
  scope: 'turn' | 'chat' | 'until' | 'always';
  conversation_id: string | null;
  turn_id: string | null;
  until: number | null;
  patterns: string;
  created_at: number;
  last_used_at: number | null;
  uses: number;
}

const fromRow = (row: Row): StoredRule => ({
  id: row.id as RuleId,
  serverId: row.server_id as ServerId,
  tool: row.tool,
  verdict: row.verdict,
  scope: row.scope,
  ...(row.conversation_id === null ? {} : { conversationId: row.conversation_id as ConversationId }),
  ...(row.turn_id === null ? {} : { turnId: row.turn_id as TurnId }),
  ...(row.until === null ? {} : { until: row.until }),
  patterns: row.patterns === '[]' ? [] : (JSON.parse(row.patterns) as ArgumentPattern[]),
  createdAt: row.created_at,
  ...(row.last_used_at === null ? {} : { lastUsedAt: row.last_used_at }),
  uses: row.uses,
});

export function insertRule(db: Db, rule: StoredRule): void {
  prepared(
    db,
    'INSERT INTO rules (id, server_id, tool, verdict, scope, conversation_id, turn_id, until, patterns, created_at, uses) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)',
  ).run(
    rule.id,
    rule.serverId,
    rule.tool,
    rule.verdict,
    rule.scope,
    rule.conversationId ?? null,
    rule.turnId ?? null,
    rule.until ?? null,
    JSON.stringify(rule.patterns),
    rule.createdAt,
    rule.uses,
  );
}

/** Those for every tool of the server among them. Oldest first: the order in which `decide` reads them. Sorted here: for the few there are, SQLite's sorter costs more than the reading. */
export function rulesOfTool(db: Db, serverId: ServerId, tool: string): StoredRule[] {
  return prepared<[string, string], Row>(db, "SELECT * FROM rules WHERE server_id = ? AND tool IN (?, '*')")
    .all(serverId, tool)
    .map(fromRow)
    .sort((a, b) => a.createdAt - b.createdAt || (a.id < b.id ? -1 : 1));
}

export function listRules(db: Db): StoredRule[] {
  return prepared<[], Row>(db, 'SELECT * FROM rules ORDER BY created_at DESC, id').all().map(fromRow);
}

export function getRule(db: Db, id: RuleId): StoredRule | undefined {
  const row = prepared<[string], Row>(db, 'SELECT * FROM rules WHERE id = ?').get(id);
  return row && fromRow(row);
}

/** Returns false when there is no such rule. */
export function removeRule(db: Db, id: RuleId): boolean {
  return prepared(db, 'DELETE FROM rules WHERE id = ?').run(id).changes === 1;
}

export function countUse(db: Db, id: RuleId, at: number): void {
  prepared(db, 'UPDATE rules SET uses = uses + 1, last_used_at = ? WHERE id = ?').run(at, id);
}

/** A permission for one turn is over when the turn is. */
export function removeRulesOfTurn(db: Db, turnId: TurnId): void {
  prepared(db, 'DELETE FROM rules WHERE turn_id = ?').run(turnId);
}

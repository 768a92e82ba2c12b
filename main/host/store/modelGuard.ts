import type { ConversationId } from '../../../preload/contract/ids.ts';
import { type Db, inTransaction, prepared } from './database.ts';

export type GuardDecision = 'leaveOut' | 'send';

/** By the hash of the secret. */
export function guardDecisions(db: Db, conversationId: ConversationId): Map<string, GuardDecision> {
  const rows = prepared<[string], { secret_hash: string; decision: GuardDecision }>(
    db,
    'SELECT secret_hash, decision FROM model_guard WHERE conversation_id = ?',
  ).all(conversationId);
  return new Map(rows.map((row) => [row.secret_hash, row.decision]));
}

export function keepGuardDecision(
  db: Db,
  conversationId: ConversationId,
  hashes: readonly string[],
  decision: GuardDecision,
  at: number,
): void {
  const insert = prepared(
    db,
    'INSERT OR REPLACE INTO model_guard (conversation_id, secret_hash, decision, decided_at) VALUES (?, ?, ?, ?)',
  );
  inTransaction(db, () => {
    for (const hash of hashes) insert.run(conversationId, hash, decision, at);
  });
}

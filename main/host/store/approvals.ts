import type { ApprovalId, CallId } from '../../../preload/contract/ids.ts';
import type { Approval, ApprovalDecision, ApprovalOutcome } from '../../../preload/contract/policy.ts';
import { type Db, prepared } from './database.ts';

export interface StoredApproval {
  approval: Approval;
  outcome: ApprovalOutcome | undefined;
  decision: ApprovalDecision | undefined;
  usedAt: number | undefined;
}

interface Row {
  card: string;
  outcome: ApprovalOutcome | null;
  decision: string | null;
  used_at: number | null;
}

const fromRow = (row: Row): StoredApproval => ({
  approval: JSON.parse(row.card) as Approval,
  outcome: row.outcome ?? undefined,
  decision: row.decision === null ? undefined : (JSON.parse(row.decision) as ApprovalDecision),
  usedAt: row.used_at ?? undefined,
});

export function insertApproval(db: Db, approval: Approval): void {
  prepared(db, 'INSERT INTO approvals (id, call_id, arguments_hash, card, created_at) VALUES (?, ?, ?, ?, ?)').run(
    approval.id,
    approval.callId,
    approval.argumentsHash,
    JSON.stringify(approval),
    approval.createdAt,
  );
}

export function getApproval(db: Db, id: ApprovalId): StoredApproval | undefined {
  const row = prepared<[string], Row>(db, 'SELECT card, outcome, decision, used_at FROM approvals WHERE id = ?').get(id);
  return row && fromRow(row);
}

/** Returns false when somebody was first: the first answer wins. `argumentsHash`: of the arguments that were allowed instead of those of the card. */
export function closeApproval(
  db: Db,
  id: ApprovalId,
  answer: { outcome: ApprovalOutcome; decision: ApprovalDecision | undefined; at: number; argumentsHash?: string | undefined },
): boolean {
  return (
    prepared(
      db,
      `UPDATE approvals SET outcome = ?, decision = ?, answered_at = ?, arguments_hash = coalesce(?, arguments_hash)
       WHERE id = ? AND outcome IS NULL`,
    ).run(answer.outcome, answer.decision ? JSON.stringify(answer.decision) : null, answer.at, answer.argumentsHash ?? null, id).changes ===
    1
  );
}

/** Returns false when the approval was not given, names other arguments, or was used before. */
export function useApproval(db: Db, id: ApprovalId, call: { id: CallId; argumentsHash: string }, at: number): boolean {
  return (
    prepared(
      db,
      "UPDATE approvals SET used_at = ? WHERE id = ? AND call_id = ? AND arguments_hash = ? AND outcome = 'allowed' AND used_at IS NULL",
    ).run(at, id, call.id, call.argumentsHash).changes === 1
  );
}

/** Closes every card that a crash left waiting. */
export function interruptWaitingApprovals(db: Db, at: number): void {
  prepared(db, "UPDATE approvals SET outcome = 'interrupted', answered_at = ? WHERE outcome IS NULL").run(at);
}

import type { ConversationId, MessageId, TurnId } from '../../../preload/contract/ids.ts';
import type { Turn, TurnState } from '../../../preload/contract/conversations.ts';
import { type Db, prepared } from './database.ts';

export interface StoredTurn {
  turn: Turn;
  /** The number of steps at which the turn pauses next. */
  stepLimit: number;
}

interface Row {
  id: string;
  conversation_id: string;
  user_message_id: string;
  assistant_message_id: string;
  state: TurnState;
  model: string;
  steps: number;
  step_limit: number;
  error: string | null;
  input_tokens: number;
  output_tokens: number;
  started_at: number;
  ended_at: number | null;
}

const fromRow = (row: Row): StoredTurn => ({
  stepLimit: row.step_limit,
  turn: {
    id: row.id as TurnId,
    conversationId: row.conversation_id as ConversationId,
    userMessageId: row.user_message_id as MessageId,
    assistantMessageId: row.assistant_message_id as MessageId,
    state: row.state,
    model: row.model,
    steps: row.steps,
    startedAt: row.started_at,
    ...(row.ended_at === null ? {} : { endedAt: row.ended_at }),
    ...(row.error === null ? {} : { error: JSON.parse(row.error) as NonNullable<Turn['error']> }),
    ...(row.input_tokens + row.output_tokens === 0 ? {} : { usage: { inputTokens: row.input_tokens, outputTokens: row.output_tokens } }),
  },
});

export function insertTurn(db: Db, turn: Omit<Turn, 'usage' | 'error' | 'endedAt'>, stepLimit: number): void {
  prepared(
    db,
    `INSERT INTO turns (id, conversation_id, user_message_id, assistant_message_id, state, model, steps, step_limit, started_at)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  ).run(
    turn.id,
    turn.conversationId,
    turn.userMessageId,
    turn.assistantMessageId,
    turn.state,
    turn.model,
    turn.steps,
    stepLimit,
    turn.startedAt,
  );
}

export function getTurn(db: Db, id: TurnId): StoredTurn | undefined {
  const row = prepared<[string], Row>(db, 'SELECT * FROM turns WHERE id = ?').get(id);
  return row && fromRow(row);
}

export function turnOfAnswer(db: Db, assistantMessageId: MessageId): Turn | undefined {
  const row = prepared<[string], Row>(db, 'SELECT * FROM turns WHERE assistant_message_id = ?').get(assistantMessageId);
  return row && fromRow(row).turn;
}

export function openTurns(db: Db): Turn[] {
  return prepared<[], Row>(db, "SELECT * FROM turns WHERE state = 'running'")
    .all()
    .map((row) => fromRow(row).turn);
}

/** `state` and everything that goes with it; an error of an earlier end is cleared unless given again. */
export function setTurnState(
  db: Db,
  id: TurnId,
  state: TurnState,
  more: { endedAt?: number | undefined; error?: Turn['error'] } = {},
): void {
  prepared(db, 'UPDATE turns SET state = ?, ended_at = ?, error = ? WHERE id = ?').run(
    state,
    more.endedAt ?? null,
    more.error ? JSON.stringify(more.error) : null,
    id,
  );
}

export function setStepLimit(db: Db, id: TurnId, stepLimit: number): void {
  prepared(db, 'UPDATE turns SET step_limit = ? WHERE id = ?').run(stepLimit, id);
}

/** A model request of the turn ended well. `providerData` is what the same provider must see again. */
export function finishStep(
  db: Db,
  id: TurnId,
  step: number,
  more: { providerData: unknown; usage: { inputTokens: number; outputTokens: number } | undefined },
): void {
  prepared(db, 'INSERT OR REPLACE INTO steps (turn_id, step, provider_data) VALUES (?, ?, ?)').run(
    id,
    step,
    more.providerData === undefined ? null : JSON.stringify(more.providerData),
  );
  prepared(db, 'UPDATE turns SET steps = ?, input_tokens = input_tokens + ?, output_tokens = output_tokens + ? WHERE id = ?').run(
    step + 1,
    more.usage?.inputTokens ?? 0,
    more.usage?.outputTokens ?? 0,
    id,
  );
}

/** What each finished step's provider returned, by step. */
export function providerDataOf(db: Db, id: TurnId): Map<number, { provider: string; messages: unknown }> {
  const rows = prepared<[string], { step: number; provider_data: string | null }>(
    db,
    'SELECT step, provider_data FROM steps WHERE turn_id = ?',
  ).all(id);
  return new Map(
    rows.flatMap((row) =>
      row.provider_data === null ? [] : [[row.step, JSON.parse(row.provider_data) as { provider: string; messages: unknown }] as const],
    ),
  );
}

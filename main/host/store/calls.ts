import type { ApprovalId, CallId, ConversationId, InputId, MessageId, PartId, ServerId, TurnId } from '../../../preload/contract/ids.ts';
import type { Labels, LongText, ResultBlock } from '../../../preload/contract/content.ts';
import type { ToolCall, ToolCallState } from '../../../preload/contract/calls.ts';
import type { TaskState } from '../../../preload/contract/tasks.ts';
import type { DecisionReason, Effects } from '../../../preload/contract/policy.ts';
import { type Db, prepared } from './database.ts';

/** A call with what only the host needs of it. */
export interface StoredCall {
  call: ToolCall;
  partId: PartId;
  modelCallId: string;
  wireName: string;
  /** False when the model wrote no JSON object: `call.arguments` then holds its own words. */
  argumentsValid: boolean;
  /** Of what came back; neither before that. Changed with {@link setPartLabels}. */
  labels: Pick<Labels, 'untrusted' | 'private'>;
}

interface Row {
  id: string;
  part_id: string;
  message_id: string;
  untrusted: number;
  private: number;
  turn_id: string;
  step: number;
  model_call_id: string;
  wire_name: string;
  server_id: string | null;
  server_name: string;
  tool: string;
  arguments: string;
  arguments_valid: number;
  arguments_hash: string;
  proposed_arguments: string | null;
  effects: string;
  reason: string | null;
  state: ToolCallState;
  state_data: string | null;
  content: string | null;
  approval_id: string | null;
  created_at: number;
  started_at: number | null;
  ended_at: number | null;
}

/** The members that belong to one state only, as they are kept in `state_data`. */
interface StateData {
  inputId?: InputId;
  durationMs?: number;
  waitedMs?: number;
  askedAt?: number;
  error?: Extract<ToolCall, { state: 'failed' }>['error'];
  by?: Extract<ToolCall, { state: 'denied' }>['by'];
  message?: string;
  was?: Extract<ToolCall, { state: 'interrupted' }>['was'];
  task?: TaskState;
  schemaProblem?: string;
}

function fromRow(row: Row): StoredCall {
  const data = JSON.parse(row.state_data ?? '{}') as StateData;
  const content = row.content === null ? [] : (JSON.parse(row.content) as ResultBlock[]);
  const common = {
    id: row.id as CallId,
    turnId: row.turn_id as TurnId,
    messageId: row.message_id as MessageId,
    step: row.step,
    ...(row.server_id === null ? {} : { serverId: row.server_id as ServerId }),
    serverName: row.server_name,
    tool: row.tool,
    arguments: JSON.parse(row.arguments) as LongText,
    argumentsHash: row.arguments_hash,
    ...(row.proposed_arguments === null ? {} : { proposedArguments: JSON.parse(row.proposed_arguments) as LongText }),
    effects: JSON.parse(row.effects) as Effects,
    ...(row.reason === null ? {} : { reason: JSON.parse(row.reason) as DecisionReason }),
    createdAt: row.created_at,
  };
  const ended = { endedAt: row.ended_at ?? row.created_at, durationMs: data.durationMs ?? 0 };
  const startedAt = row.started_at ?? row.created_at;
  const waited = data.waitedMs === undefined ? {} : { waitedMs: data.waitedMs };
  const call = ((): ToolCall => {
    switch (row.state) {
      case 'proposed':
        return { ...common, state: 'proposed' };
      case 'awaitingApproval':
        return { ...common, state: 'awaitingApproval', approvalId: row.approval_id as ApprovalId };
      case 'running':
        return { ...common, state: 'running', startedAt, ...waited, ...(data.task === undefined ? {} : { task: data.task }) };
      case 'awaitingInput':
        return {
          ...common,
          state: 'awaitingInput',
          startedAt,
          ...waited,
          ...(data.askedAt === undefined ? {} : { askedAt: data.askedAt }),
          inputId: data.inputId as InputId,
        };
      case 'succeeded':
        return {
          ...common,
          ...ended,
          state: 'succeeded',
          content,
          ...(data.schemaProblem === undefined ? {} : { schemaProblem: data.schemaProblem }),
        };
      case 'failed':
        return { ...common, ...ended, state: 'failed', error: data.error ?? { code: 'internal', message: '' }, content };
      case 'denied':
        return {
          ...common,
          ...ended,
          state: 'denied',
          by: data.by ?? 'host',
          ...(data.message === undefined ? {} : { message: data.message }),
        };
      case 'cancelled':
        return { ...common, ...ended, state: 'cancelled' };
      case 'interrupted':
        return { ...common, ...ended, state: 'interrupted', was: data.was ?? 'running' };
    }
  })();
  return {
    call,
    partId: row.part_id as PartId,
    modelCallId: row.model_call_id,
    wireName: row.wire_name,
    argumentsValid: row.arguments_valid === 1,
    labels: { untrusted: row.untrusted === 1, private: row.private === 1 },
  };
}

function stateColumns(call: ToolCall): Pick<Row, 'state' | 'state_data' | 'content' | 'started_at' | 'ended_at'> {
  const data: StateData = {};
  if ('durationMs' in call) data.durationMs = call.durationMs;
  if ('waitedMs' in call && call.waitedMs !== undefined) data.waitedMs = call.waitedMs;
  if (call.state === 'awaitingInput') data.inputId = call.inputId;
  if (call.state === 'awaitingInput' && call.askedAt !== undefined) data.askedAt = call.askedAt;
  if (call.state === 'running' && call.task) data.task = call.task;
  if (call.state === 'succeeded' && call.schemaProblem !== undefined) data.schemaProblem = call.schemaProblem;
  if (call.state === 'failed') data.error = call.error;
  if (call.state === 'denied') data.by = call.by;
  if (call.state === 'denied' && call.message !== undefined) data.message = call.message;
  if (call.state === 'interrupted') data.was = call.was;
  return {
    state: call.state,
    state_data: JSON.stringify(data),
    content: 'content' in call ? JSON.stringify(call.content) : null,
    started_at: 'startedAt' in call ? call.startedAt : null,
    ended_at: 'endedAt' in call ? call.endedAt : null,
  };
}

const select = 'SELECT c.*, p.message_id, p.untrusted, p.private FROM calls c JOIN parts p ON p.id = c.part_id';

/** The call's part must stand already. */
export function insertCall(db: Db, stored: StoredCall): void {
  const { call } = stored;
  const columns = stateColumns(call);
  prepared(
    db,
    `INSERT INTO calls (id, part_id, turn_id, step, model_call_id, wire_name, server_id, server_name, tool, arguments, arguments_valid, arguments_hash,
       effects, reason, state, state_data, content, created_at, started_at, ended_at)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  ).run(
    call.id,
    stored.partId,
    call.turnId,
    call.step,
    stored.modelCallId,
    stored.wireName,
    call.serverId ?? null,
    call.serverName,
    call.tool,
    JSON.stringify(call.arguments),
    stored.argumentsValid ? 1 : 0,
    call.argumentsHash,
    JSON.stringify(call.effects),
    call.reason ? JSON.stringify(call.reason) : null,
    columns.state,
    columns.state_data,
    columns.content,
    call.createdAt,
    columns.started_at,
    columns.ended_at,
  );
}

/** Writes the arguments that the person put in the place of the model's. The hash of what was approved changes with them. */
export function editCall(db: Db, { id, arguments: changed, argumentsHash, proposedArguments }: ToolCall): void {
  prepared(db, 'UPDATE calls SET arguments = ?, arguments_hash = ?, proposed_arguments = ? WHERE id = ?').run(
    JSON.stringify(changed),
    argumentsHash,
    proposedArguments ? JSON.stringify(proposedArguments) : null,
    id,
  );
}

/** Writes a call's present state. Arguments and hash change by {@link editCall} alone. */
export function updateCall(db: Db, call: ToolCall): void {
  const columns = stateColumns(call);
  prepared(
    db,
    `UPDATE calls SET effects = ?, reason = ?, state = ?, state_data = ?, content = ?, approval_id = coalesce(?, approval_id),
       started_at = coalesce(?, started_at), ended_at = ? WHERE id = ?`,
  ).run(
    JSON.stringify(call.effects),
    call.reason ? JSON.stringify(call.reason) : null,
    columns.state,
    columns.state_data,
    columns.content,
    call.state === 'awaitingApproval' ? call.approvalId : null,
    columns.started_at,
    columns.ended_at,
    call.id,
  );
}

export function getCall(db: Db, id: CallId): StoredCall | undefined {
  const row = prepared<[string], Row>(db, `${select} WHERE c.id = ?`).get(id);
  return row && fromRow(row);
}

/** `read_file of Filesystem`: the tool that a model knew by this name when it used it last. */
export function toolOfWireName(db: Db, wireName: string): string | undefined {
  return prepared<[string], { name: string }>(
    db,
    `SELECT tool || ' of ' || server_name AS name FROM calls WHERE wire_name = ? AND server_name != '' ORDER BY created_at DESC LIMIT 1`,
  ).get(wireName)?.name;
}

export function callOfPart(db: Db, partId: PartId): StoredCall | undefined {
  const row = prepared<[string], Row>(db, `${select} WHERE c.part_id = ?`).get(partId);
  return row && fromRow(row);
}

/** In the order in which the model asked for them. */
export function callsOfTurn(db: Db, turnId: TurnId): StoredCall[] {
  return prepared<[string], Row>(db, `${select} WHERE c.turn_id = ? ORDER BY p.position`).all(turnId).map(fromRow);
}

/** A call of the past with its chat. `askedIn`: the message that its answer follows; `readInAnswer`: labels of what that answer had read before. */
export interface PastCall {
  call: ToolCall;
  conversationId: ConversationId;
  title: string;
  askedIn: MessageId | undefined;
  readInAnswer: { untrusted: boolean; private: boolean };
}

/** Among the newest `limit` calls of all servers those of one server and tool (`*`: any) whose arguments are JSON, newest first. */
export function newestCalls(
  db: Db,
  limit: number,
  { serverId, tool }: { serverId: ServerId; tool: string },
): { calls: PastCall[]; looked: number } {
  const rows = prepared<
    [number, string, string, string],
    Row & { conversation_id: string; title: string; parent_id: string | null; untrusted: number | null; private: number | null }
  >(
    db,
    `SELECT c.*, p.message_id, m.conversation_id, v.title, m.parent_id,
       (SELECT max(q.untrusted) FROM parts q WHERE q.message_id = p.message_id AND q.step < c.step) AS untrusted,
       (SELECT max(q.private) FROM parts q WHERE q.message_id = p.message_id AND q.step < c.step) AS private
     FROM (SELECT rowid AS place, * FROM calls ORDER BY rowid DESC LIMIT ?) c
     JOIN parts p ON p.id = c.part_id JOIN messages m ON m.id = p.message_id JOIN conversations v ON v.id = m.conversation_id
     WHERE c.server_id = ? AND (c.tool = ? OR ? = '*') AND c.arguments_valid = 1 ORDER BY c.place DESC`,
  ).all(limit, serverId, tool, tool);
  const total = prepared<[], { count: number }>(db, 'SELECT count(*) AS count FROM calls').get()?.count ?? 0;
  const calls = rows.map((row): PastCall => ({
    call: fromRow(row).call,
    conversationId: row.conversation_id as ConversationId,
    title: row.title,
    askedIn: row.parent_id === null ? undefined : (row.parent_id as MessageId),
    readInAnswer: { untrusted: row.untrusted === 1, private: row.private === 1 },
  }));
  return { calls, looked: Math.min(total, limit) };
}

const openStates = "('proposed', 'awaitingApproval', 'running', 'awaitingInput')";

/** Those that have not ended, in the order in which the model asked for them. */
export function openCallsOfTurn(db: Db, turnId: TurnId): StoredCall[] {
  return prepared<[string], Row>(db, `${select} WHERE c.turn_id = ? AND c.state IN ${openStates} ORDER BY p.position`)
    .all(turnId)
    .map(fromRow);
}

/** Whether the model asked for anything in this step. */
export function stepHasCalls(db: Db, turnId: TurnId, step: number): boolean {
  return prepared<[string, number]>(db, 'SELECT 1 FROM calls WHERE turn_id = ? AND step = ? LIMIT 1').get(turnId, step) !== undefined;
}

/** Calls that no turn has ended, for recovery after a crash. */
export function openCalls(db: Db): StoredCall[] {
  return prepared<[], Row>(db, `${select} WHERE c.state IN ${openStates}`).all().map(fromRow);
}

const linking = `FROM calls c JOIN turns t ON t.id = c.turn_id
     WHERE t.conversation_id = ? AND c.server_id IS NOT NULL AND instr(c.content, '"type":"resourceLink"') > 0`;

/** Whether any result in this conversation links to a resource. */
export function hasLinkedResources(db: Db, conversationId: ConversationId): boolean {
  return prepared<[string]>(db, `SELECT 1 ${linking} LIMIT 1`).get(conversationId) !== undefined;
}

/**
 * Links to resources that stand in this conversation's results, newest first, each with the server that gave it. Only what was
 * linked here: an address that a model makes up leads nowhere.
 */
export function linkedResources(db: Db, conversationId: ConversationId): { serverId: ServerId; serverName: string; uri: string }[] {
  const rows = prepared<[string], { server_id: string; server_name: string; content: string }>(
    db,
    `SELECT c.server_id, c.server_name, c.content ${linking} ORDER BY c.created_at DESC, c.id DESC`,
  ).all(conversationId);
  return rows.flatMap((row) =>
    (JSON.parse(row.content) as ResultBlock[]).flatMap((block) =>
      block.type === 'resourceLink' ? [{ serverId: row.server_id as ServerId, serverName: row.server_name, uri: block.uri }] : [],
    ),
  );
}

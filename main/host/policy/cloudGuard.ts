import { createHash } from 'node:crypto';
import type { ConversationId } from '../../../preload/contract/ids.ts';
import type { GuardFinding, ModelGuard } from '../../../preload/contract/policy.ts';
import type { Model, ModelTool, PromptMessage, PromptPart, StepRequest } from '../model/model.ts';
import type { Clock, Log } from '../ports.ts';
import { messageOf } from '../refusal.ts';
import type { Db } from '../store/database.ts';
import { type GuardDecision, guardDecisions, keepGuardDecision } from '../store/modelGuard.ts';
import type { WorkerPool } from '../workers/pool.ts';
import type { FoundSecret } from './findSecrets.ts';
import { leaveOut } from './leaveOut.ts';

export interface CloudGuardDeps {
  db: Db;
  pool: WorkerPool;
  clock: Clock;
  log: Log;
  /** The person's answer. Rejects with `signal.reason` when the request is stopped meanwhile. */
  ask(question: {
    conversationId: ConversationId | undefined;
    modelGuard: ModelGuard;
    signal: AbortSignal;
  }): Promise<GuardDecision | 'stop'>;
  /** `read_file of Filesystem`, for the name under which a model knows a tool. */
  nameOf(wireName: string): string | undefined;
  /** The name of the provider behind a ModelRef. */
  providerOf(model: Model): string;
}

/** The person stopped a request because of what stands in it. */
export class StoppedBeforeSending extends Error {
  constructor() {
    super('You stopped this request: nothing of it was sent.');
    this.name = 'StoppedBeforeSending';
  }
}

/** Stands between everything that asks a model and the models. */
export interface CloudGuard {
  /**
   * The model, but a request to another computer is searched first: for private keys and tokens that look live the person is asked, once
   * each in a chat, whether they are left out. Models of this computer are what they were.
   */
  over(model: Model): Model;
}

/** A text on its way, and where it stands. */
interface Piece {
  text: string;
  where: GuardFinding['where'];
  wireName?: string | undefined;
}

const searchedWithinMs = 5000;
/** Texts that were searched; a prompt holds most of the last one again. By hash: texts may be large. */
const mostKept = 5000;
const mostShown = 50;

/** What cannot be searched counts as a secret as a whole: it may be sent, but not unseen. */
const unsearchable = (text: string): FoundSecret[] => [
  {
    kind: 'text that could not be searched for secrets',
    from: 0,
    to: text.length,
    lines: text.split('\n').length,
    preview: `${text.slice(0, 60).toWellFormed()}…`,
    hash: sha256(text),
  },
];

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');

export function createCloudGuard(deps: CloudGuardDeps): CloudGuard {
  const { db, pool, clock, log } = deps;
  const searched = new Map<string, FoundSecret[]>();

  async function search(texts: readonly string[], signal: AbortSignal): Promise<FoundSecret[][]> {
    try {
      return await pool.run('secrets', { texts, now: clock.now() }, { timeoutMs: searchedWithinMs, signal });
    } catch (error) {
      signal.throwIfAborted();
      log.warn('Texts for a cloud model could not be searched for secrets.', { texts: texts.length, error: messageOf(error) });
      const [only = ''] = texts;
      if (texts.length <= 1) return [unsearchable(only)];
      const half = texts.length >> 1;
      return [...(await search(texts.slice(0, half), signal)), ...(await search(texts.slice(half), signal))];
    }
  }

  /** The secrets of each text, in their order. */
  async function secretsOf(texts: ReadonlySet<string>, signal: AbortSignal): Promise<Map<string, FoundSecret[]>> {
    const keys = new Map([...texts].map((text) => [text, sha256(text)]));
    const fresh = [...keys].filter(([, key]) => !searched.has(key));
    const results =
      fresh.length === 0
        ? []
        : await search(
            fresh.map(([text]) => text),
            signal,
          );
    for (const [index, [, key]] of fresh.entries()) searched.set(key, results[index] ?? []);
    const found = new Map([...keys].map(([text, key]) => [text, searched.get(key) ?? []]));
    for (const oldest of searched.keys()) {
      if (searched.size <= mostKept) break;
      searched.delete(oldest);
    }
    return found;
  }

  /** What the person has said in this chat, or says now, of every secret. */
  async function decided(
    pieces: readonly Piece[],
    secrets: ReadonlyMap<string, FoundSecret[]>,
    model: Model,
    { conversationId, signal }: StepRequest,
  ): Promise<ReadonlyMap<string, GuardDecision>> {
    const decisions = conversationId === undefined ? new Map<string, GuardDecision>() : guardDecisions(db, conversationId);
    const open = new Map<string, GuardFinding>();
    for (const { text, where, wireName } of pieces)
      for (const { kind, lines, preview, hash } of secrets.get(text) ?? []) {
        if (decisions.has(hash) || open.has(hash)) continue;
        const tool = where === 'result' && wireName !== undefined ? deps.nameOf(wireName) : undefined;
        open.set(hash, { kind, lines, preview, where, ...(tool === undefined ? {} : { tool }) });
      }
    if (open.size === 0) return decisions;
    const findings = [...open.values()];
    const modelGuard: ModelGuard = {
      model: { ref: model.ref, provider: deps.providerOf(model) },
      findings: findings.slice(0, mostShown),
      ...(findings.length > mostShown ? { more: findings.length - mostShown } : {}),
    };
    const answer = await deps.ask({ conversationId, modelGuard, signal });
    signal.throwIfAborted();
    if (answer === 'stop') throw new StoppedBeforeSending();
    // Written first: a crash between answer and request must not lose it, nor one between request and row send it unasked again.
    if (conversationId !== undefined) keepGuardDecision(db, conversationId, [...open.keys()], answer, clock.now());
    return new Map([...decisions, ...[...open.keys()].map((hash): [string, GuardDecision] => [hash, answer])]);
  }

  async function checked(model: Model, request: StepRequest): Promise<StepRequest> {
    const pieces = piecesOf(request);
    const secrets = await secretsOf(new Set(pieces.map(({ text }) => text)), request.signal);
    if ([...secrets.values()].every((found) => found.length === 0)) return request;
    const decisions = await decided(pieces, secrets, model, request);
    return mapTexts(request, (text) =>
      leaveOut(
        text,
        (secrets.get(text) ?? []).filter(({ hash }) => decisions.get(hash) !== 'send'),
      ),
    );
  }

  return {
    over(model) {
      if (!model.leavesComputer) return model;
      return {
        ref: model.ref,
        provider: model.provider,
        limits: model.limits,
        leavesComputer: model.leavesComputer,
        async *stream(request) {
          yield* model.stream(await checked(model, request));
        },
      };
    },
  };
}

/**
 * Every text that would be sent, but for the host's own words, what the same provider said itself, and definitions of tools that the person has
 * agreed to: those of a server's own request nobody has seen.
 */
function piecesOf({ system, messages, tools, fromServer }: StepRequest): Piece[] {
  const pieces: Piece[] = [];
  const where = (usual: GuardFinding['where']): GuardFinding['where'] => (fromServer === true ? 'server' : usual);
  const add = (text: string, piece: Omit<Piece, 'text'>): void => void (text === '' || pieces.push({ text, ...piece }));
  const addParts = (parts: readonly PromptPart[], piece: Omit<Piece, 'text'>): void => {
    for (const part of parts) if (part.type === 'text') add(part.text, piece);
  };
  add(system, { where: where('user') });
  if (fromServer === true)
    for (const { description, inputSchema } of tools)
      mapStrings([description, inputSchema], (text) => (add(text, { where: 'server' }), text));
  for (const message of messages)
    switch (message.role) {
      case 'user':
        addParts(message.parts, { where: where('user') });
        break;
      case 'assistant':
        if (message.providerData !== undefined) break;
        add(message.text, { where: where('model') });
        for (const call of message.calls) mapStrings(call.arguments, (text) => (add(text, { where: where('model') }), text));
        break;
      case 'tool':
        for (const { wireName, parts } of message.results) addParts(parts, { where: where('result'), wireName });
        break;
    }
  return pieces;
}

/** The request with every text of {@link piecesOf} changed. */
function mapTexts(request: StepRequest, change: (text: string) => string): StepRequest {
  const mapParts = (parts: PromptPart[]): PromptPart[] =>
    parts.map((part) => (part.type === 'text' ? { ...part, text: change(part.text) } : part));
  const messages = request.messages.map((message): PromptMessage => {
    switch (message.role) {
      case 'user':
        return { ...message, parts: mapParts(message.parts) };
      case 'assistant':
        if (message.providerData !== undefined) return message;
        return {
          ...message,
          text: change(message.text),
          calls: message.calls.map((call) => ({ ...call, arguments: mapStrings(call.arguments, change) })),
        };
      case 'tool':
        return { ...message, results: message.results.map((result) => ({ ...result, parts: mapParts(result.parts) })) };
    }
  });
  const tools =
    request.fromServer === true
      ? request.tools.map((tool) => ({
          ...tool,
          description: change(tool.description),
          inputSchema: mapStrings(tool.inputSchema, change) as ModelTool['inputSchema'],
        }))
      : request.tools;
  return { ...request, system: change(request.system), messages, tools };
}

/** A JSON value with every string in it changed, names of members too: a model may write anything there. */
function mapStrings(value: unknown, change: (text: string) => string): unknown {
  if (typeof value === 'string') return change(value);
  if (Array.isArray(value)) return value.map((element: unknown) => mapStrings(element, change));
  if (typeof value !== 'object' || value === null) return value;
  const mapped = new Map<string, unknown>();
  for (const [name, member] of Object.entries(value)) {
    const changed = change(name);
    let free = changed;
    // What stands in the place of two names may be the same, and neither member may go.
    for (let n = 2; mapped.has(free); n += 1) free = `${changed} ${n}`;
    mapped.set(free, mapStrings(member, change));
  }
  return Object.fromEntries(mapped);
}

import type { ToolCall } from '../../preload/contract/calls.ts';
import type { LongText } from '../../preload/contract/content.ts';
import type { Message, Turn } from '../../preload/contract/conversations.ts';
import type { EventMessage } from '../../preload/contract/events.ts';
import type { ConversationId, TurnId } from '../../preload/contract/ids.ts';
import type { Approval, InputAnswer, InputRequest, ModelGuard } from '../../preload/contract/policy.ts';
import type { Host } from '../host/createHost.ts';
import { Refusal } from '../host/refusal.ts';
import { serversSettled } from './client.ts';
import type { Client } from './client.ts';

/** One turn that ended, and the answer message with everything that happened in it. */
export interface EndedTurn {
  turn: Turn;
  answer: Message;
}

/** Who answers while nobody sits in front: a decision for each card. */
export interface Answering {
  mayCall(approval: Approval): boolean;
  answerTo(request: InputRequest): InputAnswer;
}

/**
 * Sends one message in a new conversation and waits for the turn's end. Servers are waited for first, so that the
 * model sees their tools. `stopped` ends the turn early; `onEvent` gets every event of the host meanwhile, `onLeftOut` what was left out of
 * a request to a model elsewhere.
 */
export async function runTurn(
  host: Host,
  client: Client,
  {
    model,
    message,
    answering,
    onEvent,
    onLeftOut,
    stopped,
  }: {
    model: string;
    message: string;
    answering: Answering;
    onEvent(message: EventMessage): void;
    onLeftOut?(secrets: ModelGuard): void;
    stopped: AbortSignal;
  },
): Promise<EndedTurn> {
  const ended = new Map<TurnId, Turn>();
  const outcome = Promise.withResolvers<Turn>();
  let turnId: TurnId | null = null;
  const see = (turn: Turn): void => {
    if (turn.state === 'running') return;
    ended.set(turn.id, turn);
    if (turn.id === turnId) outcome.resolve(turn);
  };

  const answerCard = async (approval: Approval): Promise<void> => {
    const decision = answering.mayCall(approval)
      ? ({ kind: 'allow', scope: 'once' } as const)
      : ({ kind: 'deny', reason: 'No answer was given for this call beforehand.' } as const);
    await client.ask('approval.answer', {
      commandId: client.newCommandId(),
      approvalId: approval.id,
      argumentsHash: approval.argumentsHash,
      decision,
    });
  };
  const answerRequest = async (request: InputRequest): Promise<void> => {
    const given = answering.answerTo(request);
    const answer = given.action === 'accept' && request.stage !== undefined ? { ...given, stage: request.stage } : given;
    await client.ask('input.answer', { commandId: client.newCommandId(), inputId: request.id, answer });
    if (request.modelGuard !== undefined && answer.action === 'decline') onLeftOut?.(request.modelGuard);
  };
  /** The answer holds for all that follows from it; a question that came back unanswered is not asked for ever. */
  const goOn = (request: InputRequest): void => {
    if (request.stage === 'opened' || request.stage === 'result') answerRequest(request).catch(fail);
    else if (request.stage === undefined)
      client.ask('input.answer', { commandId: client.newCommandId(), inputId: request.id, answer: { action: 'decline' } }).catch(fail);
  };
  const fail = (error: unknown): void => {
    // The call or the turn ended before the answer came: there is nothing left to answer.
    if (error instanceof Refusal && ['notFound', 'wrongState', 'alreadyAnswered'].includes(error.failure.code)) return;
    outcome.reject(error);
  };
  const endEvents = host.on((event) => {
    // It only says that there is more in the trace, a few times a second.
    if (event.topic === 'trace') return;
    onEvent(event);
    if (event.topic === 'resync') outcome.reject(new Error('Events of the turn were lost.'));
    else if (event.topic === 'conversation' && event.event.type === 'turn.changed') see(event.event.turn);
    else if (event.topic === 'approvals' && event.event.type === 'approval.added') answerCard(event.event.approval).catch(fail);
    else if (event.topic === 'approvals' && event.event.type === 'input.added') answerRequest(event.event.input).catch(fail);
    else if (event.topic === 'approvals' && event.event.type === 'input.changed') goOn(event.event.input);
  });
  const stop = (): void => {
    if (turnId !== null) client.ask('turn.stop', { commandId: client.newCommandId(), turnId }).catch(fail);
  };
  try {
    await serversSettled(host, client, stopped);
    const { conversation } = await client.ask('conversation.create', { commandId: client.newCommandId(), model });
    const sent = await client.ask('turn.send', { commandId: client.newCommandId(), conversationId: conversation.id, text: message, model });
    turnId = sent.turnId;
    stopped.addEventListener('abort', stop);
    if (stopped.aborted) stop();
    const turn = ended.get(turnId) ?? (await outcome.promise);
    return { turn, answer: await answerOf(client, conversation.id, turn) };
  } finally {
    stopped.removeEventListener('abort', stop);
    endEvents();
  }
}

async function answerOf(client: Client, conversationId: ConversationId, turn: Turn): Promise<Message> {
  const { messages } = await client.ask('conversation.open', { conversationId });
  const answer = messages.find((message) => message.id === turn.assistantMessageId);
  if (answer === undefined) throw new Error('The answer of the turn is missing from the conversation.');
  return answer;
}

/** The text of the last step: what the model said after its last call. Earlier text is in the events. */
export async function finalText(client: Client, answer: Message): Promise<string> {
  const lastCall = answer.parts.findLastIndex((part) => part.kind === 'call');
  const texts: string[] = [];
  for (const part of answer.parts.slice(lastCall + 1)) {
    if (part.kind === 'text') texts.push(await wholeText(client, part.text));
  }
  return texts.join('\n\n');
}

export function callsOf(answer: Message): ToolCall[] {
  return answer.parts.flatMap((part) => (part.kind === 'call' ? [part.call] : []));
}

/** A long text, its rest read by range. */
export async function wholeText(client: Client, text: LongText): Promise<string> {
  if (text.blobId === undefined) return text.text;
  const pieces: string[] = [];
  for (let offset: number | undefined = 0; offset !== undefined;) {
    const piece: { data: string; nextOffset?: number | undefined } = await client.ask('blob.read', {
      blobId: text.blobId,
      offset,
      length: 262_144,
      as: 'text',
    });
    pieces.push(piece.data);
    offset = piece.nextOffset;
  }
  return pieces.join('');
}

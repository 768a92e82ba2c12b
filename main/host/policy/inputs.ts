import type { CallId, ConversationId, InputId } from '../../../preload/contract/ids.ts';
import type { InputAnswer, InputRequest } from '../../../preload/contract/policy.ts';
import type { ServerRequest, ServerRequestAnswer } from '../mcp/callTool.ts';
import type { Clock, Ids } from '../ports.ts';
import type { Events } from '../events.ts';
import type { WorkerPool } from '../workers/pool.ts';
import { refuse } from '../refusal.ts';

/** Longest text of a server that is shown on a card, in characters; what is longer is cut and says so. */
const maxShown = 20_000;

export interface InputsDeps {
  events: Events;
  clock: Clock;
  ids: Ids;
  pool: WorkerPool;
  /** Runs a server's sampling request after the user agreed to it. Rejects with a sentence. */
  sample(
    params: Record<string, unknown>,
    conversationId: ConversationId | undefined,
    signal: AbortSignal,
  ): Promise<Record<string, unknown>>;
  /** Turns picked folders into MCP roots. */
  rootsOf(folderIds: readonly string[]): { uri: string; name: string }[];
  /** The call waits for the person from now on, and goes on. */
  onWait(callId: CallId, inputId: InputId): void;
  onGoOn(callId: CallId): void;
}

/** What servers ask of the user: shown as cards, never answered by itself, each answered exactly once. */
export interface Inputs {
  ask(request: ServerRequest): Promise<ServerRequestAnswer>;
  /** Refuses with `notFound`, `alreadyAnswered`, or `invalidInput` when the form does not fit (the card stays). */
  answer(id: InputId, answer: InputAnswer): Promise<void>;
  list(): InputRequest[];
  /** Declines whatever waits: the host is closing. */
  close(): void;
}

const shortened = (text: string) => {
  const cut = text.length > maxShown ? `${text.slice(0, maxShown)}\n[cut: ${text.length - maxShown} more characters]` : text;
  return { text: cut, length: cut.length };
};

function shown(request: ServerRequest): Pick<InputRequest, 'message' | 'schema'> {
  switch (request.kind) {
    case 'elicitation':
      return { message: shortened(request.message), schema: JSON.stringify(request.schema) };
    case 'sampling':
      return { message: shortened(JSON.stringify(request.params, null, 2)) };
    case 'roots':
      return { message: shortened('') };
  }
}

export function createInputs(deps: InputsDeps): Inputs {
  interface Waiting {
    input: InputRequest;
    request: ServerRequest;
    settle: (answer: ServerRequestAnswer) => void;
  }
  const waiting = new Map<InputId, Waiting>();
  const answered = new Set<InputId>();

  /** Returns the request when this was the first answer. */
  function close(id: InputId): Waiting | undefined {
    const entry = waiting.get(id);
    if (!entry) return undefined;
    waiting.delete(id);
    answered.add(id);
    deps.events.approvals({ type: 'input.closed', inputId: id });
    if (entry.request.callId) deps.onGoOn(entry.request.callId);
    return entry;
  }

  async function checkForm(schema: Record<string, unknown>, content: unknown): Promise<void> {
    const result = await deps.pool.run('validate', { schema, value: content }, { timeoutMs: 250 });
    if (result.valid === false)
      refuse('invalidInput', 'The form is not filled in as the server asks.', { detail: result.errors.join('\n') });
    if (result.valid === 'unusableSchema')
      refuse('invalidInput', 'The server sent a form that cannot be checked.', { detail: result.reason });
  }

  return {
    ask(request) {
      if (request.signal.aborted) return Promise.resolve({ kind: 'declined' });
      const input: InputRequest = {
        id: deps.ids() as InputId,
        kind: request.kind,
        serverId: request.serverId,
        serverName: request.serverName,
        ...(request.conversationId === undefined ? {} : { conversationId: request.conversationId }),
        ...(request.callId === undefined ? {} : { callId: request.callId }),
        ...shown(request),
        createdAt: deps.clock.now(),
      };
      return new Promise((settle) => {
        waiting.set(input.id, { input, request, settle });
        request.signal.addEventListener('abort', () => close(input.id)?.settle({ kind: 'declined' }), { once: true });
        if (request.callId) deps.onWait(request.callId, input.id);
        deps.events.approvals({ type: 'input.added', input });
      });
    },

    async answer(id, answer) {
      const entry = waiting.get(id);
      if (!entry)
        refuse(answered.has(id) ? 'alreadyAnswered' : 'notFound', 'This question was answered before, or its server has given it up.');
      const { request } = entry;
      const content = answer.action === 'accept' ? (answer.content ?? {}) : {};
      if (answer.action === 'accept' && request.kind === 'elicitation') await checkForm(request.schema, content);
      const roots = answer.action === 'accept' && request.kind === 'roots' ? deps.rootsOf(folderIdsOf(content)) : [];
      if (close(id) === undefined) refuse('alreadyAnswered', 'This question was answered before.');

      if (request.kind === 'elicitation') {
        entry.settle({ kind: 'result', result: { action: answer.action, ...(answer.action === 'accept' ? { content } : {}) } });
      } else if (answer.action !== 'accept') {
        entry.settle({ kind: 'declined' });
      } else if (request.kind === 'roots') {
        entry.settle({ kind: 'result', result: { roots } });
      } else {
        deps.sample(request.params, request.conversationId, request.signal).then(
          (result) => entry.settle({ kind: 'result', result }),
          () => entry.settle({ kind: 'declined' }),
        );
      }
    },

    list: () => [...waiting.values()].map((entry) => entry.input),

    close() {
      for (const id of [...waiting.keys()]) close(id)?.settle({ kind: 'declined' });
    },
  };
}

function folderIdsOf(content: Record<string, unknown>): string[] {
  const ids = content['folderIds'];
  if (!Array.isArray(ids) || !ids.every((id) => typeof id === 'string'))
    refuse('invalidInput', 'Pick the folders that the server may know of.');
  return ids;
}

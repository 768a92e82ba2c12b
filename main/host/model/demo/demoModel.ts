import { setImmediate } from 'node:timers/promises';
import type { Model, ModelEvent, PromptMessage, PromptResult, StepRequest } from '../model.ts';
import { chooseCall } from './chooseCall.ts';
import { announce, cannot, cannotForServer, incomplete, report } from './demoWords.ts';
import { partsOf } from './sentenceParts.ts';

/**
 * The built-in model that needs nothing: it picks one tool by keywords, takes the arguments from the sentence, and says what came back.
 * It decides by the last user message and the results since then alone, so that it behaves the same every time.
 */
export function createDemoModel(): Model {
  return {
    ref: 'demo',
    provider: 'demo',
    limits: { maxTools: Number.MAX_SAFE_INTEGER, contextTokens: Number.MAX_SAFE_INTEGER, images: false, dialect: 'plain' },
    leavesComputer: false,
    stream,
  };
}

async function* stream(request: StepRequest): AsyncGenerator<ModelEvent> {
  request.signal.throwIfAborted();
  const start = request.messages.findLastIndex(({ role }) => role === 'user');
  const asked = request.messages[start];
  const parts = partsOf(asked === undefined ? '' : textOf(asked));
  if (request.fromServer === true) {
    yield* say(cannotForServer(parts.language), request.signal);
    yield { type: 'finish', reason: 'stop' };
    return;
  }
  const since = request.messages.slice(start + 1);
  const results = since.flatMap((message) => (message.role === 'tool' ? message.results : []));
  const last = results.at(-1);
  const tools = request.tools.filter(({ origin }) => origin !== undefined);
  const callId = `demo_${request.messages.filter(({ role }) => role === 'user').length}_${results.length}`;

  if (last === undefined) {
    const choice = chooseCall(parts, tools);
    if (choice.kind === 'call') {
      yield* say(announce(choice.tool, parts.language), request.signal);
      yield callOf(callId, choice.tool.wireName, choice.arguments);
      yield { type: 'finish', reason: 'calls' };
      return;
    }
    yield* say(
      choice.kind === 'none' ? cannot(tools, parts.language) : incomplete(choice.tool, choice.missing, parts.language),
      request.signal,
    );
    yield { type: 'finish', reason: 'stop' };
    return;
  }

  const tool = tools.find(({ wireName }) => wireName === last.wireName);
  const choice = results.length === 1 && !last.isError ? chooseCall(parts, tools) : undefined;
  const next = choice?.kind === 'call' && choice.tool === tool ? choice.known?.next?.(textOfResult(last), parts) : undefined;
  const nextTool =
    next === undefined ? undefined : tools.find(({ origin }) => origin?.tool === next.tool && origin.serverId === tool?.origin?.serverId);
  if (next !== undefined && nextTool !== undefined) {
    yield* say(announce(nextTool, parts.language), request.signal);
    yield callOf(callId, nextTool.wireName, next.arguments);
    yield { type: 'finish', reason: 'calls' };
    return;
  }
  yield* say(report(last, tool, parts.language), request.signal);
  yield { type: 'finish', reason: 'stop' };
}

function callOf(modelCallId: string, wireName: string, argumentsOfCall: Record<string, unknown>): ModelEvent {
  return { type: 'call', modelCallId, wireName, arguments: argumentsOfCall, argumentsText: JSON.stringify(argumentsOfCall) };
}

/** Text in words, as a model's would come. The event loop gets its turn between them, so that Stop works. */
async function* say(text: string, signal: AbortSignal): AsyncGenerator<ModelEvent> {
  yield { type: 'text.start' };
  for (const piece of text.match(/\s*\S{1,12}/gu) ?? []) {
    signal.throwIfAborted();
    yield { type: 'text.delta', text: piece };
    await setImmediate();
  }
  yield { type: 'text.end' };
}

function textOf(message: PromptMessage): string {
  return message.role === 'user' ? message.parts.map((part) => (part.type === 'text' ? part.text : '')).join('\n') : '';
}

function textOfResult(result: PromptResult): string {
  return result.parts.map((part) => (part.type === 'text' && part.by !== 'host' ? part.text : '')).join('\n');
}

import type { ConversationId } from '../../../preload/contract/ids.ts';
import type { InputAnswer, SamplingView } from '../../../preload/contract/policy.ts';
import type { Model, ModelTool } from '../model/model.ts';
import { estimateTokens } from '../model/tokens.ts';
import { refuse } from '../refusal.ts';
import { type Candidate, chooseModel, type Chosen } from './chooseModel.ts';
import {
  blocksOf,
  inputTokens,
  preferencesOf,
  promptMessagesOf,
  readSamplingParams,
  type SamplingParams,
  wireTools,
} from './samplingRequest.ts';
import { isWholeText, keyOf, resultBlocks, samplingView, systemKey } from './samplingView.ts';

/** A token is a few characters; no text of a model that keeps its limit is longer than this many for each. */
const maxCharactersPerToken = 16;

export interface SampleDeps {
  candidates(): Candidate[];
  resolve(ref: string): Model;
  timeoutMs: number;
  conversationId?: ConversationId | undefined;
}

type Accept = Extract<InputAnswer, { action: 'accept' }>;
type EditedMessages = NonNullable<Accept['editedMessages']>;
type EditedResult = NonNullable<Accept['editedResult']>;

/** A sampling request, ready to be shown and, after the user agreed, to be carried out. */
export interface PreparedSampling {
  view: Omit<SamplingView, 'budgetLeft' | 'result'>;
  /** The same with texts of the person in the place of others, for the same model. Refuses with `invalidInput` what is no whole text. */
  edit(systemPrompt: string | undefined, messages: EditedMessages): PreparedSampling;
  /** A result of {@link run} with texts of the person in it. Refuses with `invalidInput` what is no whole text, or longer than the server wants. */
  editResult(result: Record<string, unknown>, blocks: EditedResult): Record<string, unknown>;
  /** Rejects with a sentence when the model fails. `result` is a `CreateMessageResult`. */
  run(signal: AbortSignal): Promise<{ result: Record<string, unknown>; shown: NonNullable<SamplingView['result']>; tokens: number }>;
}

/**
 * Reads `sampling/createMessage` (2025-11-25 and 2026-07-28, "Sampling"). Nothing of the chat goes into it: `includeContext` is
 * ignored. Refuses with `invalidInput` what breaks the rules for tool use, and `modelUnavailable` where no model can answer.
 */
export function prepareSampling(params: Record<string, unknown>, usualRef: string | undefined, deps: SampleDeps): PreparedSampling {
  const request = readSamplingParams(params);
  const hasImage = request.messages.some(({ content }) => blocksOf(content).some(({ type }) => type === 'image'));
  const chosen =
    chooseModel(preferencesOf(request), withUsual(deps.candidates(), usualRef), usualRef, hasImage) ??
    refuse('modelUnavailable', 'There is no model that could answer. Add one in the settings.');
  return preparedFor(
    request,
    { chosen, model: deps.resolve(chosen.model.ref), timeoutMs: deps.timeoutMs, conversationId: deps.conversationId },
    new Set(),
  );
}

function preparedFor(
  request: SamplingParams,
  by: { chosen: Chosen; model: Model; timeoutMs: number; conversationId: ConversationId | undefined },
  edited: ReadonlySet<string>,
): PreparedSampling {
  const { model } = by;
  const tools = request.toolChoice?.mode === 'none' ? [] : wireTools(request.tools ?? []);
  const wireNames = new Map(tools.map(({ tool, wireName }) => [tool, wireName]));
  const messages = promptMessagesOf(request, wireNames);
  const view = samplingView(request, by.chosen, model, edited);
  const maxCharacters = request.maxTokens * maxCharactersPerToken;

  return {
    view,

    edit(systemPrompt, texts) {
      if (systemPrompt === undefined && texts.length === 0) return preparedFor(request, by, edited);
      if (systemPrompt !== undefined && (view.systemPrompt === undefined || view.systemPromptCut)) return notEditable();
      const byKey = new Map(texts.map(({ message, block, text }) => [keyOf(message, block), text]));
      for (const { message, block } of texts) if (!isWholeText(view.messages[message]?.blocks[block])) return notEditable();
      const next: SamplingParams = {
        ...request,
        ...(systemPrompt === undefined ? {} : { systemPrompt }),
        messages: request.messages.map((message, index) => {
          const blocks = blocksOf(message.content).map((block, at) => {
            const text = byKey.get(keyOf(index, at));
            return text === undefined ? block : { ...block, text };
          });
          return { ...message, content: blocks as SamplingParams['messages'][number]['content'] };
        }),
      };
      return preparedFor(next, by, new Set([...edited, ...byKey.keys(), ...(systemPrompt === undefined ? [] : [systemKey])]));
    },

    editResult(result, texts) {
      if (texts.length === 0) return result;
      const blocks = blocksOf(result['content']);
      const shown = resultBlocks(blocks);
      for (const { block, text } of texts) {
        if (!isWholeText(shown[block])) return notEditable();
        if (text.length > maxCharacters)
          return refuse(
            'invalidInput',
            `The server wants an answer of at most ${request.maxTokens} tokens, and yours is longer. Nothing was sent.`,
          );
      }
      const byBlock = new Map(texts.map(({ block, text }) => [block, text]));
      const changed = blocks.map((block, at) => (byBlock.has(at) ? { ...block, text: byBlock.get(at) } : block));
      return { ...result, content: Array.isArray(result['content']) ? changed : changed[0] };
    },

    async run(signal) {
      const texts: string[] = [];
      const calls: { id: string; name: string; input: Record<string, unknown> }[] = [];
      let stopReason = 'endTurn';
      let used: number | undefined;
      let length = 0;
      const events = model.stream({
        system: request.systemPrompt ?? '',
        messages,
        tools: tools.map(({ wireName, description, inputSchema }): ModelTool => ({ wireName, description, inputSchema })),
        ...(request.toolChoice?.mode === 'required' ? { toolChoice: 'required' as const } : {}),
        maxOutputTokens: request.maxTokens,
        conversationId: by.conversationId,
        fromServer: true,
        signal,
        timeoutMs: by.timeoutMs,
      });
      for await (const event of events) {
        if (event.type === 'text.delta') {
          texts.push(event.text);
          length += event.text.length;
          // A model that keeps no limit (some local ones) must not exceed the server's either.
          if (length > maxCharacters) {
            stopReason = 'maxTokens';
            break;
          }
        }
        if (event.type === 'call' && event.arguments !== undefined) {
          const name = tools.find(({ wireName }) => wireName === event.wireName)?.tool;
          if (name !== undefined) calls.push({ id: event.modelCallId, name, input: event.arguments });
        }
        if (event.type === 'finish') {
          if (event.reason === 'length') stopReason = 'maxTokens';
          used = event.usage && event.usage.inputTokens + event.usage.outputTokens;
        }
      }
      if (calls.length > 0) stopReason = 'toolUse';
      const text = texts.join('').slice(0, maxCharacters);
      const content = [
        ...(text === '' && calls.length > 0 ? [] : [{ type: 'text' as const, text }]),
        ...calls.map((call) => ({ type: 'tool_use' as const, ...call })),
      ];
      const outputTokens = estimateTokens(text) + calls.reduce((sum, { input }) => sum + estimateTokens(JSON.stringify(input)), 0);
      return {
        result: {
          role: 'assistant',
          // A list is for servers that offer tools: others know a single block only.
          content: request.tools === undefined ? { type: 'text', text } : content,
          model: model.ref,
          stopReason,
        },
        shown: { blocks: resultBlocks(content), stopReason, outputTokens },
        tokens: used ?? inputTokens(request) + outputTokens,
      };
    },
  };
}

const notEditable = (): never => refuse('invalidInput', 'Only texts that stand on the card as a whole can be edited. Nothing was sent.');

/** The chat may use a model that no provider lists: it can be asked all the same. */
const withUsual = (listed: Candidate[], ref: string | undefined): Candidate[] =>
  ref === undefined || listed.some((candidate) => candidate.ref === ref)
    ? listed
    : [...listed, { ref, name: ref.slice(0, 200), providerId: '', providerName: '', kind: 'local', images: false }];

import { SamplingMessageSchema } from '@modelcontextprotocol/core';
import { z } from 'zod';
import type { InputAnswer, SamplingBlock, SamplingView } from '../../../preload/contract/policy.ts';
import type { ConversationId } from '../../../preload/contract/ids.ts';
import type { LongText } from '../../../preload/contract/content.ts';
import type { Model, ModelTool, PromptMessage, PromptPart } from '../model/model.ts';
import { estimateTokens } from '../model/tokens.ts';
import { refuse } from '../refusal.ts';
import type { Candidate, Chosen, Preferences } from './chooseModel.ts';
import { chooseModel } from './chooseModel.ts';

const Priority = z.number().min(0).max(1).optional();
const SamplingParams = z.looseObject({
  messages: z.array(SamplingMessageSchema).min(1).max(1000),
  systemPrompt: z.string().optional(),
  maxTokens: z.number().int().min(1),
  modelPreferences: z
    .looseObject({
      hints: z
        .array(z.looseObject({ name: z.string().optional() }))
        .max(100)
        .optional(),
      costPriority: Priority,
      speedPriority: Priority,
      intelligencePriority: Priority,
    })
    .optional(),
  tools: z
    .array(
      z.looseObject({
        name: z.string().min(1).max(1024),
        description: z.string().optional(),
        inputSchema: z.record(z.string(), z.unknown()),
      }),
    )
    .max(128)
    .optional(),
  toolChoice: z.looseObject({ mode: z.enum(['auto', 'required', 'none']).optional() }).optional(),
});
type SamplingParams = z.infer<typeof SamplingParams>;
type Block = { type: string; [member: string]: unknown };

/** A token is a few characters; no text of a model that keeps its limit is longer than this many for each. */
const maxCharactersPerToken = 16;
/** An image costs about this many tokens, whatever its size on the wire. */
const imageTokens = 1500;
/** Of texts on one card, in characters, and of images, in bytes: a message to a window stays under 1 MiB. */
const maxShownText = 200_000;
const maxShownImages = 300_000;

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
  const parsed = SamplingParams.safeParse(params);
  if (!parsed.success)
    return refuse('invalidInput', 'The request to the model cannot be read.', {
      detail: parsed.error.issues
        .map(({ path, message }) => `${path.join('.')}: ${message}`)
        .join('\n')
        .slice(0, 2000),
    });
  const request = parsed.data;
  checkToolUse(request);
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

/** Names a text in {@link preparedFor}'s `edited`. */
const systemKey = 'system';
const keyOf = (message: number, block: number): string => `${message} ${block}`;

function preparedFor(
  request: SamplingParams,
  by: { chosen: Chosen; model: Model; timeoutMs: number; conversationId: ConversationId | undefined },
  edited: ReadonlySet<string>,
): PreparedSampling {
  const { model } = by;
  const tools = request.toolChoice?.mode === 'none' ? [] : wireTools(request.tools ?? []);
  const wireNames = new Map(tools.map(({ tool, wireName }) => [tool, wireName]));
  const messages = promptMessagesOf(request, wireNames);
  const view = viewOf(request, by.chosen, model, edited);
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
      const shown = blockViews(blocks, { text: maxShownText, bytes: 0 });
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
        shown: { blocks: blockViews(content, { text: maxShownText, bytes: 0 }), stopReason, outputTokens },
        tokens: used ?? inputTokens(request) + outputTokens,
      };
    },
  };
}

const isWholeText = (block: SamplingBlock | undefined): boolean => block?.type === 'text' && block.cut !== true;
const notEditable = (): never => refuse('invalidInput', 'Only texts that stand on the card as a whole can be edited. Nothing was sent.');

/** The chat may use a model that no provider lists: it can be asked all the same. */
const withUsual = (listed: Candidate[], ref: string | undefined): Candidate[] =>
  ref === undefined || listed.some((candidate) => candidate.ref === ref)
    ? listed
    : [...listed, { ref, name: ref.slice(0, 200), providerId: '', providerName: '', kind: 'local', images: false }];

const blocksOf = (content: unknown): Block[] => (Array.isArray(content) ? content : [content]) as Block[];
const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');

function preferencesOf({ modelPreferences: wished }: SamplingParams): Preferences {
  return {
    hints: (wished?.hints ?? []).flatMap(({ name }) => (name === undefined ? [] : [name])),
    costPriority: wished?.costPriority,
    speedPriority: wished?.speedPriority,
    intelligencePriority: wished?.intelligencePriority,
  };
}

/** Every `tool_use` is answered by the `tool_result` of the same id in the next message, and results stand alone in theirs. */
function checkToolUse({ messages }: SamplingParams): void {
  let open: string[] = [];
  for (const { role, content } of messages) {
    const blocks = blocksOf(content);
    const results = blocks.filter(({ type }) => type === 'tool_result').map(({ toolUseId }) => textOf(toolUseId));
    if (results.length > 0 && (role !== 'user' || results.length !== blocks.length))
      refuse('invalidInput', 'A message of the request mixes results of tools with other content.');
    if (open.length !== results.length || open.some((id) => !results.includes(id)))
      refuse('invalidInput', 'The request leaves a tool use without its result, or holds a result without its tool use.');
    open = blocks.filter(({ type }) => type === 'tool_use').map(({ id }) => textOf(id));
    if (open.length > 0 && role !== 'assistant') refuse('invalidInput', 'A tool use of the request is not the assistant’s.');
  }
  if (open.length > 0) refuse('invalidInput', 'The request leaves a tool use without its result.');
}

/** Names that every model's API takes. */
function wireTools(tools: NonNullable<SamplingParams['tools']>) {
  const taken = new Set<string>();
  return tools.map(({ name, description = '', inputSchema }) => {
    const bare = name.replace(/[^a-zA-Z0-9_-]/g, '_').slice(0, 56);
    let wireName = bare;
    for (let n = 2; taken.has(wireName); n += 1) wireName = `${bare}_${n}`;
    taken.add(wireName);
    return { tool: name, wireName, description, inputSchema };
  });
}

function promptMessagesOf(request: SamplingParams, wireNames: ReadonlyMap<string, string>): PromptMessage[] {
  const wireNameOf = (name: string): string => wireNames.get(name) ?? name.replace(/[^a-zA-Z0-9_-]/g, '_').slice(0, 64);
  /** By the id of the tool use. Some APIs want the name with the result. */
  const used = new Map<string, string>();
  return request.messages.map(({ role, content }): PromptMessage => {
    const blocks = blocksOf(content);
    if (blocks.some(({ type }) => type === 'tool_result')) {
      const results = blocks.map(({ toolUseId, content: parts, isError }) => ({
        modelCallId: textOf(toolUseId),
        wireName: used.get(textOf(toolUseId)) ?? '',
        isError: isError === true,
        parts: blocksOf(parts ?? []).map(partOf),
      }));
      return { role: 'tool', results };
    }
    if (role === 'user') return { role, parts: blocks.map(partOf) };
    const calls = blocks
      .filter(({ type }) => type === 'tool_use')
      .map(({ id, name, input }) => ({ modelCallId: textOf(id), wireName: wireNameOf(textOf(name)), arguments: input }));
    for (const { modelCallId, wireName } of calls) used.set(modelCallId, wireName);
    return { role, text: blocks.map(({ type, text }) => (type === 'text' ? textOf(text) : '')).join(''), calls };
  });
}

function partOf(block: Block): PromptPart {
  if (block.type === 'text') return { type: 'text', text: textOf(block['text']) };
  if (block.type === 'image') return { type: 'image', base64: textOf(block['data']), mimeType: textOf(block['mimeType']) };
  return refuse('unsupported', `The request holds content of the kind ${block.type.slice(0, 40)}, which cannot be handed to a model.`);
}

function viewOf(
  request: SamplingParams,
  { model, reason }: Chosen,
  { leavesComputer }: Model,
  edited: ReadonlySet<string>,
): PreparedSampling['view'] {
  const budget = { text: maxShownText, bytes: maxShownImages };
  const { systemPrompt } = request;
  const system = systemPrompt === undefined ? undefined : shownText(systemPrompt, budget);
  return {
    ...(system && { systemPrompt: system.text }),
    ...(system?.cut && { systemPromptCut: true }),
    ...(edited.has(systemKey) ? { systemPromptEdited: true } : {}),
    messages: request.messages.map(({ role, content }, index) => ({
      role,
      blocks: blockViews(blocksOf(content), budget).map((block, at) =>
        block.type === 'text' && edited.has(keyOf(index, at)) ? { ...block, edited: true } : block,
      ),
    })),
    tools: (request.tools ?? []).map(({ name }) => name),
    ...toolDefinitionsOf(request, budget),
    model: { ref: model.ref, name: model.name, provider: model.providerName, leavesComputer },
    modelReason: reason,
    maxTokens: request.maxTokens,
    inputTokens: inputTokens(request),
  };
}

function toolDefinitionsOf({ tools = [] }: SamplingParams, budget: Budget): Pick<SamplingView, 'toolDefinitions'> {
  if (tools.length === 0) return {};
  const read = tools.map(({ name, description, inputSchema }) => ({ name, description, inputSchema }));
  return { toolDefinitions: shownText(JSON.stringify(read, null, 2), budget).text };
}

function inputTokens(request: SamplingParams): number {
  const ofBlocks = (blocks: Block[]): number =>
    blocks.reduce(
      (sum, block) =>
        sum +
        (block.type === 'image' ? imageTokens : estimateTokens(block.type === 'text' ? textOf(block['text']) : JSON.stringify(block))),
      0,
    );
  return (
    estimateTokens(request.systemPrompt ?? '') +
    request.messages.reduce((sum, { content }) => sum + ofBlocks(blocksOf(content)), 0) +
    (request.tools === undefined ? 0 : estimateTokens(JSON.stringify(request.tools)))
  );
}

interface Budget {
  text: number;
  bytes: number;
}

/** `cut` where it is not shown as a whole. */
function shownText(text: string, budget: Budget): { text: LongText; cut?: true } {
  const head = text.slice(0, budget.text).toWellFormed();
  budget.text -= head.length;
  if (head.length === text.length) return { text: { text, length: text.length } };
  const shown = `${head}\n[cut: ${text.length - head.length} more characters]`;
  return { text: { text: shown, length: shown.length }, cut: true };
}

function blockViews(blocks: readonly Block[], budget: Budget): SamplingBlock[] {
  return blocks.map((block): SamplingBlock => {
    switch (block.type) {
      case 'text':
        return { type: 'text', ...shownText(textOf(block['text']), budget) };
      case 'image': {
        const data = textOf(block['data']);
        const fits = data.length <= budget.bytes;
        if (fits) budget.bytes -= data.length;
        return { type: 'image', mimeType: textOf(block['mimeType']), bytes: Buffer.byteLength(data, 'base64'), ...(fits ? { data } : {}) };
      }
      case 'tool_use':
        return {
          type: 'toolUse',
          name: textOf(block['name']),
          input: shownText(JSON.stringify(block['input'] ?? {}, null, 2), budget).text,
        };
      case 'tool_result':
        return {
          type: 'toolResult',
          text: shownText(
            blocksOf(block['content'] ?? [])
              .map(({ type, text }) => (type === 'text' ? textOf(text) : `[${type}]`))
              .join('\n'),
            budget,
          ).text,
        };
      default:
        return { type: 'text', text: shownText(`[${block.type}]`, budget).text, cut: true };
    }
  });
}

import { SamplingMessageSchema } from '@modelcontextprotocol/core';
import { z } from 'zod';
import type { PromptMessage, PromptPart } from '../model/model.ts';
import { estimateTokens } from '../model/tokens.ts';
import { refuse } from '../refusal.ts';
import type { Preferences } from './chooseModel.ts';

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

/** Parameters of `sampling/createMessage` (2025-11-25 and 2026-07-28, "Sampling"). */
export type SamplingParams = z.infer<typeof SamplingParams>;

/** Of a message or a result, as it came. */
export type Block = { type: string; [member: string]: unknown };

/** An image costs about this many tokens, whatever its size on the wire. */
const imageTokens = 1500;

/** Refuses with `invalidInput` what cannot be read and what breaks the rules for tool use. */
export function readSamplingParams(params: Record<string, unknown>): SamplingParams {
  const parsed = SamplingParams.safeParse(params);
  if (!parsed.success)
    return refuse('invalidInput', 'The request to the model cannot be read.', {
      detail: parsed.error.issues
        .map(({ path, message }) => `${path.join('.')}: ${message}`)
        .join('\n')
        .slice(0, 2000),
    });
  checkToolUse(parsed.data);
  return parsed.data;
}

export const blocksOf = (content: unknown): Block[] => (Array.isArray(content) ? content : [content]) as Block[];
export const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');

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

export function preferencesOf({ modelPreferences: wished }: SamplingParams): Preferences {
  return {
    hints: (wished?.hints ?? []).flatMap(({ name }) => (name === undefined ? [] : [name])),
    costPriority: wished?.costPriority,
    speedPriority: wished?.speedPriority,
    intelligencePriority: wished?.intelligencePriority,
  };
}

/** Names that every model's API takes. */
export function wireTools(tools: NonNullable<SamplingParams['tools']>) {
  const taken = new Set<string>();
  return tools.map(({ name, description = '', inputSchema }) => {
    const bare = name.replace(/[^a-zA-Z0-9_-]/g, '_').slice(0, 56);
    let wireName = bare;
    for (let n = 2; taken.has(wireName); n += 1) wireName = `${bare}_${n}`;
    taken.add(wireName);
    return { tool: name, wireName, description, inputSchema };
  });
}

/** Its messages as a model takes them. Refuses with `unsupported` content that no model is handed. */
export function promptMessagesOf(request: SamplingParams, wireNames: ReadonlyMap<string, string>): PromptMessage[] {
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

/** An estimate of what the request costs. */
export function inputTokens(request: SamplingParams): number {
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

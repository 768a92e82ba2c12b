import { SamplingMessageSchema } from '@modelcontextprotocol/core';
import { z } from 'zod';
import type { Model, PromptMessage, PromptPart } from '../model/model.ts';
import { refuse } from '../refusal.ts';

const SamplingParams = z.looseObject({ messages: z.array(SamplingMessageSchema).max(1000), systemPrompt: z.string().optional() });

function partsOf(content: unknown): PromptPart[] {
  const blocks = Array.isArray(content) ? content : [content];
  return blocks.flatMap((block: { type?: string; text?: string; data?: string; mimeType?: string }): PromptPart[] => {
    if (block.type === 'text' && block.text !== undefined) return [{ type: 'text', text: block.text }];
    if (block.type === 'image' && block.data !== undefined && block.mimeType !== undefined)
      return [{ type: 'image', base64: block.data, mimeType: block.mimeType }];
    return refuse('unsupported', `The server's request holds content of type ${String(block.type)}, which cannot be handed to the model.`);
  });
}

/**
 * Asks the model what a server wanted to know (`sampling/createMessage`), without tools and without anything of the chat.
 * Call after the user agreed. Returns a `CreateMessageResult`.
 */
export async function sample(
  params: Record<string, unknown>,
  model: Model,
  timeoutMs: number,
  signal: AbortSignal,
): Promise<Record<string, unknown>> {
  const { messages: asked, systemPrompt = '' } = SamplingParams.parse(params);
  const messages = asked.map(({ role, content }): PromptMessage => {
    const parts = partsOf(content);
    if (role === 'user') return { role, parts };
    return { role, text: parts.map((part) => (part.type === 'text' ? part.text : '')).join('\n'), calls: [] };
  });
  let text = '';
  let stopReason = 'endTurn';
  for await (const event of model.stream({ system: systemPrompt, messages, tools: [], signal, timeoutMs })) {
    if (event.type === 'text.delta') text += event.text;
    if (event.type === 'finish' && event.reason === 'length') stopReason = 'maxTokens';
  }
  return { role: 'assistant', content: { type: 'text', text }, model: model.ref, stopReason };
}

import { jsonSchema, tool } from 'ai';
import type { AssistantModelMessage, ModelMessage, ToolModelMessage, ToolSet, UserModelMessage } from 'ai';
import type { JSONSchema7, ToolResultPart } from 'ai';
import type { ModelTool, PromptCall, PromptMessage, PromptPart, PromptResult } from './model.ts';

/** How a provider takes what is not text. */
export interface PromptAbilities {
  provider: string;
  /** Whether the model sees images at all. */
  images: boolean;
  /** Whether images may stand inside a tool's result; else they follow in a user message. */
  imagesInResults: boolean;
}

type ResultOutput = ToolResultPart['output'];

/**
 * The prompt in the AI SDK's messages. A step of the same provider goes back as that provider wrote it (signatures of thinking included), every other
 * one is rebuilt from its text and calls. Base64 never stands in a text: images are image parts, or a line that says there was one.
 */
export function promptMessages(messages: readonly PromptMessage[], abilities: PromptAbilities): ModelMessage[] {
  const prompt: ModelMessage[] = [];
  /** Ids of calls as this provider gets them: one made elsewhere may hold characters that it refuses. */
  const ids = new Map<string, string>();
  for (const message of messages) {
    switch (message.role) {
      case 'user':
        prompt.push(userMessage(message.parts, abilities));
        break;
      case 'assistant': {
        const own = message.providerData?.provider === abilities.provider ? assistantMessages(message.providerData.messages) : undefined;
        for (const call of message.calls)
          ids.set(call.modelCallId, own === undefined ? call.modelCallId.replace(/[^a-zA-Z0-9_-]/g, '_').slice(0, 64) : call.modelCallId);
        if (own !== undefined) prompt.push(...own);
        else if (message.text !== '' || message.calls.length > 0) prompt.push(rebuilt(message.text, message.calls, ids));
        break;
      }
      case 'tool':
        prompt.push(...toolMessages(message.results, abilities, ids));
        break;
    }
  }
  return prompt;
}

/** Tools without `execute`: the SDK can call nothing. */
export function promptTools(tools: readonly ModelTool[]): ToolSet {
  return Object.fromEntries(
    tools.map(({ wireName, description, inputSchema }) => [
      wireName,
      tool({ description, inputSchema: jsonSchema(inputSchema as JSONSchema7) }),
    ]),
  );
}

/** What an invalid call looks like in the history: every API wants an object there. */
export function callInput(argumentsOfCall: unknown): unknown {
  const isObject = typeof argumentsOfCall === 'object' && argumentsOfCall !== null && !Array.isArray(argumentsOfCall);
  return isObject
    ? argumentsOfCall
    : { malformed_arguments: typeof argumentsOfCall === 'string' ? argumentsOfCall : JSON.stringify(argumentsOfCall ?? null) };
}

function assistantMessages(stored: unknown): AssistantModelMessage[] | undefined {
  if (!Array.isArray(stored) || stored.length === 0) return undefined;
  return stored.every(isAssistantMessage) ? stored : undefined;
}

function isAssistantMessage(value: unknown): value is AssistantModelMessage {
  return typeof value === 'object' && value !== null && 'role' in value && value.role === 'assistant' && 'content' in value;
}

function rebuilt(text: string, calls: readonly PromptCall[], ids: ReadonlyMap<string, string>): AssistantModelMessage {
  return {
    role: 'assistant',
    content: [
      ...(text === '' ? [] : [{ type: 'text' as const, text }]),
      ...calls.map((call) => ({
        type: 'tool-call' as const,
        toolCallId: ids.get(call.modelCallId) ?? call.modelCallId,
        toolName: call.wireName,
        input: callInput(call.arguments),
      })),
    ],
  };
}

function userMessage(parts: readonly PromptPart[], abilities: PromptAbilities): UserModelMessage {
  return {
    role: 'user',
    content: parts
      .filter((part) => part.type === 'image' || part.text !== '')
      .map((part) =>
        part.type === 'text'
          ? { type: 'text' as const, text: part.text }
          : abilities.images
            ? { type: 'file' as const, mediaType: part.mimeType, data: { type: 'data' as const, data: part.base64 } }
            : { type: 'text' as const, text: placeholder(part.mimeType) },
      ),
  };
}

function toolMessages(results: readonly PromptResult[], abilities: PromptAbilities, ids: ReadonlyMap<string, string>): ModelMessage[] {
  const moved: PromptPart[] = [];
  const message: ToolModelMessage = {
    role: 'tool',
    content: results.map((result) => {
      const native = abilities.images && abilities.imagesInResults;
      if (abilities.images && !native) {
        const images = result.parts.filter((part) => part.type === 'image');
        if (images.length > 0) moved.push({ type: 'text', text: `From the result of ${result.wireName}:` }, ...images);
      }
      return {
        type: 'tool-result' as const,
        toolCallId: ids.get(result.modelCallId) ?? result.modelCallId,
        toolName: result.wireName,
        output: outputOf(result, native, abilities.images),
      };
    }),
  };
  return moved.length === 0 ? [message] : [message, userMessage(moved, abilities)];
}

function outputOf(result: PromptResult, nativeImages: boolean, seesImages: boolean): ResultOutput {
  if (nativeImages && result.parts.some((part) => part.type === 'image')) {
    return {
      type: 'content',
      value: [
        ...(result.isError ? [{ type: 'text' as const, text: 'The tool reported an error:' }] : []),
        ...result.parts.map((part) =>
          part.type === 'text'
            ? { type: 'text' as const, text: part.text }
            : { type: 'file' as const, mediaType: part.mimeType, data: { type: 'data' as const, data: part.base64 } },
        ),
      ],
    };
  }
  const text = result.parts
    .map((part) =>
      part.type === 'text' ? part.text : seesImages ? '[The image follows in the next message.]' : placeholder(part.mimeType),
    )
    .join('\n');
  return { type: result.isError ? 'error-text' : 'text', value: text === '' ? '(no content)' : text };
}

function placeholder(mimeType: string): string {
  return `[An image (${mimeType}) that this model cannot see. The person sees it.]`;
}

import type { LongText } from '../../../preload/contract/content.ts';
import type { SamplingBlock, SamplingView } from '../../../preload/contract/policy.ts';
import type { Model } from '../model/model.ts';
import type { Chosen } from './chooseModel.ts';
import { type Block, blocksOf, inputTokens, type SamplingParams, textOf } from './samplingRequest.ts';

/** Of texts on one card, in characters, and of images, in bytes: a message to a window stays under 1 MiB. */
const maxShownText = 200_000;
const maxShownImages = 300_000;

/** Names of the texts of a request, for those that the person has edited. */
export const systemKey = 'system';
export const keyOf = (message: number, block: number): string => `${message} ${block}`;

/** Whether the card shows it as a whole, so that it can be edited. */
export const isWholeText = (block: SamplingBlock | undefined): boolean => block?.type === 'text' && block.cut !== true;

/** What the card shows of a request. `edited`: the keys of the texts that the person has put in the place of others. */
export function samplingView(
  request: SamplingParams,
  { model, reason }: Chosen,
  { leavesComputer }: Model,
  edited: ReadonlySet<string>,
): Omit<SamplingView, 'budgetLeft' | 'result'> {
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

/** What the card shows of a result. */
export const resultBlocks = (blocks: readonly Block[]): SamplingBlock[] => blockViews(blocks, { text: maxShownText, bytes: 0 });

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

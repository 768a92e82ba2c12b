import type { Bridge } from '../../../preload/contract/bridge.ts';
import type { CommandOutput } from '../../../preload/contract/commands.ts';
import type { ResultBlock } from '../../../preload/contract/content.ts';
import { ok, type Result } from '../../../preload/contract/result.ts';
import { readAll } from '../../text/readLongText.ts';

/** A part of what a prompt became: text, which may be changed, or something else that a server put beside it. */
export type ExpandedPart = { kind: 'text'; text: string } | { kind: 'block'; block: ResultBlock };

export interface ExpandedMessage {
  role: 'user' | 'assistant';
  parts: readonly ExpandedPart[];
}

/** What the prompt became, with the whole of each long text, so that nothing is sent that was not shown. */
export async function expand(bridge: Bridge, output: CommandOutput<'prompt.get'>): Promise<Result<ExpandedMessage[]>> {
  const messages: ExpandedMessage[] = [];
  for (const { role, blocks } of output.messages) {
    const parts: ExpandedPart[] = [];
    for (const block of blocks) {
      if (block.type !== 'text') {
        parts.push({ kind: 'block', block });
        continue;
      }
      const whole = await readAll(bridge, block.text);
      if (!whole.ok) return whole;
      parts.push({ kind: 'text', text: whole.value });
    }
    messages.push({ role, parts });
  }
  return ok(messages);
}

/** The address of a block that can go along as an attachment. */
export const attachableUri = (block: ResultBlock): string | undefined =>
  block.type === 'resourceText' || block.type === 'resourceBlob' || block.type === 'resourceLink' ? block.uri : undefined;

/**
 * What is put into the field of the message. A prompt of one side is its text; where it writes answers too, each side is named,
 * since one message is all that a person sends.
 */
export function messageOf(
  messages: readonly ExpandedMessage[],
  names: { user: string; assistant: string },
): { text: string; uris: string[] } {
  const sides = messages.some(({ role }) => role === 'assistant');
  const texts = messages.flatMap(({ role, parts }) => {
    const words = parts.flatMap((part) => (part.kind === 'text' && part.text.trim() !== '' ? [part.text] : [])).join('\n\n');
    if (words === '') return [];
    return [sides ? `${names[role]}:\n${words}` : words];
  });
  const uris = messages.flatMap(({ parts }) =>
    parts.flatMap((part) => {
      const uri = part.kind === 'block' ? attachableUri(part.block) : undefined;
      return uri === undefined ? [] : [uri];
    }),
  );
  return { text: texts.join('\n\n'), uris: [...new Set(uris)] };
}

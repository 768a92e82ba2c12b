import { z } from 'zod';
import { ResultBlock } from '../../../preload/contract/content.ts';
import { ServerId } from '../../../preload/contract/ids.ts';
import type { StoredPart } from '../store/messages.ts';

/** A prompt of a server that went along with a message, as it stands in the row of its part. */
const StoredPrompt = z.object({
  serverId: ServerId,
  serverName: z.string(),
  name: z.string(),
  title: z.string(),
  values: z.record(z.string(), z.string()),
  messages: z.array(z.object({ role: z.enum(['user', 'assistant']), content: z.array(ResultBlock) })),
});
export type StoredPrompt = z.infer<typeof StoredPrompt>;

export const promptOf = (part: Pick<StoredPart, 'content'>): StoredPrompt => StoredPrompt.parse(JSON.parse(part.content ?? 'null'));

/** All that the prompt holds in one row of blocks, as the model reads it: what it has the other side say is marked as that. */
export const blocksOfPrompt = ({ messages }: Pick<StoredPrompt, 'messages'>): ResultBlock[] =>
  messages.flatMap(({ role, content }) => {
    if (role === 'user') return content;
    const mark = (text: string): ResultBlock => ({ type: 'text', text: { text, length: text.length } });
    return [mark('[An answer that the prompt was written with. You did not say this:]'), ...content, mark('[End of that answer.]')];
  });

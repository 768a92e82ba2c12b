import { z } from 'zod';
import { ResultBlock } from '../../../preload/contract/content.ts';
import { ServerId } from '../../../preload/contract/ids.ts';
import type { StoredPart } from '../store/messages.ts';

/** A resource that the person attached, as it stands in the row of its part. */
const StoredAttachment = z.object({
  serverId: ServerId,
  serverName: z.string(),
  uri: z.string(),
  title: z.string(),
  content: z.array(ResultBlock),
});
export type StoredAttachment = z.infer<typeof StoredAttachment>;

export const attachmentOf = (part: Pick<StoredPart, 'content'>): StoredAttachment =>
  StoredAttachment.parse(JSON.parse(part.content ?? 'null'));

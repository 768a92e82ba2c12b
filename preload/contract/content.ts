import { z } from 'zod';
import { BlobId, CallId, ServerId } from './ids.ts';

/**
 * A text of any length. `text` is its head, at most 64 Ki characters; when `blobId` is set the whole text
 * (UTF-8) is read by range with `blob.read`. `length` counts the characters of the whole text.
 */
export const LongText = z.strictObject({ text: z.string(), length: z.number().int().nonnegative(), blobId: BlobId.optional() });
export type LongText = z.infer<typeof LongText>;

/** Where a block came from, and what follows from that. Unlabelled content counts as untrusted and private. */
export const Labels = z.strictObject({
  source: z.discriminatedUnion('kind', [
    z.strictObject({ kind: z.literal('user') }),
    z.strictObject({ kind: z.literal('model') }),
    z.strictObject({ kind: z.literal('host') }),
    z.strictObject({ kind: z.literal('tool'), serverId: ServerId, tool: z.string(), callId: CallId }),
    z.strictObject({ kind: z.literal('resource'), serverId: ServerId, uri: z.string() }),
    z.strictObject({ kind: z.literal('prompt'), serverId: ServerId, prompt: z.string() }),
    z.strictObject({ kind: z.literal('unknown') }),
  ]),
  /** Someone other than the user may have written it. */
  untrusted: z.boolean(),
  /** It comes from the user's folders, accounts or databases, or nobody said otherwise. */
  private: z.boolean(),
});
export type Labels = z.infer<typeof Labels>;

/** One block of a tool's result, after shaping. Bytes stand in blobs, never in messages. */
export const ResultBlock = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('text'), text: LongText }),
  z.strictObject({ type: z.literal('structured'), json: LongText }),
  z.strictObject({ type: z.literal('image'), mimeType: z.string(), blobId: BlobId, bytes: z.number().int() }),
  z.strictObject({ type: z.literal('audio'), mimeType: z.string(), blobId: BlobId, bytes: z.number().int() }),
  z.strictObject({
    type: z.literal('resourceLink'),
    uri: z.string(),
    name: z.string(),
    title: z.string().optional(),
    description: z.string().optional(),
    mimeType: z.string().optional(),
  }),
  z.strictObject({ type: z.literal('resourceText'), uri: z.string(), mimeType: z.string().optional(), text: LongText }),
  z.strictObject({
    type: z.literal('resourceBlob'),
    uri: z.string(),
    mimeType: z.string().optional(),
    blobId: BlobId,
    bytes: z.number().int(),
  }),
  /** A block that could not be read; the others are kept. */
  z.strictObject({ type: z.literal('unreadable'), reason: z.string() }),
]);
export type ResultBlock = z.infer<typeof ResultBlock>;

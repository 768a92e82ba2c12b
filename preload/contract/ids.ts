import { z } from 'zod';

/** A UUID made by the host, or by the client for {@link CommandId}. Branded so that one kind never stands in for another. */
const id = <Brand extends string>() =>
  z
    .string()
    .regex(/^[A-Za-z0-9_-]{1,64}$/)
    .brand<Brand>();

/** One run of a host. Another start id means that everything a renderer knows is stale. */
export const StartId = id<'StartId'>();
/** Made by the client for each changing command; a repeat of it returns the first answer. */
export const CommandId = id<'CommandId'>();
export const ConversationId = id<'ConversationId'>();
export const MessageId = id<'MessageId'>();
export const PartId = id<'PartId'>();
export const TurnId = id<'TurnId'>();
export const CallId = id<'CallId'>();
export const ApprovalId = id<'ApprovalId'>();
export const InputId = id<'InputId'>();
export const ServerId = id<'ServerId'>();
export const RuleId = id<'RuleId'>();
export const BlobId = id<'BlobId'>();
/** A folder that the user picked or that the host listed. Stands for a path, so that no renderer ever sends one. */
export const FolderId = id<'FolderId'>();

export type StartId = z.infer<typeof StartId>;
export type CommandId = z.infer<typeof CommandId>;
export type ConversationId = z.infer<typeof ConversationId>;
export type MessageId = z.infer<typeof MessageId>;
export type PartId = z.infer<typeof PartId>;
export type TurnId = z.infer<typeof TurnId>;
export type CallId = z.infer<typeof CallId>;
export type ApprovalId = z.infer<typeof ApprovalId>;
export type InputId = z.infer<typeof InputId>;
export type ServerId = z.infer<typeof ServerId>;
export type RuleId = z.infer<typeof RuleId>;
export type BlobId = z.infer<typeof BlobId>;
export type FolderId = z.infer<typeof FolderId>;

import { z } from 'zod';
import { ServerId } from './ids.ts';
import { Effect, Effects } from './policy.ts';

/** What a server defines that a model or a picker gets to see. `instructions` has the name ''. */
export const DefinitionKind = z.enum(['tool', 'prompt', 'template', 'instructions']);
export type DefinitionKind = z.infer<typeof DefinitionKind>;

/**
 * Something in a server's text that a person might want to look at: a hint, never a verdict. No decision depends on it.
 * `from` and `to` are UTF-16 offsets in the text that `at` names.
 */
export const Hint = z.strictObject({
  kind: z.enum(['hiddenCharacters', 'lookalikes', 'comment', 'hiddenElement', 'speaksToModel', 'namesOtherTool', 'asksForSecret']),
  /** Where it stands: `description`, `arguments › path › description`, or the number of a block. */
  at: z.string(),
  from: z.number().int().nonnegative(),
  to: z.number().int().nonnegative(),
  /** What stands there, with hidden characters spelled out, at most 200 characters. */
  excerpt: z.string(),
  /** A sentence of the host. */
  text: z.string(),
  /** The server whose tool is named, with `namesOtherTool`. */
  serverName: z.string().optional(),
});
export type Hint = z.infer<typeof Hint>;

/** How what a server defines now stands to what the person agreed to. */
export const DefinitionState = z.enum(['accepted', 'new', 'changed', 'removed']);
export type DefinitionState = z.infer<typeof DefinitionState>;

/** The members of a definition that can differ. */
export const DefinitionMember = z.enum([
  'title',
  'description',
  'inputSchema',
  'outputSchema',
  'annotations',
  'icons',
  'ui',
  'arguments',
  'uriTemplate',
  'mimeType',
]);
export type DefinitionMember = z.infer<typeof DefinitionMember>;

/** One definition on the review page. */
export const DefinitionRow = z.strictObject({
  kind: DefinitionKind,
  name: z.string(),
  title: z.string().optional(),
  /** As the server wrote it, invisible characters included; `isCut`: the rest is read with `definition.one`. */
  description: z.string(),
  isCut: z.boolean(),
  state: DefinitionState,
  /** Looked at and left as it is: it does not wait any more. */
  isLeft: z.boolean(),
  isOff: z.boolean(),
  /** The name that was agreed to, where this looks like the same thing under another name. No permission of the old name holds. */
  renamedFrom: z.string().optional(),
  /** What differs from what was agreed to. */
  differs: z.array(DefinitionMember),
  /** Estimated tokens that it takes of each request to a model. */
  tokens: z.number().int(),
  hints: z.array(Hint),
  /** Of tools: what holds now. */
  effects: Effects.optional(),
  /** Of tools: what stands ticked at first. `folder`: as of the package that the program's own folder says it is; `server`: as its annotations say. Neither decides anything. */
  proposed: z.strictObject({ set: z.array(Effect), by: z.enum(['user', 'profile', 'folder', 'server', 'nobody']) }).optional(),
});
export type DefinitionRow = z.infer<typeof DefinitionRow>;

/** What a server defines, held against what the person agreed to. */
export const DefinitionReview = z.strictObject({
  serverId: ServerId,
  serverName: z.string(),
  /** Nothing of this server was agreed to yet. */
  isFirst: z.boolean(),
  /** Names exactly what is shown here; an answer carries it. */
  seen: z.string(),
  rows: z.array(DefinitionRow),
  /** Estimated tokens of all tools that are or would be offered. */
  tokens: z.number().int(),
  /** The server has not been heard: what is shown is from the last time. */
  isRemembered: z.boolean(),
});
export type DefinitionReview = z.infer<typeof DefinitionReview>;

/** One definition whole. Texts of more than 200,000 characters are cut, and `isCut` says so. */
export const DefinitionWhole = z.strictObject({
  kind: DefinitionKind,
  name: z.string(),
  /** Exactly what a model reads of it: of the agreed version while another one waits. Absent where no model reads it. */
  model: z.strictObject({ description: z.string(), inputSchema: z.string() }).optional(),
  /** As the server defines it now, as JSON text. Absent when it was removed. */
  definition: z.string().optional(),
  changes: z.array(z.strictObject({ member: DefinitionMember, before: z.string(), after: z.string() })),
  isCut: z.boolean(),
});
export type DefinitionWhole = z.infer<typeof DefinitionWhole>;

/** What of a server waits for the person's review; absent while nothing does. */
export const ToReview = z.strictObject({
  /** Nothing of this server was agreed to yet. */
  isFirst: z.boolean(),
  tools: z.number().int(),
  prompts: z.number().int(),
  templates: z.number().int(),
  /** What `definition.accept` must carry. */
  seen: z.string(),
});
export type ToReview = z.infer<typeof ToReview>;

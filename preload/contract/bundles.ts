import { z } from 'zod';

/**
 * What is known of who made a bundle (`.mcpb`). `signed`: somebody whom this system trusts vouches for the publisher's name.
 * `selfSigned`: the file is as its signer left it, and nobody vouches for the name. A broken signature is refused.
 */
export const BundleSignature = z.enum(['signed', 'selfSigned', 'unsigned']);
export type BundleSignature = z.infer<typeof BundleSignature>;

/** A value of a bundle's configuration. Sensitive ones are references in the file, and never cross to the renderer. */
export const BundleValue = z.union([z.string().max(16_384), z.number(), z.boolean(), z.array(z.string().max(16_384)).max(64)]);
export type BundleValue = z.infer<typeof BundleValue>;

/** What is shown of an installed bundle wherever its server is. */
export const BundleSummary = z.strictObject({
  name: z.string(),
  version: z.string(),
  signature: BundleSignature,
  publisher: z.string().optional(),
});
export type BundleSummary = z.infer<typeof BundleSummary>;

/** The member `bundle` of an entry in servers.json. */
export const InstalledBundle = z.object({
  /** As its manifest says; by it a newer version is known. */
  name: z.string().min(1).max(200),
  version: z.string().min(1).max(100),
  type: z.enum(['node', 'python', 'binary', 'uv']),
  /** Of all its files, SHA-256 in hex. What was agreed to is bound to it. */
  digest: z.string().regex(/^[0-9a-f]{64}$/),
  /** Name of the folder that holds its files, among those of its server in the data folder. */
  folder: z.string().regex(/^[A-Za-z0-9-]{1,64}$/),
  signature: BundleSignature,
  publisher: z.string().max(500).optional(),
  /** Of the signer's certificate, SHA-256 in hex. */
  signer: z
    .string()
    .regex(/^[0-9a-f]{64}$/)
    .optional(),
  values: z.record(z.string().max(100), BundleValue).optional(),
});
export type InstalledBundle = z.infer<typeof InstalledBundle>;

/** One field of a bundle's configuration, as a form shows it. */
export const BundleField = z.strictObject({
  key: z.string(),
  type: z.enum(['string', 'number', 'boolean', 'directory', 'file']),
  title: z.string(),
  description: z.string().optional(),
  required: z.boolean(),
  multiple: z.boolean(),
  /** Its value goes in and never comes out. */
  sensitive: z.boolean(),
  min: z.number().optional(),
  max: z.number().optional(),
  /** What it is now, else what the bundle proposes. Absent for sensitive ones. */
  value: BundleValue.optional(),
  /** For sensitive ones: a value is stored. */
  isSet: z.literal(true).optional(),
});
export type BundleField = z.infer<typeof BundleField>;

/** Values by key. Null takes one back; one that is absent stays as it is. */
export const BundleValues = z.record(z.string().max(100), BundleValue.nullable());
export type BundleValues = z.infer<typeof BundleValues>;

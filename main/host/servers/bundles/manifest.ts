import { z } from 'zod';
import type { InstalledBundle } from '../../../../preload/contract/bundles.ts';

const text = (max: number) => z.string().max(max);
const key = z.string().regex(/^[A-Za-z0-9_.-]{1,100}$/, 'a name of letters, digits, "_", "." and "-" is needed');

const Config = z.object({
  command: text(4096).min(1),
  args: z.array(text(65_536)).max(512).optional(),
  env: z.record(z.string().min(1).max(256), text(65_536)).optional(),
});
const Option = z.object({
  type: z.enum(['string', 'number', 'boolean', 'directory', 'file']),
  title: text(500).optional(),
  description: text(5000).optional(),
  required: z.boolean().optional(),
  default: z.union([text(16_384), z.number(), z.boolean(), z.array(text(16_384)).max(64)]).optional(),
  multiple: z.boolean().optional(),
  sensitive: z.boolean().optional(),
  min: z.number().optional(),
  max: z.number().optional(),
});

/**
 * The parts of a bundle's manifest (versions 0.1 to 0.4) that decide something or are shown. What is not among them may have any form: a
 * bundle made for a newer host, or with members of its vendor, still installs. The reference schemas refuse it.
 */
const Manifest = z.object({
  name: text(200).min(1),
  version: text(100).min(1),
  display_name: text(200).optional(),
  description: text(20_000).optional(),
  author: z.object({ name: text(500), email: text(500).optional(), url: text(2000).optional() }),
  homepage: text(2000).optional(),
  license: text(500).optional(),
  privacy_policies: z.array(text(2000)).max(50).optional(),
  server: z.object({
    type: z.enum(['node', 'python', 'binary', 'uv']),
    entry_point: text(1024).min(1),
    mcp_config: Config.extend({ platform_overrides: z.record(z.string(), Config.partial()).optional() }).optional(),
  }),
  compatibility: z
    .object({
      maitre: text(200).optional(),
      platforms: z.array(text(50)).max(20).optional(),
      runtimes: z.object({ node: text(200).optional(), python: text(200).optional() }).optional(),
    })
    .optional(),
  user_config: z.record(key, Option).optional(),
});
export type Manifest = z.infer<typeof Manifest>;
export type ManifestOption = z.infer<typeof Option>;
export type BundleType = InstalledBundle['type'];

const knownMembers = new Set([
  ...Object.keys(Manifest.shape),
  ...['$schema', 'manifest_version', 'dxt_version', 'long_description', 'repository', 'documentation', 'support', 'icon', 'icons'],
  ...['screenshots', 'keywords', 'localization', 'tools', 'tools_generated', 'prompts', 'prompts_generated', '_meta'],
]);
const versions = ['0.1', '0.2', '0.3', '0.4'];

export type ReadManifest = { ok: true; manifest: Manifest; warnings: string[] } | { ok: false; problem: string };

/** Reads `manifest.json`. `problem` is a sentence about the first things that are wrong; `warnings` are sentences about what was passed over. */
export function readManifest(json: string): ReadManifest {
  let value: unknown;
  try {
    value = JSON.parse(json.replace(/^\uFEFF/, ''));
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    return { ok: false, problem: `Its manifest.json is no JSON: ${error.message}.` };
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return { ok: false, problem: 'Its manifest.json is no object.' };
  const members = new Map(Object.entries(value));
  const version: unknown = members.get('manifest_version') ?? members.get('dxt_version');
  if (typeof version !== 'string' || !versions.includes(version)) {
    const said = typeof version === 'string' ? `version ${version.slice(0, 50)}` : 'no version';
    return { ok: false, problem: `Its manifest is of ${said}; Maitre reads versions ${versions[0]} to ${versions.at(-1)}.` };
  }
  const read = Manifest.safeParse(value);
  if (!read.success) {
    const issues = read.error.issues.slice(0, 3).map((issue) => `"${issue.path.map(String).join('.')}": ${issue.message}`);
    return { ok: false, problem: `Its manifest.json has members of a wrong form: ${issues.join('; ')}.` };
  }
  const unknown = [...members.keys()].filter((member) => !knownMembers.has(member));
  const names = unknown.slice(0, 10).map((name) => name.slice(0, 100));
  return {
    ok: true,
    manifest: read.data,
    warnings: unknown.length === 0 ? [] : [`Its manifest has members that Maitre does not know, and passes over: ${names.join(', ')}.`],
  };
}

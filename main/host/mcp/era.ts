import { type Client, type PriorDiscovery, ProtocolError, ProtocolErrorCode } from '@modelcontextprotocol/client';
import type { ServerFailure } from '../../../preload/contract/servers.ts';
import { StartFailure } from './failures.ts';
import { modernVersion } from './modernVersion.ts';
import { rawResultOf, rawResultSchema } from './rawResults.ts';

export interface EraVerdict {
  era: 'legacy' | 'modern';
  version: string;
}

/** How the generation was found: asked for now, known from an earlier connection, or the person's choice. */
export type EraSource = 'probed' | 'remembered' | 'set';

/**
 * What is assumed of a modern server that has no `server/discover`, though it must (2026-07-28): that it may have everything that a
 * request finds out, and nothing that would have to be promised, such as notices.
 */
export const undiscovered: PriorDiscovery = {
  kind: 'modern',
  discover: {
    resultType: 'complete',
    supportedVersions: [modernVersion],
    capabilities: { tools: {}, resources: {}, prompts: {}, completions: {} },
    ttlMs: 0,
    cacheScope: 'private',
  },
};

/** Rejects with a {@link StartFailure} where the server refuses the first request in its modern form: it must be a legacy one. */
export async function requireModern(client: Client, name: string, options: { timeout: number; signal: AbortSignal }): Promise<void> {
  try {
    const list = rawResultOf(await client.request({ method: 'tools/list', params: {} }, rawResultSchema, options));
    if (list['resultType'] === undefined) throw new StartFailure(notModern(name, 'Its result has no resultType.'));
  } catch (error) {
    if (error instanceof ProtocolError && error.code !== ProtocolErrorCode.MethodNotFound)
      throw new StartFailure(notModern(name, `${error.code}: ${error.message}`));
    if (!(error instanceof ProtocolError)) throw error;
  }
}

export const notModern = (name: string, detail: string): ServerFailure => ({
  code: 'protocolError',
  message: `"${name}" does not speak revision ${modernVersion} of the protocol, which its settings demand. Set "era" to "auto" in its configuration.`,
  detail,
});

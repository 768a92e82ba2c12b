import { noContent, reads } from './effects.ts';
import type { Listing } from './listing.ts';

/** Servers that look at nothing but their arguments and the clock. */
export const thinkingProfiles: readonly Listing[] = [
  {
    // Read from its code. It counts thoughts and keeps them in its own process; nobody gets them from there.
    npm: '@modelcontextprotocol/server-sequential-thinking',
    images: ['mcp/sequentialthinking'],
    versions: ['2026.8.31', '2026.8.31'],
    profile: { results: noContent, tools: { sequentialthinking: reads } },
  },
  {
    // Read from src/time of github.com/modelcontextprotocol/servers at 2026.7.10; the code is the same since 2026.6.3.
    pypi: 'mcp-server-time',
    images: ['mcp/time'],
    versions: ['2026.6.3', '2026.7.10'],
    profile: { results: noContent, tools: { get_current_time: reads, convert_time: reads } },
  },
];

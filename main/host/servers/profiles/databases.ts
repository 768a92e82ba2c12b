import { accountContent, anything, reads } from './effects.ts';
import type { Listing } from './listing.ts';

export const databaseProfiles: readonly Listing[] = [
  {
    // Read from its code. The statement runs as it is written inside a read-only transaction, which it can end: "COMMIT; DROP TABLE …" works.
    npm: '@modelcontextprotocol/server-postgres',
    images: ['mcp/postgres'],
    versions: ['0.6.2', '0.6.2'],
    profile: {
      readOnlyForm: 'Give it a user of the database that may only read. The server’s own protection can be left by the statement itself.',
      results: accountContent,
      tools: { query: anything },
    },
  },
  {
    // Read from src/sqlite of github.com/modelcontextprotocol/servers at 2025.5.12, the last with it; the code is the same since 2025.4.24.
    pypi: 'mcp-server-sqlite',
    images: ['mcp/sqlite'],
    versions: ['2025.4.24', '2025.5.12'],
    profile: {
      results: accountContent,
      tools: {
        read_query: reads,
        list_tables: reads,
        describe_table: reads,
        write_query: { effects: ['changes', 'deletes'] },
        create_table: { effects: ['changes'] },
        append_insight: { effects: ['changes'] },
      },
    },
  },
];

import type { ServerProfile, ToolProfile } from '../toolProfile.ts';

const nobody = { untrusted: false, private: false };
const returns = (...keptUnder: string[]): ToolProfile => ({
  effects: ['reads'],
  remembers: 'returns',
  ...(keptUnder.length > 0 && { keptUnder }),
});
/** It answers with what it was given. */
const stores = (...keptUnder: string[]): ToolProfile => ({ effects: ['changes'], remembers: 'stores', keptUnder, results: nobody });
const deletes: ToolProfile = { effects: ['deletes'], results: nobody };

/** Read from the code of @modelcontextprotocol/server-memory 2026.8.31. */
const tools: ServerProfile['tools'] = {
  read_graph: returns(),
  search_nodes: returns(),
  // With the relations from and to the entities that are named.
  open_nodes: returns('/names/*'),
  create_entities: stores('/entities/*/name'),
  create_relations: stores('/relations/*/from', '/relations/*/to'),
  add_observations: stores('/observations/*/entityName'),
  delete_entities: deletes,
  delete_observations: deletes,
  delete_relations: deletes,
};

/** The one in the application's own folder: nothing stands in it but what was stored through the application, and that is labelled. */
export const bundledMemory: ServerProfile = { results: nobody, tools };

/** Any other: its file may be older than this application's knowledge of it, and shared with others. */
export const memory: ServerProfile = { results: { untrusted: true, private: true }, tools };

/** What of a task and of sampling has to outlive a restart. */
export const sampling = /* sql */ `
-- How the task stood when its server told last: TaskState, as JSON. Null: it has told nothing.
ALTER TABLE tasks ADD COLUMN state TEXT;
-- CallProgress, as JSON.
ALTER TABLE tasks ADD COLUMN progress TEXT;

-- The user does not look at results of sampling again, in this chat and for this server.
CREATE TABLE sampling_waivers (
  server_id TEXT NOT NULL,
  conversation_id TEXT NOT NULL REFERENCES conversations (id) ON DELETE CASCADE,
  created_at INTEGER NOT NULL,
  PRIMARY KEY (server_id, conversation_id)
) STRICT;

-- What a server has used of the user's model in one turn.
CREATE TABLE sampling_used (
  server_id TEXT NOT NULL,
  turn_id TEXT NOT NULL REFERENCES turns (id) ON DELETE CASCADE,
  requests INTEGER NOT NULL,
  tokens INTEGER NOT NULL,
  PRIMARY KEY (server_id, turn_id)
) STRICT;
`;

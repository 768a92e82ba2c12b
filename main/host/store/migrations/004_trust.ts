/** Rules bound to arguments and dates, what of a server's definitions was agreed to, and whose content a server returns. */
export const trust = /* sql */ `
CREATE TABLE rules_next (
  id TEXT PRIMARY KEY,
  server_id TEXT NOT NULL,
  -- '*', with a denial only: every tool of the server.
  tool TEXT NOT NULL,
  verdict TEXT NOT NULL CHECK (verdict IN ('allow', 'deny')),
  scope TEXT NOT NULL CHECK (scope IN ('turn', 'chat', 'until', 'always')),
  conversation_id TEXT REFERENCES conversations (id) ON DELETE CASCADE,
  turn_id TEXT REFERENCES turns (id) ON DELETE CASCADE,
  until INTEGER,
  -- ArgumentPattern[], as JSON.
  patterns TEXT NOT NULL DEFAULT '[]',
  created_at INTEGER NOT NULL,
  last_used_at INTEGER,
  uses INTEGER NOT NULL DEFAULT 0
) STRICT;
INSERT INTO rules_next (id, server_id, tool, verdict, scope, conversation_id, turn_id, created_at, last_used_at, uses)
  SELECT id, server_id, tool, verdict, scope, conversation_id, turn_id, created_at, last_used_at, uses FROM rules;
DROP TABLE rules;
ALTER TABLE rules_next RENAME TO rules;
CREATE INDEX rules_tool ON rules (server_id, tool);

-- What the model may read of a server: definitions as they were agreed to. kind 'instructions' has the name ''.
CREATE TABLE definitions (
  server_id TEXT NOT NULL,
  kind TEXT NOT NULL CHECK (kind IN ('tool', 'prompt', 'template', 'instructions')),
  name TEXT NOT NULL,
  -- SHA-256 of the canonical JSON (RFC 8785).
  hash TEXT NOT NULL,
  definition TEXT NOT NULL,
  accepted_at INTEGER NOT NULL,
  PRIMARY KEY (server_id, kind, name)
) STRICT;

-- What the user said of a server's content; absent: the profile's word, else untrusted and private.
CREATE TABLE server_content (
  server_id TEXT PRIMARY KEY,
  untrusted INTEGER,
  private INTEGER
) STRICT;

-- What the model had asked for, where the person changed the arguments. A LongText as JSON.
ALTER TABLE calls ADD COLUMN proposed_arguments TEXT;
`;

/** Calls that a server runs as tasks, and how much a server is asked to log. The task's id is a secret of the owner `task:CALL_ID`. */
export const tasks = /* sql */ `
CREATE TABLE tasks (
  call_id TEXT PRIMARY KEY REFERENCES calls (id) ON DELETE CASCADE,
  server_id TEXT NOT NULL,
  -- Whose task it is: under another configuration or another sign-in the server must not be asked for it.
  config_hash TEXT NOT NULL,
  authorization_key TEXT NOT NULL,
  era TEXT NOT NULL CHECK (era IN ('legacy', 'modern')),
  created_at INTEGER NOT NULL,
  -- When the server may forget it; null where it has set no limit.
  expires_at INTEGER
) STRICT;

-- null: the server is not asked to log.
ALTER TABLE servers ADD COLUMN log_level TEXT
  CHECK (log_level IN ('debug', 'info', 'notice', 'warning', 'error', 'critical', 'alert', 'emergency'));
`;

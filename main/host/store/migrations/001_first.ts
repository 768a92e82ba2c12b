/**
 * The first schema. Times are milliseconds since 1970, ids are text, JSON columns hold canonical or plain JSON text.
 * Texts over 64 Ki characters: the head here, the whole in a blob (`longText.ts`). Bytes of blobs stand in files named by `blobs.id`.
 */
export const first = /* sql */ `
CREATE TABLE settings (
  name TEXT PRIMARY KEY,
  value TEXT NOT NULL
) STRICT;

CREATE TABLE providers (
  id TEXT PRIMARY KEY,
  name TEXT NOT NULL,
  base_url TEXT NOT NULL,
  created_at INTEGER NOT NULL
) STRICT;

CREATE TABLE model_lists (
  provider_id TEXT PRIMARY KEY,
  models TEXT NOT NULL,
  fetched_at INTEGER NOT NULL
) STRICT;

-- AES-256-GCM under the data folder's key; owner and name are its associated data.
CREATE TABLE secrets (
  owner TEXT NOT NULL,
  name TEXT NOT NULL,
  -- The keychain's entry that holds the key. A lost key is replaced under another account, so that rows of one that comes back open again.
  key_account TEXT NOT NULL,
  nonce BLOB NOT NULL,
  sealed BLOB NOT NULL,
  created_at INTEGER NOT NULL,
  PRIMARY KEY (owner, name)
) STRICT;

CREATE TABLE conversations (
  id TEXT PRIMARY KEY,
  -- 'bench': calls tried by hand on a server's page; not in the history.
  kind TEXT NOT NULL DEFAULT 'chat' CHECK (kind IN ('chat', 'bench')),
  title TEXT NOT NULL,
  titled_by_user INTEGER NOT NULL DEFAULT 0,
  model TEXT,
  -- The message at the end of the branch that is shown.
  leaf_id TEXT,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL
) STRICT;
CREATE INDEX conversations_updated ON conversations (updated_at DESC) WHERE kind = 'chat';

CREATE TABLE messages (
  id TEXT PRIMARY KEY,
  conversation_id TEXT NOT NULL REFERENCES conversations (id) ON DELETE CASCADE,
  parent_id TEXT REFERENCES messages (id) ON DELETE CASCADE,
  role TEXT NOT NULL CHECK (role IN ('user', 'assistant')),
  created_at INTEGER NOT NULL
) STRICT;
CREATE INDEX messages_conversation ON messages (conversation_id);
CREATE INDEX messages_parent ON messages (parent_id);

CREATE TABLE turns (
  id TEXT PRIMARY KEY,
  conversation_id TEXT NOT NULL REFERENCES conversations (id) ON DELETE CASCADE,
  user_message_id TEXT NOT NULL REFERENCES messages (id) ON DELETE CASCADE,
  assistant_message_id TEXT NOT NULL REFERENCES messages (id) ON DELETE CASCADE,
  state TEXT NOT NULL CHECK (state IN ('running', 'done', 'stepLimit', 'stopped', 'failed', 'interrupted')),
  model TEXT NOT NULL,
  steps INTEGER NOT NULL DEFAULT 0,
  -- The step at which the limit is met next; Continue raises it.
  step_limit INTEGER NOT NULL,
  error TEXT,
  input_tokens INTEGER NOT NULL DEFAULT 0,
  output_tokens INTEGER NOT NULL DEFAULT 0,
  started_at INTEGER NOT NULL,
  ended_at INTEGER
) STRICT;
CREATE INDEX turns_conversation ON turns (conversation_id);
CREATE INDEX turns_message ON turns (assistant_message_id);
CREATE INDEX turns_open ON turns (state) WHERE state = 'running';

-- One model request of a turn that ended well: what the same provider needs to see again.
CREATE TABLE steps (
  turn_id TEXT NOT NULL REFERENCES turns (id) ON DELETE CASCADE,
  step INTEGER NOT NULL,
  provider_data TEXT,
  PRIMARY KEY (turn_id, step)
) STRICT;

-- Every part carries its source and labels. source_kind 'unknown' counts as untrusted and private.
CREATE TABLE parts (
  id TEXT PRIMARY KEY,
  message_id TEXT NOT NULL REFERENCES messages (id) ON DELETE CASCADE,
  position INTEGER NOT NULL,
  step INTEGER NOT NULL DEFAULT 0,
  kind TEXT NOT NULL CHECK (kind IN ('text', 'reasoning', 'call', 'attachment')),
  text TEXT NOT NULL DEFAULT '',
  text_length INTEGER NOT NULL DEFAULT 0,
  text_blob TEXT,
  -- What an attachment holds, as JSON.
  content TEXT,
  open INTEGER NOT NULL DEFAULT 0,
  duration_ms INTEGER,
  source_kind TEXT NOT NULL DEFAULT 'unknown',
  source TEXT,
  untrusted INTEGER NOT NULL DEFAULT 1,
  private INTEGER NOT NULL DEFAULT 1
) STRICT;
CREATE UNIQUE INDEX parts_message ON parts (message_id, position);

CREATE TABLE calls (
  id TEXT PRIMARY KEY,
  part_id TEXT NOT NULL UNIQUE REFERENCES parts (id) ON DELETE CASCADE,
  turn_id TEXT NOT NULL REFERENCES turns (id) ON DELETE CASCADE,
  step INTEGER NOT NULL,
  model_call_id TEXT NOT NULL,
  wire_name TEXT NOT NULL,
  server_id TEXT,
  server_name TEXT NOT NULL,
  tool TEXT NOT NULL,
  -- A LongText as JSON: canonical JSON of the arguments, or the model's own words where arguments_valid is 0.
  arguments TEXT NOT NULL,
  arguments_valid INTEGER NOT NULL DEFAULT 1,
  arguments_hash TEXT NOT NULL,
  effects TEXT NOT NULL,
  reason TEXT,
  state TEXT NOT NULL,
  -- The state's own members (error, denied by, progress, was), as JSON.
  state_data TEXT,
  -- The shaped result blocks, as JSON.
  content TEXT,
  approval_id TEXT,
  -- Set for a call that the server runs as a task.
  task_id TEXT,
  created_at INTEGER NOT NULL,
  started_at INTEGER,
  ended_at INTEGER
) STRICT;
CREATE INDEX calls_turn ON calls (turn_id, step);
CREATE INDEX calls_open ON calls (state) WHERE state IN ('proposed', 'awaitingApproval', 'running', 'awaitingInput');

CREATE TABLE approvals (
  id TEXT PRIMARY KEY,
  call_id TEXT NOT NULL REFERENCES calls (id) ON DELETE CASCADE,
  arguments_hash TEXT NOT NULL,
  -- The card as it was shown, as JSON.
  card TEXT NOT NULL,
  outcome TEXT CHECK (outcome IN ('allowed', 'denied', 'cancelled', 'interrupted')),
  decision TEXT,
  created_at INTEGER NOT NULL,
  answered_at INTEGER,
  -- When the call went out under it; an approval is used once.
  used_at INTEGER
) STRICT;
CREATE INDEX approvals_waiting ON approvals (outcome) WHERE outcome IS NULL;
CREATE INDEX approvals_call ON approvals (call_id);

CREATE TABLE rules (
  id TEXT PRIMARY KEY,
  server_id TEXT NOT NULL,
  tool TEXT NOT NULL,
  verdict TEXT NOT NULL CHECK (verdict IN ('allow', 'deny')),
  scope TEXT NOT NULL CHECK (scope IN ('turn', 'chat', 'always')),
  conversation_id TEXT REFERENCES conversations (id) ON DELETE CASCADE,
  turn_id TEXT REFERENCES turns (id) ON DELETE CASCADE,
  created_at INTEGER NOT NULL,
  last_used_at INTEGER,
  uses INTEGER NOT NULL DEFAULT 0
) STRICT;
CREATE INDEX rules_tool ON rules (server_id, tool);

-- What hangs on a server's id. The configuration itself stands in servers.json.
CREATE TABLE servers (
  id TEXT PRIMARY KEY,
  consent_hash TEXT,
  consent_at INTEGER,
  -- Lists, instructions and self-description from the last connection, as JSON.
  cached TEXT,
  cached_at INTEGER,
  -- Era verdict, as JSON, valid for one configuration hash until a date.
  era TEXT,
  era_hash TEXT,
  era_expires_at INTEGER
) STRICT;

-- Effects the user gave a tool.
CREATE TABLE tool_effects (
  server_id TEXT NOT NULL,
  tool TEXT NOT NULL,
  effects TEXT NOT NULL,
  set_at INTEGER NOT NULL,
  PRIMARY KEY (server_id, tool)
) STRICT;

-- Ids of servers named on a command line, kept by the real path of the file and the key in it.
CREATE TABLE file_server_ids (
  path TEXT NOT NULL,
  key TEXT NOT NULL,
  server_id TEXT NOT NULL,
  PRIMARY KEY (path, key)
) STRICT;

-- Child processes, so that the next start can end what a crash left behind.
CREATE TABLE processes (
  pid INTEGER NOT NULL,
  started_at TEXT NOT NULL,
  server_id TEXT NOT NULL,
  PRIMARY KEY (pid, started_at)
) STRICT;

CREATE TABLE blobs (
  id TEXT PRIMARY KEY,
  mime_type TEXT NOT NULL,
  bytes INTEGER NOT NULL,
  created_at INTEGER NOT NULL
) STRICT;
-- Who still needs a blob; one that nobody names is removed at the next start.
CREATE TABLE blob_owners (
  blob_id TEXT NOT NULL REFERENCES blobs (id) ON DELETE CASCADE,
  conversation_id TEXT NOT NULL REFERENCES conversations (id) ON DELETE CASCADE,
  PRIMARY KEY (blob_id, conversation_id)
) STRICT;

-- Text segmented into words by the host (Intl.Segmenter), so that every script is found. rowid = search_rows.rowid.
CREATE TABLE search_rows (
  rowid INTEGER PRIMARY KEY,
  conversation_id TEXT NOT NULL REFERENCES conversations (id) ON DELETE CASCADE,
  message_id TEXT REFERENCES messages (id) ON DELETE CASCADE,
  -- The plain text a snippet is cut from.
  text TEXT NOT NULL,
  at INTEGER NOT NULL
) STRICT;
CREATE INDEX search_rows_conversation ON search_rows (conversation_id);
CREATE UNIQUE INDEX search_rows_message ON search_rows (message_id) WHERE message_id IS NOT NULL;
CREATE VIRTUAL TABLE search_words USING fts5 (words, content = '', contentless_delete = 1, tokenize = "unicode61 remove_diacritics 2", prefix = '1 2');
CREATE TRIGGER search_rows_removed AFTER DELETE ON search_rows BEGIN
  DELETE FROM search_words WHERE rowid = old.rowid;
END;
`;

/** What the user said of secrets that were about to be sent to a cloud model, so that each is asked about once in a chat. */
export const modelGuard = /* sql */ `
CREATE TABLE model_guard (
  conversation_id TEXT NOT NULL REFERENCES conversations (id) ON DELETE CASCADE,
  -- SHA-256 of the secret, never the secret.
  secret_hash TEXT NOT NULL,
  decision TEXT NOT NULL CHECK (decision IN ('leaveOut', 'send')),
  decided_at INTEGER NOT NULL,
  PRIMARY KEY (conversation_id, secret_hash)
) STRICT;
`;

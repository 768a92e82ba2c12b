/** The activity log: what was decided and done, one row each, chained so that a missing or changed row shows (`policy/audit.ts`). */
export const audit = /* sql */ `
CREATE TABLE audit (
  -- 1, 2, 3 and so on: a gap is a row that somebody removed.
  seq INTEGER PRIMARY KEY,
  at INTEGER NOT NULL,
  kind TEXT NOT NULL,
  -- No references: a row outlives the server, the chat and the call that it tells of.
  server_id TEXT,
  server_name TEXT,
  tool TEXT,
  conversation_id TEXT,
  call_id TEXT,
  verdict TEXT CHECK (verdict IN ('allow', 'ask', 'deny')),
  code TEXT,
  rule_id TEXT,
  scope TEXT,
  -- Of the arguments of a call, or of the configuration or definition that was agreed to.
  hash TEXT,
  outcome TEXT,
  -- A few words of the host, secrets struck out. Never arguments or results.
  summary TEXT,
  -- SHA-256 of the digest before and the columns above.
  digest BLOB NOT NULL,
  -- Whose key the digest is signed with: an entry of the keychain, or one run of the application. Null until the keychain has answered.
  key_account TEXT,
  mac BLOB
) STRICT;

CREATE TRIGGER audit_only_grows BEFORE DELETE ON audit BEGIN
  SELECT RAISE(ABORT, 'The activity log only grows.');
END;
-- REPLACE deletes without asking the trigger above.
CREATE TRIGGER audit_not_replaced BEFORE INSERT ON audit WHEN EXISTS (SELECT 1 FROM audit WHERE seq = new.seq) BEGIN
  SELECT RAISE(ABORT, 'The activity log only grows.');
END;
CREATE TRIGGER audit_stays BEFORE UPDATE ON audit
WHEN old.mac IS NOT NULL OR new.seq <> old.seq OR new.digest <> old.digest BEGIN
  SELECT RAISE(ABORT, 'The activity log only grows.');
END;
`;

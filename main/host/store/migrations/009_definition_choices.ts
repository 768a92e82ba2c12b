/** What the person said of single definitions of a server, beside having agreed to them. */
export const definitionChoices = /* sql */ `
-- Agreed to, and switched off: not offered to any model.
ALTER TABLE definitions ADD COLUMN is_off INTEGER NOT NULL DEFAULT 0;

-- Looked at and left as it was: a definition of this hash is not pointed out again.
CREATE TABLE definitions_left (
  server_id TEXT NOT NULL,
  kind TEXT NOT NULL,
  name TEXT NOT NULL,
  hash TEXT NOT NULL,
  PRIMARY KEY (server_id, kind, name)
) STRICT;
`;

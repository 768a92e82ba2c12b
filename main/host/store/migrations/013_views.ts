/** Views of servers (MCP Apps): which were agreed to, where they are shown, and what of a result only they read. */
export const views = /* sql */ `
-- SHA-256 of the page of a view with what it asks for, as it was agreed to.
CREATE TABLE agreed_views (
  server_id TEXT NOT NULL,
  uri TEXT NOT NULL,
  seen TEXT NOT NULL,
  agreed_at INTEGER NOT NULL,
  PRIMARY KEY (server_id, uri)
) STRICT;

-- Servers whose views the person does not want.
CREATE TABLE views_off (
  server_id TEXT PRIMARY KEY
) STRICT;

-- Structured content and _meta of the result as they came, as JSON: no model reads it.
ALTER TABLE calls ADD COLUMN for_view TEXT;
`;

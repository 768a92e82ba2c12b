/** What a server is told and may ask (client features of MCP), by its id. */
export const clientFeatures = /* sql */ `
-- Folders that the server is told of (roots). Real paths.
CREATE TABLE told_folders (
  server_id TEXT NOT NULL,
  path TEXT NOT NULL,
  position INTEGER NOT NULL,
  PRIMARY KEY (server_id, path)
) STRICT;

CREATE TABLE client_features (
  server_id TEXT PRIMARY KEY,
  -- The user chose the folders, were it none.
  folders_chosen INTEGER NOT NULL DEFAULT 0,
  questions_blocked INTEGER NOT NULL DEFAULT 0,
  -- Sampling and roots are declared in 2026-07-28 too.
  deprecated_in_modern INTEGER NOT NULL DEFAULT 0
) STRICT;
`;

/** Pictures of servers and of what they offer, as they were checked: shown while a server is off, and not fetched at every start. */
export const serverIcons = /* sql */ `
CREATE TABLE server_icons (
  server_id TEXT NOT NULL,
  -- Hash of what the server declared: another declaration is another picture.
  icon TEXT NOT NULL,
  theme TEXT NOT NULL CHECK (theme IN ('light', 'dark')),
  mime_type TEXT NOT NULL,
  bytes BLOB NOT NULL,
  read_at INTEGER NOT NULL,
  PRIMARY KEY (server_id, icon, theme)
) STRICT;
`;

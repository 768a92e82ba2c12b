/** Which labels has what memory-like servers keep, and the labels of a branch without its texts. */
export const labels = /* sql */ `
CREATE TABLE remembered_labels (
  -- The server's id; 'bundled:memory' for the file in the data folder, which outlives the server's entry.
  store TEXT NOT NULL,
  -- What it is kept under, where the profile says so; '' for the rest.
  name TEXT NOT NULL,
  untrusted INTEGER NOT NULL,
  private INTEGER NOT NULL,
  PRIMARY KEY (store, name)
) STRICT;

-- Labels stand behind the text of a row: without this every call would read the whole chat to learn them.
CREATE INDEX parts_labels ON parts (message_id, untrusted, private, source_kind, source);
`;

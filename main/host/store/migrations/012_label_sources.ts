/**
 * The server that a labelled part came from, in the index itself: it is read before every call, and taking it out of the JSON of every
 * part of a chat cost more than all the rest of a decision. Parts without a label are not in it.
 */
export const labelSources = /* sql */ `
ALTER TABLE parts ADD COLUMN server_id TEXT GENERATED ALWAYS AS (json_extract(source, '$.serverId')) VIRTUAL;
DROP INDEX parts_labels;
CREATE INDEX parts_labels ON parts (message_id, server_id, untrusted, private) WHERE untrusted OR private;
`;

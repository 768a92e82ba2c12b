/** What the workers do: each job's input and output cross by structured clone. */
export interface Jobs {
  /** Validates a value against a server's JSON Schema (2020-12 unless it says otherwise); never fetches a `$ref`. */
  validate: {
    input: { schema: Record<string, unknown>; value: unknown };
    output: { valid: true } | { valid: false; errors: string[] } | { valid: 'unusableSchema'; reason: string };
  };
  /** Searches the history through a read-only connection of its own. */
  search: {
    input: { databaseFile: string; query: string; limit: number };
    output: { conversationId: string; title: string; messageId: string | null; snippet: string; ranges: [number, number][]; at: number }[];
  };
  /** Parses and checks a large JSON text. */
  parseJson: { input: { text: string }; output: { value: unknown } };
  /** Canonical JSON (RFC 8785) and its SHA-256 in hex. */
  canonicalHash: { input: { value: unknown }; output: { json: string; hash: string } };
}

import type { CallId, MessageId } from '../../../preload/contract/ids.ts';
import type { Finding, OriginMark, PathLook } from '../../../preload/contract/policy.ts';
import type { Definer } from '../policy/definedTexts.ts';
import type { FoundSecret } from '../policy/findSecrets.ts';
import type { PathToLookAt } from '../policy/pathLook.ts';
import type { Hint } from '../../../preload/contract/definitions.ts';
import type { NamedTool } from '../policy/scanText.ts';
import type { AuditCheck, AuditFilter, AuditRow } from '../../../preload/contract/audit.ts';
import type { ChainKeys } from '../policy/auditChain.ts';
import type { AuditQuery } from '../store/auditRows.ts';
import type { openBundle } from '../servers/bundles/openBundle.ts';

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
  /** Rows of the activity log, through a read-only connection of its own, as the next three. */
  auditFind: { input: { databaseFile: string } & AuditQuery; output: { row: AuditRow; chat: string | undefined }[] };
  /** The same as JSON lines, oldest first. `last`: the number of the last row. */
  auditExport: {
    input: { databaseFile: string; filter: AuditFilter; after: number; limit: number };
    output: { jsonl: string; rows: number; last: number | undefined };
  };
  /** Whose keys the log is signed with. */
  auditAccounts: { input: { databaseFile: string }; output: string[] };
  auditCheck: { input: { databaseFile: string } & ChainKeys; output: AuditCheck };
  /** Hints on texts of servers, and on which text (`row`) each is. */
  scan: {
    input: { texts: { row: number; at: string; text: string }[]; otherTools: NamedTool[]; ownNames: string[] };
    output: (Hint & { row: number })[];
  };
  /** What of a call's arguments stands in the branch that ends with `leafId`, or in what `definers` say of their tools. `whole`: nothing was left out. */
  origins: {
    input: {
      databaseFile: string;
      leafId: MessageId;
      callId: CallId;
      values: Readonly<Record<string, unknown>>;
      definers: readonly Definer[];
    };
    output: { marks: OriginMark[]; whole: boolean };
  };
  /** Reads what {@link Jobs.origins} will search, and keeps it for then. */
  prepareOrigins: { input: { databaseFile: string; leafId: MessageId }; output: undefined };
  /** The secrets in a call's arguments. `whole`: nothing was left out. */
  findings: { input: { values: Readonly<Record<string, unknown>>; now: number }; output: { findings: Finding[]; whole: boolean } };
  prepareFindings: { input: Record<string, never>; output: undefined };
  /** What paths of a call name. `folders` are those that the user picked, as real paths. */
  look: {
    input: { paths: PathToLookAt[]; folders: readonly string[]; now: number };
    output: { looks: PathLook[]; findings: Finding[] };
  };
  /** The secrets in texts, of each in their order. */
  secrets: { input: { texts: readonly string[]; now: number }; output: FoundSecret[][] };
  /** Reads and unpacks a bundle of a server: other people's archive. */
  openBundle: { input: Parameters<typeof openBundle>[0]; output: Awaited<ReturnType<typeof openBundle>> };
  /** SHA-256 over everything in a folder. */
  digestFolder: { input: { folder: string }; output: { digest: string } };
}

import type { ServerFailure } from '../../../preload/contract/servers.ts';
import type { ChildProgram } from '../ports.ts';
import type { ToolCallOutcome, ToolCallRequest } from './callTool.ts';

/** Where a server is. `transport` of HTTP: `auto` and `http` try Streamable HTTP first, then SSE where the server demands it. */
export type Target =
  | { kind: 'stdio'; start(): ChildProgram }
  | { kind: 'http'; url: string; headers: Record<string, string>; transport: 'auto' | 'http' | 'sse' };

/** A tool as listed. `problem` is set when it cannot be used: it is shown with this reason, the others work on. */
export interface ListedTool {
  name: string;
  title?: string | undefined;
  description?: string | undefined;
  inputSchema: Record<string, unknown>;
  outputSchema?: Record<string, unknown> | undefined;
  annotations?: Record<string, unknown> | undefined;
  problem?: string | undefined;
}

/** What a server offers, as it says. All of it is data. */
export interface ServerLists {
  tools: ListedTool[];
  resources: { uri: string; name: string; description?: string | undefined; mimeType?: string | undefined }[];
  prompts: { name: string; description?: string | undefined }[];
  instructions?: string | undefined;
  /** Self-reported: for display, never identity. */
  reported?: { name: string; version: string } | undefined;
  /** What went wrong without stopping the server, in words. */
  warnings: string[];
}

export interface EraVerdict {
  era: 'legacy' | 'modern';
  version: string;
}

/** A living connection to one server. */
export interface Connection {
  readonly protocol: EraVerdict & { transport: 'stdio' | 'http' | 'sse' };
  lists(): ServerLists;
  /** `timeoutMs` counts from the last sign of progress; ten times it is the hard limit. Never throws. */
  callTool(request: Omit<ToolCallRequest, 'serverId'>, timeoutMs: number): Promise<ToolCallOutcome>;
  /** Resolves once: with the reason, or with undefined when we closed it. */
  readonly ended: Promise<ServerFailure | undefined>;
  /** Asks politely, then ends the whole tree; resolves when nothing is left. */
  close(): Promise<void>;
}

/** A tool as listed. `problem` is set when it cannot be used: it is shown with this reason, the others work on. */
export interface ListedTool {
  name: string;
  title?: string | undefined;
  description?: string | undefined;
  inputSchema: Record<string, unknown>;
  outputSchema?: Record<string, unknown> | undefined;
  annotations?: Record<string, unknown> | undefined;
  /** `icons`, as they came. */
  icons?: unknown[] | undefined;
  /** `_meta.ui`: how an interface shows it, and to whom it is offered. */
  ui?: unknown;
  /** A server of 2025-11-25 takes calls of it as tasks, be it that it demands that. */
  runsAsTask?: boolean | undefined;
  problem?: string | undefined;
}

interface Described {
  name: string;
  title?: string | undefined;
  description?: string | undefined;
  icons?: unknown[] | undefined;
  ui?: unknown;
}

/** What a server offers, as it says. All of it is data. */
export interface ServerLists {
  tools: ListedTool[];
  resources: (Described & { uri: string; mimeType?: string | undefined; size?: number | undefined })[];
  /** Resources by RFC 6570 template. `problem`: why it cannot be filled. */
  templates: (Described & { uriTemplate: string; mimeType?: string | undefined; variables: string[]; problem?: string | undefined })[];
  prompts: (Described & { arguments: (Described & { required?: boolean | undefined })[] })[];
  instructions?: string | undefined;
  /** Pictures of the server itself, as they came. */
  icons?: unknown[] | undefined;
  /** Self-reported: for display, never identity. */
  reported?: { name: string; version: string } | undefined;
  /** What went wrong without stopping the server, in words. */
  warnings: string[];
}

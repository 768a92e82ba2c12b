import { z } from 'zod';
import { AuditCheck, AuditFilter, AuditRow } from '../audit.ts';
import { at, read } from './define.ts';

/** The activity log. It is written by the host alone, and nothing removes a row. */
export const auditCommands = {
  /** Newest first; `before` is a `seq`. */
  'audit.list': read(
    {
      filter: AuditFilter.default({}),
      before: z.number().int().positive().optional(),
      limit: z.number().int().min(1).max(500).default(100),
    },
    z.strictObject({
      /** `chat` is the title of the row's chat, as long as there is one. */
      rows: z.array(AuditRow.extend({ chat: z.string().optional() })),
      hasMore: z.boolean(),
    }),
  ),
  /** A piece of the log as JSON lines, oldest first, at most 500 rows; `next` is the `after` of the next piece. */
  'audit.export': read(
    { filter: AuditFilter.default({}), after: at.default(0) },
    z.strictObject({ jsonl: z.string(), rows: at, next: at.optional() }),
  ),
  /** Reads the whole log and checks that no row was removed, changed or moved. */
  'audit.verify': read({}, z.strictObject({ check: AuditCheck })),
} as const;

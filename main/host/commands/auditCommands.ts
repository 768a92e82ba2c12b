import { databaseFile } from '../store/database.ts';
import type { CommandContext, Handlers } from './context.ts';

/** Each reads the whole log at worst, which is ours: a million rows take seconds, on a busy computer minutes. */
const timeoutMs = 600_000;
const rowsOfPiece = 500;

/** The activity log, read in worker threads: it only grows. */
export function auditCommands({ audit, pool, ports }: CommandContext): Handlers<'audit'> {
  const file = databaseFile(ports.paths.dataDir);
  return {
    'audit.list': async ({ filter, before, limit }) => {
      const found = await pool.run(
        'auditFind',
        { databaseFile: file, filter, from: { newestBefore: before }, limit: limit + 1 },
        { timeoutMs },
      );
      return {
        rows: found.slice(0, limit).map(({ row, chat }) => ({ ...row, ...(chat === undefined ? {} : { chat }) })),
        hasMore: found.length > limit,
      };
    },

    'audit.export': async ({ filter, after }) => {
      const { jsonl, rows, last } = await pool.run('auditExport', { databaseFile: file, filter, after, limit: rowsOfPiece }, { timeoutMs });
      return { jsonl, rows, ...(rows === rowsOfPiece && last !== undefined ? { next: last } : {}) };
    },

    'audit.verify': async () => {
      const accounts = await pool.run('auditAccounts', { databaseFile: file }, { timeoutMs });
      const keys = await audit.chainKeys(accounts);
      return { check: await pool.run('auditCheck', { databaseFile: file, ...keys }, { timeoutMs }) };
    },
  };
}

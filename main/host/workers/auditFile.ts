import { checkChain } from '../policy/auditChain.ts';
import { auditKeyAccounts, auditRowsAfter, findAuditRows, type StoredAuditRow } from '../store/auditRows.ts';
import { type Db, openReadOnly } from '../store/database.ts';
import type { Jobs } from './jobs.ts';

/** Rows that are read at once: the whole log may not fit the memory. */
const rowsAtOnce = 2000;

function withFile<Value>(databaseFile: string, use: (db: Db) => Value): Value {
  const db = openReadOnly(databaseFile);
  try {
    return use(db);
  } finally {
    db.close();
  }
}

export const auditAccounts = ({ databaseFile }: Jobs['auditAccounts']['input']): Jobs['auditAccounts']['output'] =>
  withFile(databaseFile, auditKeyAccounts);

export const auditFind = ({ databaseFile, ...query }: Jobs['auditFind']['input']): Jobs['auditFind']['output'] =>
  withFile(databaseFile, (db) => findAuditRows(db, query).map(({ row, chat }) => ({ row, chat })));

export const auditExport = ({ databaseFile, filter, after, limit }: Jobs['auditExport']['input']): Jobs['auditExport']['output'] =>
  withFile(databaseFile, (db) => {
    const found = findAuditRows(db, { filter, from: { oldestAfter: after }, limit });
    return {
      jsonl: found.map((each) => `${JSON.stringify(exportedRow(each))}\n`).join(''),
      rows: found.length,
      last: found.at(-1)?.row.seq,
    };
  });

export const auditCheck = ({ databaseFile, ...keys }: Jobs['auditCheck']['input']): Jobs['auditCheck']['output'] =>
  // In one transaction: the log grows meanwhile, and is looked at as it stands now.
  withFile(databaseFile, (db) => db.transaction(() => checkChain(auditRows(db), keys))());

/** The whole log, oldest first. */
export function* auditRows(db: Db): Generator<StoredAuditRow> {
  for (let after = 0; ;) {
    const rows = auditRowsAfter(db, after, rowsAtOnce);
    yield* rows;
    const last = rows.at(-1);
    if (!last || rows.length < rowsAtOnce) return;
    after = last.row.seq;
  }
}

/** A row as it is exported, with what chains it, so that whoever has the log can hold two of them beside each other. */
export const exportedRow = ({ row, digest, keyAccount, mac }: StoredAuditRow) => ({
  ...row,
  at: new Date(row.at).toISOString(),
  digest: digest.toString('hex'),
  ...(keyAccount === undefined ? {} : { key: keyAccount }),
  ...(mac === undefined ? {} : { mac: mac.toString('hex') }),
});

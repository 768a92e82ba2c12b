import type { AuditCheck } from '../../preload/contract/audit.ts';
import { readChainKeys } from './policy/audit.ts';
import { checkChain } from './policy/auditChain.ts';
import type { Log, Ports } from './ports.ts';
import { auditKeyAccounts } from './store/auditRows.ts';
import { openToRead } from './store/database.ts';
import { createSecrets } from './store/secrets.ts';
import { auditRows, exportedRow } from './workers/auditFile.ts';

/** The activity log of a data folder, for reading only: without the lock, beside a host that may be running. */
export interface AuditOfFolder {
  check(): Promise<AuditCheck>;
  /** Oldest first; read while they are taken. */
  rows(): Iterable<object>;
  close(): void;
}

/** Who only reads leaves no line in the folder's log. */
const noLog: Log = { info: () => undefined, warn: () => undefined, error: () => undefined };

/** Throws the Refusals of {@link openToRead}. */
export function openAuditOfFolder({ paths, keychain, clock, ids }: Pick<Ports, 'paths' | 'keychain' | 'clock' | 'ids'>): AuditOfFolder {
  const db = openToRead(paths.dataDir);
  return {
    async check() {
      const secrets = createSecrets(db, keychain, { ids, clock, log: noLog });
      const keys = await readChainKeys({ secrets, keychain }, auditKeyAccounts(db));
      return db.transaction(() => checkChain(auditRows(db), keys))();
    },
    *rows() {
      for (const row of auditRows(db)) yield exportedRow(row);
    },
    close: () => db.close(),
  };
}

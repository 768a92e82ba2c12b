import { randomBytes } from 'node:crypto';
import type { AuditRow } from '../../../preload/contract/audit.ts';
import type { Clock, Keychain, Log } from '../ports.ts';
import type { Redactor } from '../redact.ts';
import { messageOf } from '../refusal.ts';
import { type Db, withFullSync } from '../store/database.ts';
import { auditRowsAfter, getAuditRow, insertAuditRow, lastAuditRow, signAuditRow } from '../store/auditRows.ts';
import type { Secrets } from '../store/secrets.ts';
import { storeValue } from '../store/settings.ts';
import { type AuditAnchor, type ChainKeys, digestOf, macOf, runPrefix } from './auditChain.ts';

/** What is told of one thing that was decided or done. */
export type AuditEntry = Omit<AuditRow, 'seq' | 'at'>;

/** The activity log: one row for everything that was decided or done, chained and signed (DESIGN §3). */
export interface Audit {
  /**
   * Adds a row, in the transaction that is open if there is one. Throws where the store cannot be written: what is to be told of must
   * then not happen. Names and summary are cut, and secrets in them struck out.
   */
  append(entry: AuditEntry): void;
  /** Resolves when the keychain has answered and what was written before is signed. Never rejects. */
  readonly ready: Promise<void>;
  /** Whether rows are signed with a key that outlives this run. */
  isKept(): boolean;
  /** What the rows of these accounts are checked with. */
  chainKeys(accounts: readonly string[]): Promise<ChainKeys>;
  /** Tells the keychain how far the log has come. Call when nothing more is written, before the database is closed. */
  close(): Promise<void>;
}

const keyPurpose = 'maitre audit 1';
const rowsBetweenAnchors = 100;
const longestName = 200;
const longestSummary = 300;

const anchorAccount = (account: string): string => `${account}-audit`;
const anchorText = ({ rows, digest }: AuditAnchor): string => `${rows} ${Buffer.from(digest).toString('base64')}`;

function parseAnchor(text: string | null): AuditAnchor | undefined {
  const [, rows, digest] = /^(\d{1,15}) ([A-Za-z0-9+/]{43}=)$/.exec(text ?? '') ?? [];
  return rows === undefined || digest === undefined ? undefined : { rows: Number(rows), digest: Buffer.from(digest, 'base64') };
}

/**
 * Keys and anchors of the accounts that rows name, from the keychain alone: for whoever only reads the log. Those of the data folder are
 * always among them, for rows that name it may have been taken away.
 */
export async function readChainKeys(
  { secrets, keychain }: { secrets: Pick<Secrets, 'ready' | 'available' | 'account' | 'earlierKeyFor'>; keychain: Pick<Keychain, 'get'> },
  named: readonly string[],
): Promise<ChainKeys> {
  await secrets.ready;
  const keys = new Map<string, Buffer>();
  const anchors: AuditAnchor[] = [];
  if (!secrets.available().available) return { keys, anchors, keychain: false };
  const own = secrets.account();
  for (const account of new Set([...named, ...(own === undefined ? [] : [own])])) {
    if (account.startsWith(runPrefix)) continue;
    const key = await secrets.earlierKeyFor(keyPurpose, account);
    if (key) keys.set(account, key);
    const anchor = parseAnchor(await keychain.get(anchorAccount(account)));
    if (anchor) anchors.push(anchor);
  }
  return { keys, anchors, keychain: true };
}

export interface AuditDeps {
  db: Db;
  secrets: Pick<Secrets, 'ready' | 'available' | 'account' | 'keyFor' | 'earlierKeyFor'>;
  keychain: Keychain;
  clock: Clock;
  log: Log;
  redactor: Pick<Redactor, 'text'>;
  /** Names the key of a run without a keychain. */
  startId: string;
}

export function createAudit(deps: AuditDeps): Audit {
  const { db, secrets, keychain, clock, log } = deps;
  const firstOfRun = (lastAuditRow(db)?.seq ?? 0) + 1;
  let key: { account: string; key: Uint8Array; kept: boolean } | undefined;
  /** Undefined until the anchor of the last run was read: a new one must not take its place before. */
  let anchored: number | undefined;
  let anchorWaits = false;
  let anchoring: Promise<void> = Promise.resolve();

  const cleaned = (text: string | undefined, longest: number): string | undefined => {
    if (text === undefined) return undefined;
    // Cut behind the redaction: half a secret has no known shape.
    const clean = deps.redactor.text(text);
    return clean.length <= longest ? clean : `${clean.slice(0, longest).toWellFormed()}…`;
  };

  function append(entry: AuditEntry): void {
    const before = lastAuditRow(db);
    const serverName = cleaned(entry.serverName, longestName);
    const tool = cleaned(entry.tool, longestName);
    const summary = cleaned(entry.summary, longestSummary);
    const row: AuditRow = {
      ...entry,
      seq: (before?.seq ?? 0) + 1,
      at: clock.now(),
      ...(serverName === undefined ? {} : { serverName }),
      ...(tool === undefined ? {} : { tool }),
      ...(summary === undefined ? {} : { summary }),
    };
    const digest = digestOf(before?.digest, row);
    insertAuditRow(db, { row, digest, keyAccount: key?.account, mac: key && macOf(key.key, digest) });
    // The first at once: else a log could be emptied unseen before it has come to a hundred rows.
    if (row.seq % rowsBetweenAnchors === 0 || anchored === 0) anchorSoon();
  }

  function anchorSoon(): void {
    if (anchorWaits) return;
    anchorWaits = true;
    soon(() => {
      anchorWaits = false;
      return anchor();
    });
  }

  /** One after the other, and never inside the transaction that a row is added in. */
  function soon(run: () => Promise<void>): void {
    anchoring = anchoring.then(run).catch((error: unknown) => {
      log.warn('The keychain could not be told how far the activity log has come.', { error: messageOf(error) });
    });
  }

  async function anchor(): Promise<void> {
    const last = lastAuditRow(db);
    if (!key?.kept || !last || anchored === undefined || last.seq === anchored) return;
    // The rows must be on the disk before the keychain swears to them: else a power cut would look like a removal.
    withFullSync(db, () => storeValue(db, 'audit.anchored', String(last.seq)));
    await keychain.set(anchorAccount(key.account), anchorText({ rows: last.seq, digest: last.digest }));
    anchored = last.seq;
  }

  /** What was written before the keychain answered. Rows that an earlier run left unsigned stay so: nobody knows who wrote them. */
  function signOwnRows(account: string, bytes: Uint8Array): void {
    for (const { row, digest, mac } of auditRowsAfter(db, firstOfRun - 1, Number.MAX_SAFE_INTEGER)) {
      if (mac === undefined) signAuditRow(db, row.seq, account, macOf(bytes, digest));
    }
  }

  /** Once a newer anchor is set, the keychain knows of no missing row any more: the log itself has to tell. */
  function compareWith(stored: AuditAnchor): boolean {
    const found = getAuditRow(db, stored.rows);
    if (found?.digest.equals(stored.digest)) return true;
    const rows = firstOfRun - 1;
    log.error('The activity log is not as it was left.', { rows, anchored: stored.rows });
    append({
      kind: 'log.damaged',
      code: stored.rows > rows ? 'truncated' : 'changed',
      summary:
        stored.rows > rows
          ? `There were ${stored.rows} rows, and ${rows} were left.`
          : `A row up to ${stored.rows} is not the one that was written.`,
    });
    return false;
  }

  async function begin(): Promise<void> {
    const kept = await secrets.keyFor(keyPurpose);
    key = kept ? { ...kept, kept: true } : { account: `${runPrefix}${deps.startId}`, key: randomBytes(32), kept: false };
    db.transaction(signOwnRows)(key.account, key.key);
    if (!kept) return;
    const stored = parseAnchor(await keychain.get(anchorAccount(kept.account)));
    anchored = stored?.rows ?? 0;
    if (!stored || !compareWith(stored)) anchorSoon();
  }

  const ready = begin().catch((error: unknown) => {
    log.error('The activity log could not be made ready.', { error: messageOf(error) });
  });

  return {
    append,
    ready,
    isKept: () => key?.kept === true,
    async chainKeys(accounts) {
      const read = await readChainKeys(deps, accounts);
      if (!key) return read;
      const keys = new Map<string, Uint8Array>(read.keys);
      keys.set(key.account, key.key);
      return { ...read, keys };
    },
    async close() {
      // A keychain that still asks for its password does not hold up the quit.
      if (!key) return;
      anchorSoon();
      await anchoring;
    },
  };
}

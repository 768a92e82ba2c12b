import { createHash, createHmac, timingSafeEqual } from 'node:crypto';
import type { AuditCheck, AuditRow } from '../../../preload/contract/audit.ts';
import { columnsOf, type StoredAuditRow } from '../store/auditRows.ts';

/** Begins the account of a key that was kept in memory only and ended with its run. */
export const runPrefix = 'run:';

/** What the keychain holds besides a key: how far the log had come, so that missing newest rows show. */
export interface AuditAnchor {
  rows: number;
  /** Of the row with that number. */
  digest: Uint8Array;
}

/** What a row says, as one text that no other row shares. */
const textOf = (row: AuditRow): string => JSON.stringify(columnsOf(row));

/** SHA-256 of the digest before and the row: so one signature speaks for all rows up to its own, whoever signed those. */
export function digestOf(before: Uint8Array | undefined, row: AuditRow): Buffer {
  const hash = createHash('sha256');
  if (before) hash.update(before);
  return hash.update(textOf(row)).digest();
}

export const macOf = (key: Uint8Array, digest: Uint8Array): Buffer => createHmac('sha256', key).update(digest).digest();

const same = (a: Uint8Array, b: Uint8Array): boolean => a.length === b.length && timingSafeEqual(a, b);

export interface ChainKeys {
  /** By account. A signature of an account that is not among them cannot be checked. */
  keys: ReadonlyMap<string, Uint8Array>;
  anchors: readonly AuditAnchor[];
  /** Whether the keychain has answered: then a key that is not among `keys` is lost, and not only out of reach. */
  keychain: boolean;
}

/**
 * Reads the log from its first row and says what is wrong with the first that is. `rows` come oldest first; they are read once.
 * Pure. What it cannot see: rows that were removed behind the last anchor, and changes of unsigned rows before the next signed one.
 */
export function checkChain(rows: Iterable<StoredAuditRow>, { keys, anchors, keychain }: ChainKeys): AuditCheck {
  let count = 0;
  let before: Buffer | undefined;
  /** The first of the newest rows that no signature speaks for. */
  let unsure: { seq: number; otherKey: number | undefined } | undefined;
  let recorded: number | undefined;

  for (const { row, digest, keyAccount, mac } of rows) {
    const { seq } = row;
    if (seq !== count + 1) return removed(count, count + 1, seq - 1);
    if (!same(digestOf(before, row), digest)) return changed(count, seq, seq);
    const anchor = anchors.find((each) => each.rows === seq);
    if (anchor && !same(anchor.digest, digest)) return changed(seq, unsure?.seq ?? seq, seq);
    const key = keyAccount === undefined ? undefined : keys.get(keyAccount);
    if (key) {
      if (!mac || !same(macOf(key, digest), mac)) return changed(seq, unsure?.seq ?? seq, seq);
      unsure = undefined;
    } else {
      unsure ??= { seq, otherKey: undefined };
      if (keychain && keyAccount !== undefined && !keyAccount.startsWith(runPrefix)) unsure.otherKey ??= seq;
    }
    if (row.kind === 'log.damaged') recorded ??= seq;
    before = digest;
    count = seq;
  }

  const missing = Math.max(0, ...anchors.map((anchor) => anchor.rows));
  if (missing > count) return truncated(count, missing);
  if (unsure?.otherKey !== undefined) return otherKey(count, unsure.otherKey);
  if (recorded !== undefined) return recordedIn(count, recorded);
  if (!keychain) return noKeychain(count, unsure?.seq);
  if (unsure) return otherRun(count, unsure.seq);
  return { state: 'intact', code: 'intact', rows: count, text: `Nothing was removed or changed. ${inRows(count)}` };
}

const inRows = (rows: number): string => (rows === 1 ? 'The log has 1 row.' : `The log has ${rows} rows.`);
const rowsFrom = (from: number, to: number): string => (from === to ? `Row ${from}` : `Rows ${from} to ${to}`);
const were = (from: number, to: number): string => `${rowsFrom(from, to)} ${from === to ? 'was' : 'were'}`;

const removed = (rows: number, seq: number, to: number): AuditCheck => ({
  state: 'broken',
  code: 'removed',
  rows,
  seq,
  to,
  text: `${were(seq, to)} removed.`,
});

const changed = (rows: number, seq: number, to: number): AuditCheck => ({
  state: 'broken',
  code: 'changed',
  rows,
  seq,
  to,
  text: seq === to ? `Row ${seq} was changed or moved.` : `A row between ${seq} and ${to} was changed.`,
});

const truncated = (rows: number, to: number): AuditCheck => ({
  state: 'broken',
  code: 'truncated',
  rows,
  seq: rows + 1,
  to,
  text: `${were(rows + 1, to)} removed from the end of the log.`,
});

const otherKey = (rows: number, seq: number): AuditCheck => ({
  state: 'broken',
  code: 'otherKey',
  rows,
  seq,
  to: rows,
  text: `From row ${seq} on the log is signed with a key that the keychain does not hold: either the keychain has lost it, or somebody else wrote these rows.`,
});

const recordedIn = (rows: number, seq: number): AuditCheck => ({
  state: 'broken',
  code: 'recorded',
  rows,
  seq,
  text: `Row ${seq} tells that rows before it were missing or changed when Maitre started. Nothing was removed or changed since.`,
});

const noKeychain = (rows: number, seq: number | undefined): AuditCheck => ({
  state: 'unchecked',
  code: 'noKeychain',
  rows,
  ...(seq === undefined ? {} : { seq, to: rows }),
  text:
    seq === undefined
      ? `There is no keychain that answers, so the log can be checked only as long as Maitre runs: ${inRows(rows)} Nothing was removed or changed since it was started; what was written before cannot be checked.`
      : `There is no keychain that answers, so ${seq === rows ? `row ${seq}` : `rows ${seq} to ${rows}`} cannot be checked: their order is whole, but whoever can write to the data folder could have changed them.`,
});

const otherRun = (rows: number, seq: number): AuditCheck => ({
  state: 'unchecked',
  code: 'otherRun',
  rows,
  seq,
  to: rows,
  text: `${were(seq, rows)} written while there was no keychain and cannot be checked. Nothing before was removed or changed.`,
});

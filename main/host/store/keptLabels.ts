import { type Db, prepared } from './database.ts';

interface Pair {
  untrusted: boolean;
  private: boolean;
}
interface Row {
  untrusted: number | null;
  private: number | null;
}

/** Adds labels to what a store keeps under a name; a label once set stays. `name` '': anything in the store. */
export function addKeptLabels(db: Db, store: string, name: string, labels: Pair): void {
  prepared(
    db,
    `INSERT INTO remembered_labels (store, name, untrusted, private) VALUES (?, ?, ?, ?)
     ON CONFLICT (store, name) DO UPDATE SET untrusted = max(untrusted, excluded.untrusted), private = max(private, excluded.private)`,
  ).run(store, name, Number(labels.untrusted), Number(labels.private));
}

const pairOf = (row: Row | undefined): Pair => ({ untrusted: row?.untrusted === 1, private: row?.private === 1 });

/** The union over everything in a store. */
export const keptLabels = (db: Db, store: string): Pair =>
  pairOf(
    prepared<[string], Row>(db, 'SELECT max(untrusted) AS untrusted, max(private) AS private FROM remembered_labels WHERE store = ?').get(
      store,
    ),
  );

/** The union over what stands under these names, and over what stands under none. */
export const keptLabelsUnder = (db: Db, store: string, names: readonly string[]): Pair =>
  pairOf(
    prepared<[string, string], Row>(
      db,
      `SELECT max(untrusted) AS untrusted, max(private) AS private FROM remembered_labels
       WHERE store = ? AND (name = '' OR name IN (SELECT value FROM json_each(?)))`,
    ).get(store, JSON.stringify(names)),
  );

export function removeKeptLabels(db: Db, store: string): void {
  prepared(db, 'DELETE FROM remembered_labels WHERE store = ?').run(store);
}

export function hasKeptLabels(db: Db, store: string): boolean {
  return prepared<[string]>(db, 'SELECT 1 FROM remembered_labels WHERE store = ? LIMIT 1').get(store) !== undefined;
}

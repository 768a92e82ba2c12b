import type { ServerId } from '../../../preload/contract/ids.ts';
import { type Db, prepared } from './database.ts';

/** The user's word on what a server returns; a label that he said nothing of is undefined. */
export interface ContentWord {
  untrusted: boolean | undefined;
  private: boolean | undefined;
}

const wordOf = (value: number | null | undefined): boolean | undefined => (value == null ? undefined : value === 1);

export function getContentWord(db: Db, id: ServerId): ContentWord {
  const row = prepared<[string], { untrusted: number | null; private: number | null }>(
    db,
    'SELECT untrusted, private FROM server_content WHERE server_id = ?',
  ).get(id);
  return { untrusted: wordOf(row?.untrusted), private: wordOf(row?.private) };
}

/** Sets what is given and leaves the rest; null takes the user's word back. */
export function setContentWord(
  db: Db,
  id: ServerId,
  patch: { untrusted?: boolean | null | undefined; private?: boolean | null | undefined },
): void {
  const next = (said: boolean | null | undefined, before: boolean | undefined): number | null =>
    said === undefined ? (before === undefined ? null : Number(before)) : said === null ? null : Number(said);
  const before = getContentWord(db, id);
  prepared(
    db,
    `INSERT INTO server_content (server_id, untrusted, private) VALUES (?, ?, ?)
     ON CONFLICT (server_id) DO UPDATE SET untrusted = excluded.untrusted, private = excluded.private`,
  ).run(id, next(patch.untrusted, before.untrusted), next(patch.private, before.private));
}

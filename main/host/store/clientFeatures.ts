import type { ServerId } from '../../../preload/contract/ids.ts';
import { type Db, prepared } from './database.ts';

/** What a server is told and may ask. `folders` are real paths, in the user's order. */
export interface StoredClientFeatures {
  folders: string[];
  /** The user chose the folders, were it none. */
  foldersChosen: boolean;
  questionsBlocked: boolean;
  deprecatedInModern: boolean;
  sendsTraceIds: boolean;
}

export function getClientFeatures(db: Db, id: ServerId): StoredClientFeatures {
  const row = prepared<
    [string],
    { folders_chosen: number; questions_blocked: number; deprecated_in_modern: number; sends_trace_ids: number }
  >(db, 'SELECT folders_chosen, questions_blocked, deprecated_in_modern, sends_trace_ids FROM client_features WHERE server_id = ?').get(id);
  const folders = prepared<[string], { path: string }>(db, 'SELECT path FROM told_folders WHERE server_id = ? ORDER BY position')
    .all(id)
    .map(({ path }) => path);
  return {
    folders,
    foldersChosen: row?.folders_chosen === 1,
    questionsBlocked: row?.questions_blocked === 1,
    deprecatedInModern: row?.deprecated_in_modern === 1,
    sendsTraceIds: row?.sends_trace_ids === 1,
  };
}

/** Sets what is given and leaves the rest. Setting `folders` is a choice of them. */
export function setClientFeatures(
  db: Db,
  id: ServerId,
  patch: {
    folders?: string[] | undefined;
    questionsBlocked?: boolean | undefined;
    deprecatedInModern?: boolean | undefined;
    sendsTraceIds?: boolean | undefined;
  },
): void {
  db.transaction(() => {
    db.prepare('INSERT OR IGNORE INTO client_features (server_id) VALUES (?)').run(id);
    if (patch.folders !== undefined) {
      db.prepare('DELETE FROM told_folders WHERE server_id = ?').run(id);
      const insert = db.prepare('INSERT INTO told_folders (server_id, path, position) VALUES (?, ?, ?)');
      [...new Set(patch.folders)].forEach((path, position) => insert.run(id, path, position));
      db.prepare('UPDATE client_features SET folders_chosen = 1 WHERE server_id = ?').run(id);
    }
    if (patch.questionsBlocked !== undefined)
      db.prepare('UPDATE client_features SET questions_blocked = ? WHERE server_id = ?').run(Number(patch.questionsBlocked), id);
    if (patch.deprecatedInModern !== undefined)
      db.prepare('UPDATE client_features SET deprecated_in_modern = ? WHERE server_id = ?').run(Number(patch.deprecatedInModern), id);
    if (patch.sendsTraceIds !== undefined)
      db.prepare('UPDATE client_features SET sends_trace_ids = ? WHERE server_id = ?').run(Number(patch.sendsTraceIds), id);
  })();
}

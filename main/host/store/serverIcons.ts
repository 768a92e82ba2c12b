import type { ServerId } from '../../../preload/contract/ids.ts';
import type { Db } from './database.ts';

/** A picture that was checked, and when it was read, in milliseconds since 1970. */
export interface StoredIcon {
  mimeType: string;
  bytes: Uint8Array;
  readAt: number;
}

/** Of one server no more are kept; the oldest go first. */
const maxKept = 64;

export function getServerIcon(db: Db, id: ServerId, icon: string, theme: 'light' | 'dark'): StoredIcon | undefined {
  return db
    .prepare<[string, string, string], StoredIcon>(
      'SELECT mime_type AS mimeType, bytes, read_at AS readAt FROM server_icons WHERE server_id = ? AND icon = ? AND theme = ?',
    )
    .get(id, icon, theme);
}

export function setServerIcon(db: Db, id: ServerId, icon: string, theme: 'light' | 'dark', stored: StoredIcon): void {
  db.transaction(() => {
    db.prepare('INSERT OR REPLACE INTO server_icons (server_id, icon, theme, mime_type, bytes, read_at) VALUES (?, ?, ?, ?, ?, ?)').run(
      id,
      icon,
      theme,
      stored.mimeType,
      stored.bytes,
      stored.readAt,
    );
    db.prepare(
      'DELETE FROM server_icons WHERE server_id = ? AND rowid NOT IN (SELECT rowid FROM server_icons WHERE server_id = ? ORDER BY read_at DESC, rowid DESC LIMIT ?)',
    ).run(id, id, maxKept);
  })();
}

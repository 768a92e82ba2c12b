import { z } from 'zod';
import { ServerId } from '../../../preload/contract/ids.ts';
import { Effect } from '../../../preload/contract/policy.ts';
import { LogLevel } from '../../../preload/contract/servers.ts';
import type { Ids } from '../ports.ts';
import type { Db } from './database.ts';
import { removeDefinitions } from './definitions.ts';
import { removeSamplingRows } from './samplingRows.ts';
import { removeAgreedViews, setShowsViews } from './views.ts';

/** What hangs on a server's id. The configuration itself stands in servers.json. */

/** The hash of the configuration that the user agreed to start. */
export function getConsent(db: Db, id: ServerId): { configHash: string; at: number } | undefined {
  const row = db
    .prepare<[string], { consent_hash: string | null; consent_at: number | null }>(
      'SELECT consent_hash, consent_at FROM servers WHERE id = ?',
    )
    .get(id);
  return row?.consent_hash == null ? undefined : { configHash: row.consent_hash, at: row.consent_at ?? 0 };
}

export function setConsent(db: Db, id: ServerId, configHash: string, at: number): void {
  db.prepare(
    `INSERT INTO servers (id, consent_hash, consent_at) VALUES (?, ?, ?)
     ON CONFLICT (id) DO UPDATE SET consent_hash = excluded.consent_hash, consent_at = excluded.consent_at`,
  ).run(id, configHash, at);
}

export function withdrawConsent(db: Db, id: ServerId): void {
  db.prepare('UPDATE servers SET consent_hash = NULL, consent_at = NULL WHERE id = ?').run(id);
}

/** What the server listed in its last connection, as it was given to {@link setCached}: the server's words, so parse it before use. */
export function getCached(db: Db, id: ServerId): { value: unknown; at: number } | undefined {
  const row = db
    .prepare<[string], { cached: string | null; cached_at: number | null }>('SELECT cached, cached_at FROM servers WHERE id = ?')
    .get(id);
  return row?.cached == null ? undefined : { value: JSON.parse(row.cached), at: row.cached_at ?? 0 };
}

/** `value` must be JSON. */
export function setCached(db: Db, id: ServerId, value: unknown, at: number): void {
  db.prepare(
    `INSERT INTO servers (id, cached, cached_at) VALUES (?, ?, ?)
     ON CONFLICT (id) DO UPDATE SET cached = excluded.cached, cached_at = excluded.cached_at`,
  ).run(id, JSON.stringify(value), at);
}

/** Which generation of the protocol the server was found to speak; undefined for another configuration or when it has expired. */
export function getEra(db: Db, id: ServerId, configHash: string, now: number): unknown {
  const era = db
    .prepare<[string, string, number], string>('SELECT era FROM servers WHERE id = ? AND era_hash = ? AND era_expires_at > ?')
    .pluck()
    .get(id, configHash, now);
  return era == null ? undefined : JSON.parse(era);
}

/** `verdict` must be JSON. */
export function setEra(db: Db, id: ServerId, verdict: unknown, configHash: string, expiresAt: number): void {
  db.prepare(
    `INSERT INTO servers (id, era, era_hash, era_expires_at) VALUES (?, ?, ?, ?)
     ON CONFLICT (id) DO UPDATE SET era = excluded.era, era_hash = excluded.era_hash, era_expires_at = excluded.era_expires_at`,
  ).run(id, JSON.stringify(verdict), configHash, expiresAt);
}

export function forgetEra(db: Db, id: ServerId): void {
  db.prepare('UPDATE servers SET era = NULL, era_hash = NULL, era_expires_at = NULL WHERE id = ?').run(id);
}

/** From which level on the server is asked to log; undefined: not at all. */
export function getLogLevel(db: Db, id: ServerId): LogLevel | undefined {
  const level = db.prepare<[string], string | null>('SELECT log_level FROM servers WHERE id = ?').pluck().get(id);
  return level == null ? undefined : LogLevel.parse(level);
}

export function setLogLevel(db: Db, id: ServerId, level: LogLevel | undefined): void {
  db.prepare('INSERT INTO servers (id, log_level) VALUES (?, ?) ON CONFLICT (id) DO UPDATE SET log_level = excluded.log_level').run(
    id,
    level ?? null,
  );
}

const StoredEffects = z.array(Effect).min(1);

/** Effects the user gave the server's tools, by the tool's name. */
export function getToolEffects(db: Db, id: ServerId): Map<string, Effect[]> {
  const rows = db
    .prepare<[string], { tool: string; effects: string }>('SELECT tool, effects FROM tool_effects WHERE server_id = ?')
    .all(id);
  return new Map(rows.map((row) => [row.tool, StoredEffects.parse(JSON.parse(row.effects))]));
}

/** An empty list takes the user's word back. */
export function setToolEffects(db: Db, id: ServerId, tool: string, effects: readonly Effect[], at: number): void {
  if (effects.length === 0) {
    db.prepare('DELETE FROM tool_effects WHERE server_id = ? AND tool = ?').run(id, tool);
    return;
  }
  db.prepare(
    `INSERT INTO tool_effects (server_id, tool, effects, set_at) VALUES (?, ?, ?, ?)
     ON CONFLICT (server_id, tool) DO UPDATE SET effects = excluded.effects, set_at = excluded.set_at`,
  ).run(id, tool, JSON.stringify([...new Set(effects)]), at);
}

/** What the user said of the server's tools, what of them he agreed to, and what he allowed them. What he denied stays denied. */
export function removeGrants(db: Db, id: ServerId): void {
  db.prepare('DELETE FROM tool_effects WHERE server_id = ?').run(id);
  db.prepare("DELETE FROM rules WHERE server_id = ? AND verdict = 'allow'").run(id);
  db.prepare('DELETE FROM server_content WHERE server_id = ?').run(id);
  db.prepare('DELETE FROM sampling_waivers WHERE server_id = ?').run(id);
  removeDefinitions(db, id);
  removeAgreedViews(db, id);
}

/** Everything that hung on the id: consent, cached lists, era, effects, rules, ids of files. Secrets are removed by their own store. */
export function deleteServerRows(db: Db, id: ServerId): void {
  db.transaction(() => {
    db.prepare('DELETE FROM servers WHERE id = ?').run(id);
    db.prepare('DELETE FROM tool_effects WHERE server_id = ?').run(id);
    db.prepare('DELETE FROM rules WHERE server_id = ?').run(id);
    db.prepare('DELETE FROM tasks WHERE server_id = ?').run(id);
    db.prepare('DELETE FROM file_server_ids WHERE server_id = ?').run(id);
    db.prepare('DELETE FROM told_folders WHERE server_id = ?').run(id);
    db.prepare('DELETE FROM client_features WHERE server_id = ?').run(id);
    removeSamplingRows(db, id);
    db.prepare('DELETE FROM server_icons WHERE server_id = ?').run(id);
    db.prepare('DELETE FROM server_content WHERE server_id = ?').run(id);
    // What the bundled memory keeps stands under a key of its own, since its file stays.
    db.prepare('DELETE FROM remembered_labels WHERE store = ?').run(id);
    removeDefinitions(db, id);
    removeAgreedViews(db, id);
    setShowsViews(db, id, true);
  })();
}

/** Whether anything is known of the id. An entry of servers.json with an id that nobody gave inherits nothing. */
export function isKnownServer(db: Db, id: ServerId): boolean {
  return db.prepare<[string], number>('SELECT 1 FROM servers WHERE id = ?').pluck().get(id) !== undefined;
}

/** Makes an id known, before its entry is written to servers.json. */
export function insertServer(db: Db, id: ServerId): void {
  db.prepare('INSERT OR IGNORE INTO servers (id) VALUES (?)').run(id);
}

/** The id of one entry of a file named on a command line, the same every time. `realPath` has its links resolved. */
export function idOfFileEntry(db: Db, realPath: string, key: string, ids: Ids): ServerId {
  return db
    .transaction((): ServerId => {
      const stored = db
        .prepare<[string, string], string>('SELECT server_id FROM file_server_ids WHERE path = ? AND key = ?')
        .pluck()
        .get(realPath, key);
      if (stored !== undefined) return ServerId.parse(stored);
      const id = ServerId.parse(ids());
      db.prepare('INSERT INTO file_server_ids (path, key, server_id) VALUES (?, ?, ?)').run(realPath, key, id);
      insertServer(db, id);
      return id;
    })
    .immediate();
}

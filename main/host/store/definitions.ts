import { z } from 'zod';
import { DefinitionKind } from '../../../preload/contract/definitions.ts';
import type { ServerId } from '../../../preload/contract/ids.ts';
import { type Db, prepared } from './database.ts';

const Value = z.record(z.string(), z.unknown());

/** A definition as it was agreed to. `hash` is the SHA-256 of its canonical JSON (RFC 8785), in hex. */
export interface AgreedDefinition {
  kind: DefinitionKind;
  name: string;
  hash: string;
  value: Record<string, unknown>;
  /** Switched off by the person: no model is offered it. */
  isOff: boolean;
}

/** What the person said of the definitions of one server, by {@link definitionKey}. */
export interface DefinitionChoices {
  agreed: ReadonlyMap<string, AgreedDefinition>;
  /** Hashes of definitions that were looked at and left as they were. */
  left: ReadonlyMap<string, string>;
}

export const definitionKey = (kind: DefinitionKind, name: string): string => `${kind} ${name}`;

export function definitionChoices(db: Db, serverId: ServerId): DefinitionChoices {
  const agreed = db
    .prepare<[string], { kind: string; name: string; hash: string; definition: string; is_off: number }>(
      'SELECT kind, name, hash, definition, is_off FROM definitions WHERE server_id = ?',
    )
    .all(serverId)
    .map((row): AgreedDefinition => ({
      kind: DefinitionKind.parse(row.kind),
      name: row.name,
      hash: row.hash,
      value: Value.parse(JSON.parse(row.definition)),
      isOff: row.is_off === 1,
    }));
  const left = db
    .prepare<[string], { kind: string; name: string; hash: string }>('SELECT kind, name, hash FROM definitions_left WHERE server_id = ?')
    .all(serverId);
  return {
    agreed: new Map(agreed.map((definition) => [definitionKey(definition.kind, definition.name), definition])),
    left: new Map(left.map((row) => [definitionKey(DefinitionKind.parse(row.kind), row.name), row.hash])),
  };
}

/** The tools and instructions that were agreed to of a server and are not switched off, without what they say. */
export const usedDefinitions = (db: Db, serverId: ServerId): { kind: 'tool' | 'instructions'; name: string; hash: string }[] =>
  prepared<[string], { kind: 'tool' | 'instructions'; name: string; hash: string }>(
    db,
    "SELECT kind, name, hash FROM definitions WHERE server_id = ? AND is_off = 0 AND kind IN ('tool', 'instructions')",
  ).all(serverId);

/** What was agreed to under a name; undefined where nothing was. */
export function agreedValue(db: Db, serverId: ServerId, kind: DefinitionKind, name: string): Record<string, unknown> | undefined {
  const row = prepared<[string, string, string], { definition: string }>(
    db,
    'SELECT definition FROM definitions WHERE server_id = ? AND kind = ? AND name = ?',
  ).get(serverId, kind, name);
  return row && Value.parse(JSON.parse(row.definition));
}

export function setAgreed(db: Db, serverId: ServerId, { kind, name, hash, value, isOff }: AgreedDefinition, at: number): void {
  db.prepare(
    `INSERT INTO definitions (server_id, kind, name, hash, definition, accepted_at, is_off) VALUES (?, ?, ?, ?, ?, ?, ?)
     ON CONFLICT (server_id, kind, name) DO UPDATE SET hash = excluded.hash, definition = excluded.definition,
       accepted_at = excluded.accepted_at, is_off = excluded.is_off`,
  ).run(serverId, kind, name, hash, JSON.stringify(value), at, isOff ? 1 : 0);
  db.prepare('DELETE FROM definitions_left WHERE server_id = ? AND kind = ? AND name = ?').run(serverId, kind, name);
}

export function setOff(db: Db, serverId: ServerId, kind: DefinitionKind, name: string, isOff: boolean): void {
  db.prepare('UPDATE definitions SET is_off = ? WHERE server_id = ? AND kind = ? AND name = ?').run(isOff ? 1 : 0, serverId, kind, name);
}

export function setLeft(db: Db, serverId: ServerId, kind: DefinitionKind, name: string, hash: string): void {
  db.prepare(
    `INSERT INTO definitions_left (server_id, kind, name, hash) VALUES (?, ?, ?, ?)
     ON CONFLICT (server_id, kind, name) DO UPDATE SET hash = excluded.hash`,
  ).run(serverId, kind, name, hash);
}

/** What was agreed to is not there any more and will not be waited for. */
export function removeAgreed(db: Db, serverId: ServerId, kind: DefinitionKind, name: string): void {
  db.prepare('DELETE FROM definitions WHERE server_id = ? AND kind = ? AND name = ?').run(serverId, kind, name);
}

/** Everything that was said of the definitions of a server: of another program nothing of it holds. */
export function removeDefinitions(db: Db, serverId: ServerId): void {
  db.prepare('DELETE FROM definitions WHERE server_id = ?').run(serverId);
  db.prepare('DELETE FROM definitions_left WHERE server_id = ?').run(serverId);
}

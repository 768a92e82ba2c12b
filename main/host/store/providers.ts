import { z } from 'zod';
import { ModelInfo } from '../../../preload/contract/models.ts';
import type { Db } from './database.ts';

/** An OpenAI-compatible endpoint that the person added. */
export interface CustomProvider {
  id: string;
  name: string;
  baseUrl: string;
  createdAt: number;
}

/** Oldest first. */
export function listCustomProviders(db: Db): CustomProvider[] {
  return db
    .prepare<[], CustomProvider>('SELECT id, name, base_url AS baseUrl, created_at AS createdAt FROM providers ORDER BY created_at, id')
    .all();
}

export function insertCustomProvider(db: Db, provider: CustomProvider): void {
  db.prepare('INSERT INTO providers (id, name, base_url, created_at) VALUES (@id, @name, @baseUrl, @createdAt)').run(provider);
}

/** Its model list goes with it. */
export function deleteCustomProvider(db: Db, id: string): void {
  db.transaction(() => {
    db.prepare('DELETE FROM providers WHERE id = ?').run(id);
    db.prepare('DELETE FROM model_lists WHERE provider_id = ?').run(id);
  })();
}

/** The models a provider listed the last time it was asked; undefined when never, or when the stored list fits no more. */
export function getModelList(db: Db, providerId: string): { models: ModelInfo[]; fetchedAt: number } | undefined {
  const row = db
    .prepare<[string], { models: string; fetched_at: number }>('SELECT models, fetched_at FROM model_lists WHERE provider_id = ?')
    .get(providerId);
  if (!row) return undefined;
  const parsed = z.array(ModelInfo).safeParse(JSON.parse(row.models));
  return parsed.success ? { models: parsed.data, fetchedAt: row.fetched_at } : undefined;
}

export function setModelList(db: Db, providerId: string, models: readonly ModelInfo[], fetchedAt: number): void {
  db.prepare(
    `INSERT INTO model_lists (provider_id, models, fetched_at) VALUES (?, ?, ?)
     ON CONFLICT (provider_id) DO UPDATE SET models = excluded.models, fetched_at = excluded.fetched_at`,
  ).run(providerId, JSON.stringify(models), fetchedAt);
}

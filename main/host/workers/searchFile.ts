import { openReadOnly, type Db } from '../store/database.ts';
import { search } from '../store/search.ts';
import type { Jobs } from './jobs.ts';

/** Kept open between searches: opening costs more than most of them. Closed with the worker. */
const connections = new Map<string, Db>();

export function searchFile({ databaseFile, query, limit }: Jobs['search']['input']): Jobs['search']['output'] {
  let db = connections.get(databaseFile);
  if (!db) {
    db = openReadOnly(databaseFile);
    connections.set(databaseFile, db);
  }
  return search(db, query, limit);
}

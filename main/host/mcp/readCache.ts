import { InMemoryResponseCacheStore, MAX_CACHE_TTL_MS } from '@modelcontextprotocol/client';
import type { Clock } from '../ports.ts';
import { isRecord } from './rawResults.ts';

/** Results that may be cached, by method (2026-07-28 "Caching"). */
type CachedMethod = 'tools/list' | 'resources/list' | 'resources/templates/list' | 'prompts/list' | 'resources/read';

/** Answers of one server that it allows to be used again. `params`: the cursor of a page or the address of a resource, else empty. */
export interface ReadCache {
  /** A fresh answer; undefined where there is none, or where it was kept under another sign-in. */
  read(method: CachedMethod, params: string): Record<string, unknown> | undefined;
  isFresh(method: CachedMethod, params: string): boolean;
  /** To be taken before a request whose answer shall be kept. */
  asOf(): number;
  /** Keeps nothing when anything was forgotten since `asOf`: the answer may be from before the change. */
  keep(method: CachedMethod, params: string, result: Record<string, unknown>, asOf: number): void;
  /** Forgets all pages of a list, or one resource. */
  forget(method: CachedMethod, params?: string): void;
}

/** A larger answer is asked for again, in characters of JSON. */
const maxKept = 1024 * 1024;
const maxResources = 64;
const scopes = ['private', 'public'] as const;

/**
 * Keeps whole results as they came, page by page, each with a clock of its own. A negative or missing `ttlMs` counts as 0, a missing
 * `cacheScope` as private; nothing is kept for longer than a day. The client's own cache stands behind methods that check and
 * join whole lists, which is not wanted here, so only its store is used.
 *
 * @param authorizationKey who is signed in now: what is private is found under the same key only.
 */
export function createReadCache(clock: Clock, authorizationKey: () => string): ReadCache {
  const store = new InMemoryResponseCacheStore({ maxEntries: maxResources });
  const owners = new Set<string>();
  let forgotten = 0;
  const keyOf = (method: CachedMethod, params: string, scope: (typeof scopes)[number], owner: string) => ({
    method,
    params,
    partition: JSON.stringify([scope, scope === 'public' ? '' : owner]),
  });

  const fresh = (method: CachedMethod, params: string): string | undefined => {
    for (const scope of scopes) {
      const entry = store.get(keyOf(method, params, scope, authorizationKey()));
      if (entry && (entry.expiresAt ?? 0) > clock.now()) return entry.value;
    }
    return undefined;
  };

  return {
    read(method, params) {
      const kept: unknown = JSON.parse(fresh(method, params) ?? 'null');
      return isRecord(kept) ? kept : undefined;
    },

    isFresh: (method, params) => fresh(method, params) !== undefined,

    asOf: () => forgotten,

    keep(method, params, result, asOf) {
      const ttl = ttlOf(result);
      if (ttl <= 0 || asOf !== forgotten) return;
      const value = JSON.stringify(result);
      if (value.length > maxKept) return;
      const scope = result['cacheScope'] === 'public' ? 'public' : 'private';
      const owner = authorizationKey();
      owners.add(owner);
      store.set(keyOf(method, params, scope, owner), { value, expiresAt: clock.now() + ttl, scope });
    },

    forget(method, params) {
      forgotten += 1;
      if (params === undefined) return store.evict(method);
      for (const owner of owners) for (const scope of scopes) store.delete(keyOf(method, params, scope, owner));
    },
  };
}

/** Milliseconds for which a result is fresh. */
export function ttlOf(result: Record<string, unknown>): number {
  const { ttlMs } = result;
  return typeof ttlMs === 'number' && ttlMs > 0 ? Math.min(ttlMs, MAX_CACHE_TTL_MS) : 0;
}

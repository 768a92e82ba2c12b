import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto';
import type { Clock, Ids, Keychain, Log } from '../ports.ts';
import { messageOf } from '../refusal.ts';
import type { Db } from './database.ts';
import { storedValue, storeValue } from './settings.ts';

/** Where a secret is: in the data folder under the keychain's key, in memory until quit, or nowhere that can be read. */
export type SecretPlace = 'stored' | 'memoryOnly' | 'missing';

/** Secrets by owner (`provider:ID`, `server:ID`) and name. They go in and never come out, save to the host's own calls. */
export interface Secrets {
  /** Resolves when the keychain has answered, one way or the other. Never rejects. It may be asking the person for a password. */
  readonly ready: Promise<void>;
  /** What is known now. `reason` is a sentence for the person. */
  available(): { available: boolean; reason?: string };
  /** Waits for the keychain. Without one the value stays in memory and nothing is written. */
  set(owner: string, name: string, value: string): Promise<Exclude<SecretPlace, 'missing'>>;
  /** Waits for the keychain. */
  get(owner: string, name: string): Promise<string | undefined>;
  /** What is known now: until the keychain has answered, a row counts as stored. */
  has(owner: string, name: string): SecretPlace;
  remove(owner: string, name: string): void;
  removeAll(owner: string): void;
  /** Rows whose key the keychain does not hold. They count as missing, and are kept in case it comes back. */
  locked(): { owner: string; name: string }[];
  /**
   * A 256-bit key for one purpose, derived from the data folder's key (HKDF-SHA-256), which is made where there is none. Waits for the
   * keychain; undefined without one. `account` names the keychain's entry behind it.
   */
  keyFor(purpose: string): Promise<{ account: string; key: Buffer } | undefined>;
  /** The keychain's entry for this data folder; undefined before there is one. */
  account(): string | undefined;
  /** The same from the key that an earlier {@link keyFor} named. Undefined where the keychain does not hold it. */
  earlierKeyFor(purpose: string, account: string): Promise<Buffer | undefined>;
}

interface Row {
  owner: string;
  name: string;
  key_account: string;
  nonce: Buffer;
  sealed: Buffer;
}

const currentAccountName = 'secrets.keyAccount';
const tagLength = 16;

/** Starts to ask the keychain at once and returns without waiting. Each data folder has a random 256-bit key of its own there. */
export function createSecrets(db: Db, keychain: Keychain, { ids, clock, log }: { ids: Ids; clock: Clock; log: Log }): Secrets {
  const memory = new Map<string, Map<string, string>>();
  const keys = new Map<string, Buffer>();
  let state: 'asking' | 'available' | 'unavailable' = 'asking';
  let reason: string | undefined = 'The system keychain has not answered yet; it may be asking for its password.';

  const rowOf = db.prepare<[string, string], Row>('SELECT * FROM secrets WHERE owner = ? AND name = ?');

  const unavailable = (error: unknown): void => {
    state = 'unavailable';
    reason = `There is no keychain that Maitre can use on this system, so keys and passwords are kept in memory until you quit. (${messageOf(error)})`;
    log.warn('The keychain cannot be used; secrets stay in memory.', { error: messageOf(error) });
  };

  const askKeychain = async (): Promise<void> => {
    try {
      // Asked even when nothing is stored: whether it answers at all must be known before a secret is typed in.
      const current = storedValue(db, currentAccountName) ?? 'data-folder-none';
      const used = db.prepare<[], string>('SELECT DISTINCT key_account FROM secrets').pluck().all();
      for (const account of new Set([current, ...used])) {
        const held = await keychain.get(account);
        if (held === null) continue;
        const key = keyOf(held);
        if (key) keys.set(account, key);
        else log.warn('An entry in the keychain is no key of ours; it is left alone.', { account });
      }
      state = 'available';
      const lost = locked();
      reason =
        lost.length === 0
          ? undefined
          : `The keychain does not hold the key for ${lost.length} saved secret${lost.length === 1 ? '' : 's'}, so they count as missing. Enter them again, or bring the old keychain back.`;
      if (lost.length > 0) log.warn('The keychain came without the key for saved secrets.', { secrets: lost.length });
    } catch (error) {
      unavailable(error);
    }
  };

  /** The key for new rows; made on first use, and again under another account when the keychain lost it. Undefined without a keychain. */
  const keyForWriting = async (): Promise<{ account: string; key: Buffer } | undefined> => {
    if (state !== 'available') return undefined;
    const current = storedValue(db, currentAccountName);
    const known = current === undefined ? undefined : keys.get(current);
    if (current !== undefined && known) return { account: current, key: known };
    const account = `data-folder-${ids()}`;
    const key = randomBytes(32);
    try {
      await keychain.set(account, key.toString('base64'));
      // Some keychains take an entry and keep nothing: a row sealed under such a key would be lost at the next start.
      if ((await keychain.get(account)) !== key.toString('base64')) throw new Error('It did not give back what was stored in it.');
    } catch (error) {
      unavailable(error);
      return undefined;
    }
    keys.set(account, key);
    storeValue(db, currentAccountName, account);
    return { account, key };
  };

  const opened = (row: Row): string | undefined => {
    const key = keys.get(row.key_account);
    return key && open(key, row);
  };

  const locked = (): { owner: string; name: string }[] =>
    db
      .prepare<[], Row>('SELECT * FROM secrets')
      .all()
      .filter((row) => opened(row) === undefined && !memory.get(row.owner)?.has(row.name))
      .map(({ owner, name }) => ({ owner, name }));

  const ready = askKeychain();
  // Two secrets set at once must not make two keys.
  let writing: Promise<void> = ready;

  const exclusive = <Value>(run: () => Promise<Value>): Promise<Value> => {
    const done = writing.then(run);
    // The caller gets the failure; the next writer only waits for the end.
    writing = done.then(
      () => undefined,
      () => undefined,
    );
    return done;
  };

  return {
    ready,
    available: () => ({ available: state === 'available', ...(reason === undefined ? {} : { reason }) }),

    async set(owner, name, value) {
      log.redact?.(value);
      return exclusive(async (): Promise<Exclude<SecretPlace, 'missing'>> => {
        const current = await keyForWriting();
        if (!current) {
          // An older row stays: it cannot be opened now, and without a keychain nothing is written.
          memory.set(owner, (memory.get(owner) ?? new Map<string, string>()).set(name, value));
          return 'memoryOnly';
        }
        const { nonce, sealed } = seal(current.key, owner, name, value);
        db.prepare(
          `INSERT INTO secrets (owner, name, key_account, nonce, sealed, created_at) VALUES (?, ?, ?, ?, ?, ?)
           ON CONFLICT (owner, name) DO UPDATE SET key_account = excluded.key_account, nonce = excluded.nonce, sealed = excluded.sealed, created_at = excluded.created_at`,
        ).run(owner, name, current.account, nonce, sealed, clock.now());
        memory.get(owner)?.delete(name);
        return 'stored';
      });
    },

    async get(owner, name) {
      const remembered = memory.get(owner)?.get(name);
      if (remembered !== undefined) return remembered;
      await ready;
      const row = rowOf.get(owner, name);
      const value = row && opened(row);
      if (value !== undefined) log.redact?.(value);
      return value;
    },

    has(owner, name) {
      if (memory.get(owner)?.has(name)) return 'memoryOnly';
      const row = rowOf.get(owner, name);
      if (!row) return 'missing';
      return state === 'asking' || opened(row) !== undefined ? 'stored' : 'missing';
    },

    remove(owner, name) {
      memory.get(owner)?.delete(name);
      db.prepare('DELETE FROM secrets WHERE owner = ? AND name = ?').run(owner, name);
    },

    removeAll(owner) {
      memory.delete(owner);
      db.prepare('DELETE FROM secrets WHERE owner = ?').run(owner);
    },

    locked,

    keyFor: (purpose) =>
      exclusive(async () => {
        const current = await keyForWriting();
        return current && { account: current.account, key: derived(current.key, purpose) };
      }),

    account: () => storedValue(db, currentAccountName),

    async earlierKeyFor(purpose, account) {
      await ready;
      if (state !== 'available') return undefined;
      const held = keys.get(account) ?? keyOf(await keychain.get(account));
      return held && derived(held, purpose);
    },
  };
}

/** Undefined where the entry is no key of ours. */
function keyOf(held: string | null): Buffer | undefined {
  const key = held === null ? undefined : Buffer.from(held, 'base64');
  return key?.length === 32 ? key : undefined;
}

function derived(key: Buffer, purpose: string): Buffer {
  return Buffer.from(hkdfSync('sha256', key, '', purpose, 32));
}

/** Owner and name as one text that no other pair shares. */
const associatedData = (owner: string, name: string): Buffer => Buffer.from(JSON.stringify([owner, name]), 'utf8');

function seal(key: Buffer, owner: string, name: string, value: string): { nonce: Buffer; sealed: Buffer } {
  const nonce = randomBytes(12);
  const cipher = createCipheriv('aes-256-gcm', key, nonce, { authTagLength: tagLength }).setAAD(associatedData(owner, name));
  return { nonce, sealed: Buffer.concat([cipher.update(value, 'utf8'), cipher.final(), cipher.getAuthTag()]) };
}

/** Undefined when the row was sealed under another key, for another owner or name, or was changed. */
function open(key: Buffer, row: Row): string | undefined {
  const decipher = createDecipheriv('aes-256-gcm', key, row.nonce, { authTagLength: tagLength })
    .setAAD(associatedData(row.owner, row.name))
    .setAuthTag(row.sealed.subarray(-tagLength));
  const begun = decipher.update(row.sealed.subarray(0, -tagLength));
  try {
    return Buffer.concat([begun, decipher.final()]).toString('utf8');
  } catch (error) {
    // The only thing `final` throws is that the row is not what was sealed.
    if (error instanceof Error) return undefined;
    throw error;
  }
}

import { mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { onTestFinished } from 'vitest';
import type { Clock, Keychain, Log } from '../../main/host/ports.ts';
import { openDatabase, type Db } from '../../main/host/store/database.ts';

/** A folder of its own for one test, in a place that is hard on paths. It goes with the test. */
export function tempFolder(): string {
  const dir = mkdtempSync(path.join(os.tmpdir(), 'maitre 测试 '));
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
  return dir;
}

export interface RememberedLog extends Log {
  lines: { level: string; message: string; fields: Record<string, unknown> | undefined }[];
}

export function rememberingLog(): RememberedLog {
  const lines: RememberedLog['lines'] = [];
  return {
    lines,
    info: (message, fields) => void lines.push({ level: 'info', message, fields }),
    warn: (message, fields) => void lines.push({ level: 'warn', message, fields }),
    error: (message, fields) => void lines.push({ level: 'error', message, fields }),
  };
}

/** A clock that stands still until it is told to go on; timers run when their time is reached. */
export function handClock(start = Date.UTC(2026, 10, 30)): Clock & { forward(ms: number): void } {
  let now = start;
  const timers = new Set<{ at: number; run: () => void }>();
  return {
    now: () => now,
    elapsed: () => now,
    after(ms, run) {
      const timer = { at: now + ms, run };
      timers.add(timer);
      return () => timers.delete(timer);
    },
    forward(ms) {
      now += ms;
      for (const timer of [...timers].filter(({ at }) => at <= now).sort((a, b) => a.at - b.at)) {
        if (timers.delete(timer)) timer.run();
      }
    },
  };
}

/** A keychain in memory. `entries` can be looked at and emptied. */
export function memoryKeychain(): Keychain & { entries: Map<string, string> } {
  const entries = new Map<string, string>();
  return {
    entries,
    get: async (account) => entries.get(account) ?? null,
    set: async (account, secret) => void entries.set(account, secret),
    remove: async (account) => void entries.delete(account),
  };
}

/** A real database in a folder of its own, closed with the test. `migrations`: only these, to stand at an older schema. */
export function tempDatabase(dataDir = tempFolder(), migrations?: readonly string[]): { db: Db; dataDir: string } {
  const db = openDatabase({ dataDir, log: rememberingLog(), clock: handClock(), ...(migrations && { migrations }) });
  onTestFinished(() => void db.close());
  return { db, dataDir };
}

/** One conversation row, which other rows hang on. */
export function insertConversation(db: Db, id: string, title = 'A conversation'): void {
  db.prepare('INSERT INTO conversations (id, title, created_at, updated_at) VALUES (?, ?, 1, 1)').run(id, title);
}

export function insertMessage(db: Db, id: string, conversationId: string): void {
  db.prepare("INSERT INTO messages (id, conversation_id, role, created_at) VALUES (?, ?, 'user', 1)").run(id, conversationId);
}

import type { Readable } from 'node:stream';

/** Where the host may read and write. All absolute. */
export interface Paths {
  /** Everything that Maitre keeps: database, blobs, servers.json, lock, backups, logs. */
  dataDir: string;
  home: string;
  temp: string;
}

/** The system's keychain. Each method rejects with a sentence where there is none; entries are small (one key per data folder). */
export interface Keychain {
  get(account: string): Promise<string | null>;
  set(account: string, secret: string): Promise<void>;
  remove(account: string): Promise<void>;
}

export interface Exit {
  code: number | null;
  signal: string | null;
}

/** A running child, whatever started it. `kill` ends the whole process tree and resolves when nothing of it is left. */
export interface ChildProgram {
  readonly pid: number | undefined;
  readonly stdout: Readable;
  readonly stderr: Readable;
  /** Resolves when the bytes were taken (back-pressure); rejects when the pipe is closed. */
  write(chunk: Uint8Array): Promise<void>;
  /** Closes the child's stdin: the polite way to ask it to stop. */
  end(): void;
  kill(): Promise<void>;
  /** Resolves once, when the child has ended. */
  readonly exited: Promise<Exit>;
}

/** Runs a Node script on the application's own runtime: a utility process in Electron, a child of Node elsewhere. */
export type RunNodeScript = (
  script: string,
  args: readonly string[],
  options: { env: Readonly<Record<string, string>>; cwd?: string | undefined },
) => ChildProgram;

export interface Clock {
  /** Milliseconds since 1970. Whoever sets the computer's clock moves it, to and fro. */
  now(): number;
  /** Milliseconds that only pass: for how long something took. They begin anywhere, and may stand still while the computer sleeps. */
  elapsed(): number;
  /** Returns the function that cancels it. The timer never keeps the process alive. */
  after(ms: number, run: () => void): () => void;
}

/** Makes ids that are unique for ever and sort by time of making (UUID version 7). */
export type Ids = () => string;

export interface Log {
  /** `fields` hold no secrets; whatever looks like one is struck out all the same. */
  info(message: string, fields?: Record<string, unknown>): void;
  warn(message: string, fields?: Record<string, unknown>): void;
  error(message: string, fields?: Record<string, unknown>): void;
  /** From now on this very text is struck out wherever it would be written. Absent in logs that keep nothing. */
  redact?(secret: string): void;
}

/** What the person is told when no window has the focus. Holds no arguments of calls. */
export interface Notification {
  title: string;
  body: string;
}

/** Which shell a host runs in. */
export type ShellName = 'electron' | 'web' | 'cli' | 'test';

/** What a shell supplies. The host reaches the outside world through these, its own child processes and HTTP only. */
export interface Ports {
  paths: Paths;
  keychain: Keychain;
  openUrl(url: string): Promise<void>;
  /** The system's dialog for one folder or one file; null in shells without one. Resolves to null when the user closed it. */
  pickPath: ((what: 'folder' | 'file') => Promise<string | null>) | null;
  notify(notification: Notification): void;
  runNodeScript: RunNodeScript;
  clock: Clock;
  ids: Ids;
  log: Log;
  /** A link that lets another browser tab in; null where there are no tabs. */
  createLink: (() => string) | null;
}

/**
 * What a command answers. Expected failures are values with a code of a closed list; bugs throw.
 * This file imports nothing, so that the renderer may use the codes at run time.
 */
export const resultCodes = [
  /** The input does not fit the command's schema, or breaks a rule named in the message. */
  'invalidInput',
  'unknownCommand',
  'notFound',
  /** The thing exists, but not in a state in which the command means something. */
  'wrongState',
  /** An approval or input request was answered before; `detail` says how. */
  'alreadyAnswered',
  /** The answer names other arguments than the card showed. */
  'wrongHash',
  /** A decision stored by the user, or the start consent that is missing, forbids it. */
  'notAllowed',
  /** Another host owns the data folder; `detail` holds its pid and shell. */
  'dataFolderInUse',
  'dataFolderUnusable',
  /** The database was written by a newer version. */
  'databaseTooNew',
  'databaseDamaged',
  'diskFull',
  /** servers.json cannot be read as it is; the file is kept untouched. */
  'configurationUnreadable',
  'serverUnavailable',
  'serverFailed',
  'modelUnavailable',
  'modelFailed',
  'keychainUnavailable',
  'timedOut',
  /** Not an error: somebody stopped it. */
  'cancelled',
  /** This shell has no way to do it. */
  'unsupported',
  /** A bug. The message is general, the log holds the rest. */
  'internal',
] as const;

export type ResultCode = (typeof resultCodes)[number];

export interface Failure {
  code: ResultCode;
  /** A sentence for the person who reads it: what failed, why, what to do. */
  message: string;
  /** Technical detail, shown on demand. Never a secret. */
  detail?: string | undefined;
  /** One-based place in a pasted or stored text, where there is one. */
  at?: { line: number; column: number } | undefined;
  /** What is wrong with single fields of a form, as sentences by the field's name. */
  fields?: { name: string; message: string }[] | undefined;
}

export type Result<Value> = { ok: true; value: Value } | { ok: false; error: Failure };

export const ok = <Value>(value: Value): Result<Value> => ({ ok: true, value });

export const fail = (code: ResultCode, message: string, more: Omit<Failure, 'code' | 'message'> = {}): Result<never> => ({
  ok: false,
  error: { code, message, ...more },
});

/**
 * What crosses between the main process and the shim of a utility process. A utility process has no stdin of its own,
 * so its bytes travel as messages; `taken` answers one `stdin` when its bytes have been taken, which is the back-pressure.
 */
export type ToUtility = { kind: 'stdin'; id: number; bytes: Uint8Array } | { kind: 'stdinEnd' };
export type FromUtility = { kind: 'taken'; id: number };

export function isFromUtility(value: unknown): value is FromUtility {
  return (
    typeof value === 'object' &&
    value !== null &&
    'kind' in value &&
    value.kind === 'taken' &&
    'id' in value &&
    typeof value.id === 'number'
  );
}

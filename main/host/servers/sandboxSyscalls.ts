/** Numbers of `add_key`, `request_key` and `keyctl`. */
const keyCalls: Partial<Record<NodeJS.Architecture, readonly [number, number, number]>> = {
  x64: [248, 249, 250],
  arm64: [217, 218, 219],
};

const loadNumber = 0x20;
const ifEqual = 0x15;
const answer = 0x06;
const allowed = 0x7fff_0000;
/** ENOSYS: programs take it for a system without keyrings, and go on. */
const refused = 0x0005_0000 | 38;

/**
 * A seccomp filter (classic BPF, for `--seccomp` of bubblewrap) without the kernel's keyrings: these come along from whoever starts a
 * program, name spaces or not, and hold tickets and passwords. Calls in the ways of other processors are ended by the filter of
 * `apply-seccomp`. Undefined for processors that there are no walls on.
 */
export function keyringFilter(arch: NodeJS.Architecture): Uint8Array | undefined {
  const calls = keyCalls[arch];
  if (!calls) return undefined;
  const [add, request, control] = calls;
  const program = [
    [loadNumber, 0, 0, 0],
    [ifEqual, 3, 0, add],
    [ifEqual, 2, 0, request],
    [ifEqual, 1, 0, control],
    [answer, 0, 0, allowed],
    [answer, 0, 0, refused],
  ] as const;
  const bytes = Buffer.alloc(program.length * 8);
  program.forEach(([code, ifTrue, ifFalse, value], index) => {
    const at = bytes.writeUInt16LE(code, index * 8);
    bytes.writeUInt32LE(value, bytes.writeUInt8(ifFalse, bytes.writeUInt8(ifTrue, at)));
  });
  return bytes;
}

import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import type { Keychain } from '../../main/host/ports.ts';

/** A keychain that outlives the process, as the system's does. */
export function fileKeychain(file: string): Keychain {
  const read = (): Record<string, string> => (existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : {});
  return {
    get: async (account) => read()[account] ?? null,
    set: async (account, secret) => writeFileSync(file, JSON.stringify({ ...read(), [account]: secret })),
    remove: async (account) => {
      const { [account]: _removed, ...others } = read();
      writeFileSync(file, JSON.stringify(others));
    },
  };
}

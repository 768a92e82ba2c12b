import type * as Keytar from 'keytar';
import type { Keychain } from './ports.ts';
import { messageOf } from './refusal.ts';

const service = 'Maitre';

/**
 * The keychain of macOS, the Credential Manager of Windows, the Secret Service of Linux. The native module is loaded with the first
 * call, so that a system without libsecret starts all the same. Every method rejects with a sentence where it cannot be used.
 */
export function systemKeychain(): Keychain {
  const use = async <Value>(
    what: string,
    run: (keytar: Pick<typeof Keytar, 'getPassword' | 'setPassword' | 'deletePassword'>) => Promise<Value>,
  ): Promise<Value> => {
    try {
      const { default: keytar } = await import('keytar');
      return await run(keytar);
    } catch (error) {
      throw new Error(`The system keychain could not ${what}: ${messageOf(error)}`, { cause: error });
    }
  };
  return {
    get: (account) => use('be read', (keytar) => keytar.getPassword(service, account)),
    set: (account, secret) => use('store the key', (keytar) => keytar.setPassword(service, account, secret)),
    remove: (account) => use('remove the key', async (keytar) => void (await keytar.deletePassword(service, account))),
  };
}

import { refuse } from '../host/refusal.ts';

/**
 * The address that may be given to the system's browser: http or https, without a name and password in it. Anything
 * else would start a program of the system's choice. Refuses with `invalidInput`.
 */
export function webAddress(address: string): string {
  const url = URL.parse(address);
  if (url === null || (url.protocol !== 'http:' && url.protocol !== 'https:') || url.username !== '' || url.password !== '') {
    return refuse('invalidInput', 'Only web addresses (http or https, without a password in them) are opened in the browser.');
  }
  return url.href;
}

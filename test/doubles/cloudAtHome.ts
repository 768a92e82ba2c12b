/** Loaded into a process before its program (`node --import`): what it would send to Anthropic goes to the address in `DOUBLE_OF_ANTHROPIC`. */
import { env } from 'node:process';

const send = globalThis.fetch;
const double = env['DOUBLE_OF_ANTHROPIC'];
if (double === undefined) throw new Error('DOUBLE_OF_ANTHROPIC');

globalThis.fetch = (input, init) => {
  const address = new URL(input instanceof Request ? input.url : input);
  if (address.host !== 'api.anthropic.com') return send(input, init);
  return send(new URL(address.pathname.replace(/^\/v1/, ''), double), init);
};

/** Writes a greeting and half a message on stdout before its first answer; then an ordinary legacy server. */
import { initializeResult, reply, serveLegacy } from './rawStdio.ts';

process.stdout.write('Starting up...\n');
serveLegacy({
  initialize(message) {
    process.stdout.write('{"jsonrpc":"2.0","id":99,"result":{"unfinished"\n');
    reply(message, initializeResult());
  },
});

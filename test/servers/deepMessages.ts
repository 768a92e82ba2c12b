/** A legacy server that says things nested so deep that writing them out again runs out of stack, before and during each call. */
import { reply, serveLegacy, text } from './rawStdio.ts';

const deep = `${'['.repeat(10_000)}${']'.repeat(10_000)}`;
const strange = [
  `{"jsonrpc":"2.0","id":${deep},"result":{}}`,
  `{"jsonrpc":"2.0","id":"nobody's","error":${deep}}`,
  `{"jsonrpc":"2.0","method":${deep}}`,
  `{"jsonrpc":"2.0","params":${deep}}`,
  `{"jsonrpc":"2.0","id":"asked","method":"elicitation/create","params":{"message":${deep}}}`,
  `{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":${deep}}}`,
];
// In one piece with what follows: a message that cannot be taken must not take its neighbours along.
const say = (): void => void process.stdout.write(`${strange.join('\n')}\n`);

serveLegacy({
  'notifications/initialized': say,
  'tools/call': (message) => {
    say();
    reply(message, text('still here'));
  },
});

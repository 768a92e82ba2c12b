/**
 * A server of 2025-11-25 that has its own answer to `server/discover`: `probed.ts JOURNAL ERROR`, where ERROR is the JSON of the error, or
 * `late` for a whole modern answer that comes only behind `initialize`. It writes every line that it hears to the journal, asks with `ping` before it
 * answers `initialize`, and waits for the answer to that.
 */
import { appendFileSync } from 'node:fs';
import { initializeResult, type Message, onMessage, reply, text, tool, write } from './rawStdio.ts';

const [, , journal = '', answer = ''] = process.argv;
let discover: Message | undefined;
let initialize: Message | undefined;
const discovered = { resultType: 'complete', supportedVersions: ['2026-07-28'], capabilities: {}, ttlMs: 0, cacheScope: 'private' };

onMessage((message) => {
  appendFileSync(journal, `${JSON.stringify(message)}\n`);
  switch (message.method) {
    case 'server/discover':
      discover = message;
      if (answer !== 'late') write({ jsonrpc: '2.0', id: message.id, error: JSON.parse(answer) });
      return;
    case 'initialize':
      initialize = message;
      if (answer === 'late' && discover) reply(discover, discovered);
      return write({ jsonrpc: '2.0', id: 'ping', method: 'ping' });
    case 'tools/list':
      return reply(message, { tools: [tool('echo')] });
    case 'tools/call':
      return reply(message, text('done'));
    case undefined:
      if (initialize) reply(initialize, initializeResult({ tools: {} }));
  }
});

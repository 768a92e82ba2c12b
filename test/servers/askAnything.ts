/**
 * Asks what it is told to ask. The arguments of its one tool `ask` say it.
 *
 * `legacy` (default): `{ method, params }` is sent as a request of its own, and the answer, result or error, becomes the text of the
 * result. `{ pages: [{ url, message, elicitationId }] }` refuses the first call with -32042; with `complete: 'early'` or `'late'` it says by
 * itself at once that they are complete. `modern`: `{ rounds: [InputRequiredResult …] }` are its answers, one after the other; in the end the text is what
 * every leg of the call carried.
 */
import { type Message, notify, onMessage, refuse, reply, text, tool, write } from './rawStdio.ts';

const modern = process.argv[2] === 'modern';
/** With a third argument every round gets a state made from it, and the legs tell only whether it came back. */
const ownState = process.argv[3]?.split('').reverse().join('');
const discovered = {
  resultType: 'complete',
  supportedVersions: ['2026-07-28'],
  capabilities: { tools: {} },
  ttlMs: 0,
  cacheScope: 'private',
};
const asking = new Map<string, Message>();
const legs = new Map<
  string,
  { requestState?: unknown; stateCameBack?: boolean; inputResponses?: unknown; id: unknown; capabilities: unknown }[]
>();
let visited = false;
/** Client capabilities of `initialize`. */
let declared: unknown;

function call(message: Message): void {
  const args = (message.params?.['arguments'] ?? {}) as { [name: string]: unknown; rounds?: object[]; pages?: { elicitationId: string }[] };
  if (args.rounds) {
    const key = JSON.stringify(args);
    const { requestState, inputResponses } = message.params ?? {};
    const capabilities = message.params?._meta?.['io.modelcontextprotocol/clientCapabilities'];
    const before = legs.get(key) ?? [];
    const state = ownState === undefined ? { requestState } : { stateCameBack: requestState === ownState };
    legs.set(key, [...before, { id: message.id, ...state, inputResponses, capabilities }]);
    const round = args.rounds[before.length];
    if (round)
      return void reply(message, { resultType: 'input_required', ...round, ...(ownState === undefined ? {} : { requestState: ownState }) });
    return void reply(message, { resultType: 'complete', ...text(JSON.stringify(legs.get(key))) });
  }
  if (args.pages && !visited) {
    visited = true;
    const elicitations = args.pages.map((page) => ({ mode: 'url', ...page }));
    write({ jsonrpc: '2.0', id: message.id, error: { code: -32042, message: 'Visit these first.', data: { elicitations } } });
    const complete = (): void => {
      notify('notifications/elicitation/complete', { elicitationId: 'nobody knows it' });
      for (const { elicitationId } of args.pages ?? []) notify('notifications/elicitation/complete', { elicitationId });
    };
    if (args['complete'] === 'early') complete();
    if (args['complete'] === 'late') setTimeout(complete, 200);
    return;
  }
  if (typeof args['method'] !== 'string') return void reply(message, text(visited ? 'after the pages' : JSON.stringify(declared ?? null)));
  const id = `question-${String(message.id)}`;
  asking.set(id, message);
  write({ jsonrpc: '2.0', id, method: args['method'], params: args['params'] });
}

onMessage((message) => {
  if (message.method === 'initialize' && !modern) {
    declared = message.params?.['capabilities'];
    reply(message, { protocolVersion: '2025-11-25', capabilities: { tools: {} }, serverInfo: { name: 'ask-anything', version: '1.0.0' } });
  } else if (message.method === 'server/discover' && modern) reply(message, discovered);
  else if (message.method === 'tools/list')
    reply(message, { ...(modern ? { resultType: 'complete', ttlMs: 0, cacheScope: 'private' } : {}), tools: [tool('ask')] });
  else if (message.method === 'tools/call') call(message);
  else if (message.method === 'notifications/roots/list_changed') write({ jsonrpc: '2.0', id: 'again', method: 'roots/list' });
  else if (message.method === undefined) {
    const asked = asking.get(String(message.id));
    const { jsonrpc: _jsonrpc, id: _id, ...answer } = message;
    if (asked) reply(asked, text(JSON.stringify(answer)));
    else process.stderr.write(`${JSON.stringify(answer)}\n`);
  } else if (message.id !== undefined) refuse(message, -32601, 'Method not found');
});

import { expect, test } from 'vitest';
import { knownServerOf } from '../../../main/host/servers/profiles/knownServers.ts';
import type { StoredCall } from '../../../main/host/store/calls.ts';
import { createCallLabels } from '../../../main/host/turn/callLabels.ts';
import { tempDatabase } from '../../doubles/hostParts.ts';

/** Labels of what a known server answers to a call with these arguments. */
function labelsOf(config: { command: string; args: string[] }, tool: string, values: Record<string, unknown>, isPrivate?: boolean) {
  const profile = knownServerOf(config)?.profile;
  const text = JSON.stringify(values);
  const labels = createCallLabels({
    db: tempDatabase().db,
    read: { text: ({ text: whole }) => whole },
    servers: {
      contentOf: () => ({ user: { untrusted: undefined, private: isPrivate }, profile: profile?.results, store: 'web' }),
      profileOf: () => profile?.tools[tool],
    },
  });
  const call = { id: 'c', serverId: 'web', tool, arguments: { text, length: text.length } };
  return labels.ofOutcome({ call } as unknown as StoredCall, { kind: 'result', content: [], hasStructuredContent: false, isError: false });
}

const fetcher = { command: 'uvx', args: ['mcp-server-fetch'] };
const search = { command: 'npx', args: ['-y', '@brave/brave-search-mcp-server'] };

test.each([
  [fetcher, 'fetch', { url: 'https://example.com/page' }, false],
  [fetcher, 'fetch', { url: 'http://127.0.0.1:8080/notes' }, true],
  [fetcher, 'fetch', { url: 'http://nas/letters' }, true],
  [fetcher, 'fetch', { url: 'http://192.168.1.1/' }, true],
  [search, 'brave_web_search', { query: 'python: how to read http://127.0.0.1' }, false],
])('%j %s of %j is private: %s; the web is written by others in any case', (config, tool, values, isPrivate) => {
  expect(labelsOf(config, tool, values)).toEqual({ untrusted: true, private: isPrivate });
});

test('the user’s word on a server goes before what an address says', () => {
  expect(labelsOf(fetcher, 'fetch', { url: 'http://nas/letters' }, false)).toEqual({ untrusted: true, private: false });
});

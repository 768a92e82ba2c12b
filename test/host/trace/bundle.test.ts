import { expect, test } from 'vitest';
import type { ServerId } from '../../../preload/contract/ids.ts';
import { maxBridgeMessageBytes } from '../../../preload/contract/bridge.ts';
import type { ServerDetails } from '../../../preload/contract/servers.ts';
import { createRedactor } from '../../../main/host/redact.ts';
import { bundleOf } from '../../../main/host/trace/bundle.ts';
import type { KeptEntry } from '../../../main/host/trace/ring.ts';

const serverId = 'server-1' as ServerId;

const details = (more: Partial<ServerDetails> = {}): ServerDetails => ({
  server: {
    id: serverId,
    name: 'odd',
    kind: 'local',
    summary: 'node odd.js --token=summary-canary',
    enabled: true,
    status: { state: 'failed', failure: { code: 'exited', message: 'It ended.', detail: 'at /home/ada/odd.js, known-canary' } },
  },
  configJson: JSON.stringify({
    command: '/home/ada/bin/odd',
    args: ['--password=args-canary', 'known-canary'],
    env: { PLAIN: 'env-canary', REFERENCE: '${secret:A}' },
    url: 'https://u:url-canary@a.example/mcp?key=url-canary',
    headers: { 'X-Any': 'header-canary' },
  }),
  tools: [],
  resources: [],
  prompts: [],
  log: [{ at: 0, stream: 'stderr', text: 'Bearer log-canary-0123456789 known-canary' }],
  warnings: ['known-canary stands in env'],
  ...more,
});

const kept = (id: number, text: string): KeptEntry => ({
  entry: { id, serverId, at: id, direction: 'fromServer', kind: 'notification', method: 'notifications/a', bytes: text.length },
  text,
  isCut: false,
});

function bundle(parts: { details?: ServerDetails; entries?: KeptEntry[] }): string {
  const redactor = createRedactor();
  redactor.add('known-canary');
  return bundleOf({ at: 0, versions: { maitre: '1' }, details: details(), entries: [], redactor, home: '/home/ada', ...parts });
}

test('a bug report holds no value of environment or header, no secret and not the name of the person', () => {
  const json = bundle({ entries: [kept(1, '{"text":"in /home/ada"}')] });
  expect(json.match(/[a-z]+-canary/g)).toBeNull();
  expect(json).not.toContain('/home/ada');
  const { server } = JSON.parse(json) as { server: { configuration: Record<string, unknown> } };
  expect(server.configuration).toMatchObject({
    command: '~/bin/odd',
    env: { PLAIN: '[removed]', REFERENCE: '[removed]' },
    headers: { 'X-Any': '[removed]' },
    url: 'https://a.example/mcp?key=[removed]',
  });
});

test.each([
  ['of quotes and escapes', '"\\\u0001'.repeat(1000)],
  ['of other scripts', '请'.repeat(6000)],
  ['short', '{}'],
  ['very long', 'x'.repeat(250_000)],
])('a bug report fits one message of the bridge and holds the newest messages: %s', (_what, text) => {
  const entries = Array.from({ length: 2000 }, (_each, index) => kept(index, text));
  const json = bundle({ entries });
  expect(Buffer.byteLength(JSON.stringify({ json }))).toBeLessThan(maxBridgeMessageBytes);
  const { messages, leftOut } = JSON.parse(json) as { messages: { id: number }[]; leftOut: number };
  expect(messages.at(-1)?.id).toBe(1999);
  expect(messages.length + leftOut).toBe(2000);
});

test('a configuration that cannot be taken apart is not given', () => {
  expect(bundle({ details: details({ configJson: '{ // env-canary\n "env": {"A": "env-canary"}' }) })).not.toContain('env-canary');
});

import { ProtocolError, ProtocolErrorCode } from '@modelcontextprotocol/client';
import { expect, test } from 'vitest';
import { requireModern, undiscovered } from '../../../main/host/mcp/era.ts';

type Client = Parameters<typeof requireModern>[0];
const options = { timeout: 1, signal: new AbortController().signal };
function required(answer: () => unknown) {
  const asked: unknown[] = [];
  const client = { request: async (...args: unknown[]) => (asked.push(args[0], args[2]), answer()) };
  return { asked, done: requireModern(client as unknown as Client, 'Odd', options) };
}
const fails = (error: Error) => () => {
  throw error;
};

test('a server that answers its first request in the modern form, or says that it has no tools, is taken for modern', async () => {
  const { asked, done } = required(() => ({ resultType: 'complete', tools: [] }));
  await done;
  expect(asked).toEqual([{ method: 'tools/list', params: {} }, options]);
  await required(fails(new ProtocolError(ProtocolErrorCode.MethodNotFound, 'no tools'))).done;
});

test('an answer or a refusal of an older kind is a sentence about the setting; any other error stays what it is', async () => {
  const failure = (detail: string) => ({
    code: 'protocolError',
    message:
      '"Odd" does not speak revision 2026-07-28 of the protocol, which its settings demand. Set "era" to "auto" in its configuration.',
    detail,
  });
  await expect(required(() => ({ tools: [] })).done).rejects.toMatchObject({ failure: failure('Its result has no resultType.') });
  await expect(required(fails(new ProtocolError(-32600, 'initialize first'))).done).rejects.toMatchObject({
    failure: failure('-32600: initialize first'),
  });
  const lost = new Error('lost');
  await expect(required(fails(lost)).done).rejects.toBe(lost);
});

test('of a server without discovery nothing is assumed that would have to be promised', () => {
  expect(undiscovered).toEqual({
    kind: 'modern',
    discover: {
      resultType: 'complete',
      supportedVersions: ['2026-07-28'],
      capabilities: { tools: {}, resources: {}, prompts: {}, completions: {} },
      ttlMs: 0,
      cacheScope: 'private',
    },
  });
});

import { describe, expect, test } from 'vitest';
import { readViewMessage } from '../../renderer/views/viewMessages.ts';
import { frameHeight } from '../../renderer/views/frameHeight.ts';

test.each([
  [300, 300],
  [300.2, 301],
  [1e9, 640],
  [0, 40],
  [-5, 40],
  [Infinity, 100],
  [-Infinity, 100],
  [NaN, 100],
  ['300', 100],
  [undefined, 100],
  [null, 100],
  [{}, 100],
])('row 78: a height is finite and within bounds: %s makes %s of 100', (said, height) => expect(frameHeight(said, 100)).toBe(height));

describe('A message of a view', () => {
  const rpc = (rest: object) => ({ jsonrpc: '2.0', ...rest });
  test.each([
    [rpc({ id: 1, method: 'ping' }), { kind: 'request', id: 1, method: 'ping', params: {} }],
    [rpc({ id: 'a', method: 'x', params: { y: 1 } }), { kind: 'request', id: 'a', method: 'x', params: { y: 1 } }],
    [rpc({ method: 'x' }), { kind: 'notification', method: 'x', params: {} }],
    [rpc({ id: 'goodbye', result: {} }), { kind: 'response', id: 'goodbye' }],
    [rpc({ id: 1, error: {} }), { kind: 'response', id: 1 }],
  ])('%j is read', (data, message) => expect(readViewMessage(data)).toEqual(message));

  const cycle: Record<string, unknown> = {};
  cycle['self'] = cycle;
  test.each([
    ['no object', 'x'],
    ['nothing', null],
    ['no JSON-RPC', { id: 1, method: 'ping' }],
    ['an id that is none', rpc({ id: {}, method: 'ping' })],
    ['an endless id', rpc({ id: Infinity, method: 'ping' })],
    ['params that are a list', rpc({ id: 1, method: 'ping', params: [] })],
    ['params that are too long', rpc({ id: 1, method: 'ping', params: { a: 'a'.repeat(400_000) } })],
    ['params that are no JSON', rpc({ id: 1, method: 'ping', params: cycle })],
    ['a big integer', rpc({ id: 1, method: 'ping', params: { a: 1n } })],
    ['an answer without an id', rpc({ result: {} })],
  ])('is none: %s', (_, data) => expect(readViewMessage(data)).toBeNull());
});

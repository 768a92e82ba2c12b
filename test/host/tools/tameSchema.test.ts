import { expect, test } from 'vitest';
import { isTame } from '../../../main/host/tools/tameSchema.ts';

test.each([
  [
    'plain members',
    { type: 'object', properties: { path: { type: 'string' }, head: { type: 'number', minimum: 1 } }, required: ['path'] },
    true,
  ],
  [
    'a nested list',
    { type: 'object', properties: { a: { type: 'array', items: { type: 'object', properties: { b: { enum: [1] } } } } } },
    true,
  ],
  ['a member that is called pattern', { type: 'object', properties: { pattern: { type: 'string' } } }, true],
  ['a pattern', { type: 'object', properties: { a: { type: 'string', pattern: '^(a+)+$' } } }, false],
  ['a pattern deep inside', { type: 'array', items: { type: 'array', items: { pattern: 'x' } } }, false],
  ['a format, which is a pattern too', { properties: { a: { format: 'email' } } }, false],
  ['a reference', { properties: { a: { $ref: '#/$defs/x' } }, $defs: {} }, false],
  ['unions', { anyOf: [{ type: 'string' }] }, false],
  ['a keyword nobody knows', { frobnicate: 1 }, false],
  [
    'more than a small one',
    { properties: Object.fromEntries(Array.from({ length: 300 }, (_, n) => [`p${n}`, { type: 'string' }])) },
    false,
  ],
])('%s: %s', (_name, schema, answer) => {
  expect(isTame(schema as Record<string, unknown>)).toBe(answer);
});

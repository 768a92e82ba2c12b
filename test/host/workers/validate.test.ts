import { describe, expect, test } from 'vitest';
import { validate } from '../../../main/host/workers/validate.ts';

const check = (schema: Record<string, unknown>, value: unknown) => validate({ schema, value });

describe('validate', () => {
  const schema = {
    type: 'object',
    required: ['path', 'mode'],
    additionalProperties: false,
    properties: {
      path: { type: 'string', minLength: 1 },
      mode: { enum: ['read', 'write'] },
      lines: { type: 'array', items: { $ref: '#/$defs/line' } },
    },
    $defs: { line: { type: 'object', properties: { number: { type: 'integer', minimum: 1 } } } },
  };

  test('accepts what fits', () => {
    expect(check(schema, { path: 'a', mode: 'read', lines: [{ number: 1 }] })).toEqual({ valid: true });
  });

  test('says once for each fault where it is and what is wrong, the innermost place only', () => {
    const result = check(schema, { path: 3, lines: [{ number: 1 }, { number: 'x' }, { number: 0 }], extra: true });
    expect(result).toEqual({
      valid: false,
      errors: [
        '(root): Instance does not have required property "mode".',
        '/path: Instance type "number" is invalid. Expected "string".',
        '/lines/1/number: Instance type "string" is invalid. Expected "integer".',
        '/lines/2/number: 0 is less than 1.',
        '/extra: is not allowed here.',
      ],
    });
  });

  test('keeps the list short', () => {
    const result = check(
      { items: { type: 'string' } },
      Array.from({ length: 500 }, (_, index) => index),
    );
    if (result.valid !== false) throw new Error('It was accepted.');
    expect(result.errors).toHaveLength(21);
    expect(result.errors.at(-1)).toBe('and more.');
  });

  test.each([
    ['2020-12 where none is named', undefined, true],
    ['2020-12', 'https://json-schema.org/draft/2020-12/schema', true],
    ['draft-07', 'http://json-schema.org/draft-07/schema#', false],
    ['2019-09', 'https://json-schema.org/draft/2019-09/schema', false],
  ])('reads tuples by the dialect: %s', (_what, $schema, hasPrefixItems) => {
    const named = $schema === undefined ? {} : { $schema };
    const tuple = hasPrefixItems
      ? { prefixItems: [{ type: 'string' }], items: false }
      : { items: [{ type: 'string' }], additionalItems: false };
    expect(check({ ...named, ...tuple }, ['a'])).toEqual({ valid: true });
    expect(check({ ...named, ...tuple }, ['a', 'b'])).toMatchObject({ valid: false });
    expect(check({ ...named, ...tuple }, [1])).toMatchObject({ valid: false });
  });

  test.each([
    ['refers to another document', { properties: { a: { $ref: 'https://example.com/schema.json' } } }, 'never fetched'],
    ['refers to a file', { $ref: 'file:///etc/passwd' }, 'never fetched'],
    ['refers to a part that it does not have', { $ref: '#/$defs/none' }, 'a part of itself that is not there: #'],
    ['names a dialect unknown', { $schema: 'https://example.com/mine' }, 'dialect'],
    ['holds a pattern that is none', { properties: { a: { pattern: '(' } } }, '('],
    ['refers to itself without end', { $ref: '#' }, ''],
  ])('a schema that %s is unusable, with the reason', (_what, unusable, reason) => {
    expect(check(unusable, { a: 'x' })).toEqual({ valid: 'unusableSchema', reason: expect.stringContaining(reason) });
  });

  test('a property that is named $ref is a property', () => {
    expect(check({ properties: { $ref: { type: 'string' } } }, { $ref: 'https://example.com' })).toEqual({ valid: true });
  });

  test('references within a schema with an address of its own are resolved without it', () => {
    const own = { $id: 'https://example.com/own.json', $defs: { a: { type: 'string' } }, properties: { a: { $ref: '#/$defs/a' } } };
    expect(check(own, { a: 'x' })).toEqual({ valid: true });
    expect(check(own, { a: 1 })).toMatchObject({ valid: false });
  });
});

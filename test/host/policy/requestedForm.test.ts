import { expect, test } from 'vitest';
import { fieldProblems, patternsOf, readForm, secretFields } from '../../../main/host/policy/requestedForm.ts';

const formOf = (properties: Record<string, unknown>, required: string[] = []) => {
  const form = readForm({ type: 'object', properties, required });
  if (!form.ok) throw new Error(form.reason);
  return form.fields;
};
const titled = [
  { const: 'r', title: 'Red' },
  { const: 'g', title: 'Green' },
];

test.each<[string, Record<string, unknown>, unknown[], unknown[]]>([
  ['a text with bounds', { type: 'string', minLength: 2, maxLength: 3 }, ['ab', 'abc', '👍👍'], ['a', 'abcd', '👍', 5]],
  ['an e-mail address', { type: 'string', format: 'email' }, ['a@example.com'], ['a@', 'a b@example.com', '']],
  ['an address', { type: 'string', format: 'uri' }, ['https://example.com/x', 'urn:isbn:1'], ['example', '//x']],
  ['a date', { type: 'string', format: 'date' }, ['2026-02-28', '2024-02-29'], ['2026-02-30', '28.2.2026', '2026-2-3']],
  [
    'a date and time',
    { type: 'string', format: 'date-time' },
    ['2026-01-31T09:00:00Z', '2026-01-31T09:00:00+02:00'],
    ['2026-01-31', '2026-01-31T25:00:00Z'],
  ],
  ['a text of an unknown format', { type: 'string', format: 'phone' }, ['anything'], [1]],
  ['a number', { type: 'number', minimum: 0, maximum: 1 }, [0, 0.5, 1], [-0.1, 1.1, '1', true]],
  ['a whole number', { type: 'integer', minimum: 1 }, [1, 1e9], [0, 1.5, '2']],
  ['yes or no', { type: 'boolean' }, [true, false], ['true', 1]],
  ['one of several', { type: 'string', enum: ['low', 'high'] }, ['low'], ['LOW', '', 'mid']],
  ['one of several with the names of before', { type: 'string', enum: ['l', 'h'], enumNames: ['Low', 'High'] }, ['l'], ['Low']],
  ['one of several with titles', { type: 'string', oneOf: titled }, ['r', 'g'], ['Red', 'b']],
  [
    'several of several',
    { type: 'array', items: { type: 'string', enum: ['a', 'b', 'c'] }, minItems: 1, maxItems: 2 },
    [['a'], ['a', 'c']],
    [[], ['a', 'b', 'c'], ['d'], ['a', 'a'], 'a'],
  ],
  ['several with titles', { type: 'array', items: { anyOf: titled } }, [[], ['r', 'g']], [['Red'], [1]]],
])('%s: what fits is taken, what does not is named in words', (_what, field, good, bad) => {
  const fields = formOf({ it: field });
  for (const value of good) expect([value, fieldProblems(fields, { it: value })]).toEqual([value, []]);
  for (const value of bad)
    expect([value, fieldProblems(fields, { it: value })]).toEqual([value, [{ name: 'it', message: expect.stringMatching(/[.]$/) }]]);
  expect(fieldProblems(fields, {})).toEqual([]);
  expect(fieldProblems(formOf({ it: field }, ['it']), {})).toEqual([{ name: 'it', message: 'This is needed.' }]);
});

test('every field with a problem is named, and a field that the form does not have is none', () => {
  const fields = formOf({ a: { type: 'string' }, b: { type: 'integer' }, constructor: { type: 'string' } }, ['a', 'b', 'constructor']);
  expect(fieldProblems(fields, { b: 'x', c: 1 }).map(({ name }) => name)).toEqual(['a', 'b', 'constructor', 'c']);
});

test.each<[string, Record<string, unknown>]>([
  ['an object in it', { type: 'object', properties: { address: { type: 'object', properties: { street: { type: 'string' } } } } }],
  ['a list of objects', { type: 'object', properties: { all: { type: 'array', items: { type: 'object' } } } }],
  ['a list without choices', { type: 'object', properties: { all: { type: 'array', items: { type: 'string' } } } }],
  ['a field of no kind', { type: 'object', properties: { any: {} } }],
  ['a reference', { type: 'object', properties: { any: { $ref: '#/$defs/x' } } }],
  ['several kinds', { type: 'object', properties: { any: { type: ['string', 'null'] } } }],
  ['no fields', { type: 'object' }],
  ['a list for an object', { type: 'array', items: { type: 'string' } }],
])('a form with %s is refused whole', (_what, schema) => {
  expect(readForm(schema)).toEqual({ ok: false, reason: expect.stringMatching(/[.]$/) });
});

test('an empty form is a form', () => {
  expect(readForm({ type: 'object', properties: {} })).toEqual({ ok: true, fields: [] });
});

test('fields that ask for a secret are found by their names and titles', () => {
  const asked = ['password', 'api_key', 'apiKey', 'accessToken', 'pin', 'creditCardNumber', '密码', 'PRIVATE-KEY', 'cvv'];
  const harmless = ['name', 'spinning', 'keyboard', 'path', 'opinion', 'compass'];
  const fields = formOf(Object.fromEntries([...asked, ...harmless].map((name) => [name, { type: 'string' }])));
  expect(secretFields(fields)).toEqual(asked);
  expect(secretFields(formOf({ x: { type: 'string', title: 'Your API key' } }))).toEqual(['x']);
});

test('patterns are handed to the worker as they are, for texts only', () => {
  const fields = formOf({ a: { type: 'string', pattern: '^(a+)+$' }, b: { type: 'string' } });
  expect(patternsOf(fields, { a: 'aa', b: 'x' })).toEqual({ type: 'object', properties: { a: { pattern: '^(a+)+$' } } });
  expect(patternsOf(fields, { b: 'x' })).toBeUndefined();
});

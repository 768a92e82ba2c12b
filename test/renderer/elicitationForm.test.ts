import { describe, expect, it } from 'vitest';
import { contentOf, initialValues, parseForm } from '../../renderer/features/approval/elicitationForm.ts';
import { type FormField, problemOf } from '../../renderer/forms/formField.ts';

const parse = (properties: Record<string, unknown>, required: string[] = []): FormField[] => {
  const form = parseForm(JSON.stringify({ type: 'object', properties, required }));
  if (!form.ok) throw new Error(form.reason);
  return form.fields;
};
const one = (schema: unknown, required = false): FormField => {
  const [field] = parse({ f: schema }, required ? ['f'] : []);
  if (field === undefined) throw new Error('No field.');
  return field;
};

describe('a form that a server asks for', () => {
  it('has a field for each kind that the protocol allows', () => {
    const fields = parse({
      text: { type: 'string', title: 'Text' },
      number: { type: 'number', default: 1.5 },
      flag: { type: 'boolean', default: true },
      named: { type: 'string', enum: ['a', 'b'], enumNames: ['Alpha', 'Beta'] },
      titled: { type: 'string', oneOf: [{ const: 'x', title: 'Ex' }] },
      several: { type: 'array', items: { type: 'string', enum: ['p', 'q'] }, default: ['q'] },
    });
    expect(fields.map(({ kind }) => kind)).toEqual(['text', 'number', 'boolean', 'choice', 'choice', 'choices']);
    expect(initialValues(fields)).toEqual({ text: '', number: '1.5', flag: true, named: '', titled: '', several: ['q'] });
    expect(fields[3]).toMatchObject({
      choices: [
        { value: 'a', label: 'Alpha' },
        { value: 'b', label: 'Beta' },
      ],
    });
    expect(fields[4]).toMatchObject({ choices: [{ value: 'x', label: 'Ex' }] });
  });

  it.each([
    ['no JSON', '{'],
    ['no fields', '{"type":"object"}'],
    ['a nested object', '{"type":"object","properties":{"a":{"type":"object","properties":{}}}}'],
    ['a list of anything', '{"type":"object","properties":{"a":{"type":"array","items":{"type":"string"}}}}'],
  ])('is not shown at all when it has %s', (_what, schema) => {
    expect(parseForm(schema).ok).toBe(false);
  });

  it.each([
    [{ type: 'string' }, true, '', 'required'],
    [{ type: 'string' }, false, '', undefined],
    [{ type: 'string', minLength: 3 }, false, 'ab', 'minLength'],
    [{ type: 'string', maxLength: 1 }, false, '😀', undefined],
    [{ type: 'string', format: 'email' }, false, 'ada@example', 'email'],
    [{ type: 'string', format: 'email' }, false, 'ada@example.com', undefined],
    [{ type: 'string', format: 'uri' }, false, 'example.com', 'uri'],
    [{ type: 'string', format: 'date' }, false, '2026-13-01', 'date'],
    [{ type: 'string', format: 'date' }, false, '2026-12-01', undefined],
    [{ type: 'string', format: 'date-time' }, false, '2026-12-01 10:00', 'dateTime'],
    [{ type: 'string', format: 'date-time' }, false, '2026-12-01T10:00:00Z', undefined],
    [{ type: 'integer' }, false, '1.5', 'integer'],
    [{ type: 'integer' }, false, '9007199254740993', 'integer'],
    [{ type: 'number' }, false, 'many', 'number'],
    [{ type: 'number', minimum: 1 }, false, '0', 'atLeast'],
    [{ type: 'number', maximum: 1 }, false, '2', 'atMost'],
    [{ type: 'string', enum: ['a'] }, true, 'b', 'required'],
  ])('%j (needed: %s) with %j: %s', (schema, required, value, code) => {
    expect(problemOf(one(schema, required), value)?.code).toBe(code);
  });

  it('sends numbers as numbers, and leaves out what was left empty', () => {
    const fields = parse({
      n: { type: 'integer' },
      s: { type: 'string' },
      e: { type: 'string' },
      b: { type: 'boolean' },
      l: { type: 'array', items: { enum: ['x'] } },
    });
    expect(contentOf(fields, { n: ' 7 ', s: '7', e: '', b: false, l: ['x'] })).toEqual({ n: 7, s: '7', b: false, l: ['x'] });
  });
});

import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import { type ArgumentField, argumentFields } from '../../renderer/features/inspector/argumentFields.ts';
import {
  type FieldRow,
  initialText,
  rowsOf,
  rowsWithProblems,
  withValue,
  type WrittenArguments,
} from '../../renderer/features/inspector/writtenArguments.ts';
import type { FormValue } from '../../renderer/forms/formField.ts';

const properties = {
  path: { type: 'string', description: 'Where it lies.' },
  limit: { type: 'integer', minimum: 1, maximum: 50, default: 10 },
  ratio: { type: 'number' },
  deep: { type: 'boolean' },
  kind: { enum: ['file', 'folder'] },
  level: { oneOf: [{ const: 1, title: 'Low' }, { const: 2 }] },
  tags: { type: 'array', items: { enum: ['a', 'b'] } },
  lines: { type: 'array', items: { type: 'string' } },
  sizes: { type: 'array', items: { type: 'number' } },
  until: { type: 'string', format: 'date' },
  owner: { type: 'object', properties: { name: { type: 'string' }, age: { type: 'integer' } }, required: ['name'] },
  maybe: { anyOf: [{ type: 'string' }, { type: 'null' }], default: null },
  pointed: { $ref: '#/$defs/Colour', description: 'Of the frame.' },
  edits: { type: 'array', items: { type: 'object' } },
};
const schema = { type: 'object', properties, required: ['path'], $defs: { Colour: { type: 'string', enum: ['red', 'blue'] } } };

function formOf(schemaOfTool: unknown): readonly ArgumentField[] {
  const fields = argumentFields(JSON.stringify(schemaOfTool));
  if (fields === undefined) throw new Error('No form.');
  return fields;
}
const fields = formOf(schema);
const written = (text: string): WrittenArguments => ({ text, drafts: {} });
const flat = (rows: readonly FieldRow[]): FieldRow[] => rows.flatMap((row) => [row, ...flat(row.rows)]);
const rowOf = (state: WrittenArguments, ...names: string[]): FieldRow => {
  const row = flat(rowsOf(fields, state)).find(({ key }) => key === JSON.stringify(names));
  if (row === undefined) throw new Error(`No field ${names.join('.')}.`);
  return row;
};
const enter = (state: WrittenArguments, names: string[], value: FormValue) => withValue(state, rowOf(state, ...names), value);
const problemsOf = (state: WrittenArguments) =>
  Object.fromEntries(
    rowsWithProblems(rowsOf(fields, state)).map(({ key, problem }) => [(JSON.parse(key) as string[]).join('.'), problem?.code]),
  );

describe('the form of a tool', () => {
  it('has a field for each argument, and JSON for what has none', () => {
    expect(Object.fromEntries(fields.map(({ name, kind }) => [name, kind]))).toEqual({
      path: 'text',
      limit: 'number',
      ratio: 'number',
      deep: 'choice',
      kind: 'choice',
      level: 'choice',
      tags: 'choices',
      lines: 'list',
      sizes: 'list',
      until: 'text',
      owner: 'group',
      maybe: 'text',
      pointed: 'choice',
      edits: 'json',
    });
    expect(fields[5]).toMatchObject({
      choices: [
        { value: '1', label: 'Low' },
        { value: '2', label: '2' },
      ],
    });
    expect(fields[12]).toMatchObject({ description: 'Of the frame.', choices: [{ label: 'red' }, { label: 'blue' }] });
  });

  it.each([
    ['is no JSON', '{'],
    ['is no object', '[]'],
    ['names no arguments', '{"type":"object"}'],
    ['names only what has no field', '{"properties":{"a":{"type":"array","items":{"type":"object"}},"b":true,"c":null}}'],
    ['points in a circle', '{"properties":{"a":{"$ref":"#/properties/a"}}}'],
    [
      'names too many',
      JSON.stringify({ properties: Object.fromEntries(Array.from({ length: 101 }, (_, n) => [`p${n}`, { type: 'string' }])) }),
    ],
  ])('is none where the schema %s', (_what, text) => {
    expect(argumentFields(text)).toBeUndefined();
  });

  it('begins with the defaults and with what is needed, and leaves out a boolean that nobody has touched', () => {
    expect(JSON.parse(initialText(fields))).toEqual({ path: '', limit: 10 });
    const needed = formOf({
      properties: {
        texts: { type: 'array', items: { type: 'string' } },
        where: { type: 'object', properties: { host: { type: 'string' }, port: { type: 'integer', default: 80 } }, required: ['host'] },
        maybe: { type: ['integer', 'null'] },
        count: { type: 'integer' },
      },
      required: ['texts', 'where', 'maybe', 'count'],
    });
    expect(JSON.parse(initialText(needed))).toEqual({ texts: [], where: { host: '', port: 80 }, maybe: null });
  });

  it('writes each kind as the JSON that it is', () => {
    let state = written(initialText(fields));
    state = enter(state, ['path'], 'a "b"\nc');
    state = enter(state, ['limit'], ' 7 ');
    state = enter(state, ['ratio'], '1e3');
    state = enter(state, ['deep'], 'false');
    state = enter(state, ['level'], '2');
    state = enter(state, ['tags'], ['"b"']);
    state = enter(state, ['lines'], 'one\n\ntwo\n');
    state = enter(state, ['sizes'], '1\n2.50');
    state = enter(state, ['owner', 'age'], '3');
    state = enter(state, ['edits'], '[{"a": 12345678901234567890}]');
    expect(JSON.parse(state.text)).toEqual({
      path: 'a "b"\nc',
      limit: 7,
      ratio: 1000,
      deep: false,
      level: 2,
      tags: ['b'],
      lines: ['one', 'two'],
      sizes: [1, 2.5],
      owner: { age: 3 },
      edits: [{ a: Number('12345678901234567890') }],
    });
    // What JSON holds exactly is not rounded on the way.
    expect(state.text).toContain('12345678901234567890');
    expect(problemsOf(state)).toEqual({ 'owner.name': 'required' });
    state = enter(enter(state, ['owner', 'age'], ''), ['deep'], '');
    expect(Object.keys(JSON.parse(state.text) as object)).not.toEqual(expect.arrayContaining(['owner']));
    expect(state.text).not.toContain('deep');
  });

  it('says what is wrong at the field, and keeps it as it was typed', () => {
    let state = written('{"path": ""}');
    state = enter(state, ['limit'], '51');
    state = enter(state, ['ratio'], '1.5.');
    state = enter(state, ['sizes'], '1\nmany');
    state = enter(state, ['edits'], '[{');
    state = enter(state, ['until'], '2026-13');
    expect(problemsOf(state)).toEqual({
      path: 'required',
      limit: 'atMost',
      ratio: 'number',
      sizes: 'number',
      edits: 'json',
      until: 'date',
    });
    expect(rowOf(state, 'edits').value).toBe('[{');
    expect(JSON.parse(state.text)).toMatchObject({ ratio: '1.5.', sizes: [1, 'many'], edits: '[{' });
  });

  it('finds nothing wrong with what the schema itself gives', () => {
    const [name] = rowsOf(formOf({ properties: { name: { type: 'string', default: '' } }, required: ['name'] }), written('{"name": ""}'));
    expect(name?.problem).toBeUndefined();
  });

  it('shows as JSON what a field cannot show whole', () => {
    const odd = '{"path": 5, "limit": "7", "lines": ["a\\nb"], "tags": ["z"], "until": "soon", "owner": [], "deep": null, "maybe": null}';
    const rows = rowsOf(fields, written(odd));
    const kinds = Object.fromEntries(rows.map(({ path, field, value }) => [path[0]?.name, [field.kind, value]]));
    expect(kinds).toMatchObject({
      path: ['json', '5'],
      limit: ['json', '"7"'],
      lines: ['json', '[\n  "a\\nb"\n]'],
      tags: ['json', '[\n  "z"\n]'],
      until: ['json', '"soon"'],
      owner: ['json', '[]'],
      deep: ['json', 'null'],
      maybe: ['text', ''],
    });
    expect(rowOf(written('{"path": "a\\rb", "tags": ["a", "a"]}'), 'path').field.kind).toBe('json');
    expect(rowOf(written('{"tags": ["a", "a"]}'), 'tags').field.kind).toBe('json');
    // It stays JSON while it is mended, so that the control does not change under the hands.
    const mended = enter(written(odd), ['limit'], '7');
    expect(rowOf(mended, 'limit')).toMatchObject({ field: { kind: 'json' }, value: '7' });
    expect(JSON.parse(mended.text)).toMatchObject({ limit: 7 });
  });
});

const typed = fc.oneof(
  fc.string(),
  fc.string({ unit: 'binary' }),
  fc.constantFrom('1', '-0', '1e400', '0x1F', '[', '{"a":1}', 'null', ' ', '2026-01-31', 'a\n b\n'),
);
const typedFields = flat(rowsOf(fields, written('{}'))).filter(({ field }) => ['text', 'number', 'list', 'json'].includes(field.kind));
const edits = fc.array(fc.tuple(fc.nat(typedFields.length - 1), typed), { maxLength: 12 });
const strange = fc.dictionary(fc.constantFrom('other', '__proto__', 'constructor', '', '7', 'x"y'), fc.jsonValue());

test('whatever is typed is shown as it was typed, by the same text, and members without a field are kept', () => {
  fc.assert(
    fc.property(edits, strange, (typing, members) => {
      const before = Object.entries(members);
      let state = written(JSON.stringify(Object.fromEntries(before)));
      const last = new Map<string, string>();
      for (const [index, value] of typing) {
        const key = typedFields[index]?.key ?? '';
        const row = flat(rowsOf(fields, state)).find((each) => each.key === key);
        if (row === undefined) throw new Error(`No field ${key}.`);
        state = withValue(state, row, value);
        last.set(key, value);
      }
      const after = JSON.parse(state.text) as object;
      expect(Object.entries(after).filter(([name]) => !Object.hasOwn(properties, name))).toEqual(
        Object.entries(JSON.parse(JSON.stringify(Object.fromEntries(before))) as object),
      );
      const rows = new Map(flat(rowsOf(fields, state)).map(({ key, value }) => [key, value]));
      for (const [key, value] of last) expect(rows.get(key)).toBe(value);
    }),
  );
});

test('any arguments are shown, and what is shown means the same when it is entered again', () => {
  const member = fc.oneof(
    fc.jsonValue(),
    fc.string({ minLength: 1 }),
    fc.integer(),
    fc.boolean(),
    fc.array(fc.string()),
    fc.array(fc.double({ noNaN: true, noDefaultInfinity: true })),
  );
  const names = fc.constantFrom(...Object.keys(properties), 'other');
  fc.assert(
    fc.property(fc.dictionary(names, member), fc.boolean(), (values, isIndented) => {
      const text = JSON.stringify(values, null, isIndented ? 2 : 0);
      let state = written(text);
      for (const row of flat(rowsOf(fields, state))) {
        // Empty is left out where it may be; that is what entering nothing means.
        if (row.field.kind !== 'group' && row.value !== '' && row.value.toString() !== '') state = withValue(state, row, row.value);
      }
      expect(JSON.parse(state.text)).toEqual(JSON.parse(text));
    }),
  );
});

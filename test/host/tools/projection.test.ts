import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { ModelLimits } from '../../../main/host/model/model.ts';
import { projectSchema } from '../../../main/host/tools/projection.ts';

const dialects: ModelLimits['dialect'][] = ['anthropic', 'openai', 'google', 'plain'];
type Schema = Record<string, unknown>;
const project = (schema: Schema, dialect: ModelLimits['dialect'] = 'openai') => projectSchema(schema, dialect).inputSchema;

/** Every object in a schema that is a schema itself. */
function schemasIn(schema: unknown): Schema[] {
  if (typeof schema !== 'object' || schema === null) return [];
  if (Array.isArray(schema)) return schema.flatMap(schemasIn);
  const own = schema as Schema;
  const properties =
    typeof own['properties'] === 'object' && own['properties'] !== null ? Object.values(own['properties']).flatMap(schemasIn) : [];
  return [
    own,
    ...properties,
    ...['items', 'anyOf', 'oneOf', 'allOf', 'additionalProperties'].flatMap((keyword) => schemasIn(own[keyword])),
  ];
}

describe.each(dialects)('for %s', (dialect) => {
  test('row 9: an array without items gets some', () => {
    const projected = project({ type: 'object', properties: { traces: { type: 'array' } } }, dialect);
    expect(projected['properties']).toEqual({ traces: { type: 'array', items: dialect === 'google' ? { type: 'string' } : {} } });
  });

  test('row 10: references inside a union are put in place, and no $defs go out', () => {
    const projected = project(
      {
        type: 'object',
        $defs: {
          A: { type: 'object', properties: { a: { type: 'string' } } },
          B: { type: 'object', properties: { b: { type: 'number' } } },
        },
        properties: { target_object: { anyOf: [{ $ref: '#/$defs/A' }, { $ref: '#/$defs/B' }] } },
      },
      dialect,
    );
    expect(projected['properties']).toEqual({
      target_object: {
        anyOf: [
          { type: 'object', properties: { a: { type: 'string' } } },
          { type: 'object', properties: { b: { type: 'number' } } },
        ],
      },
    });
    expect(JSON.stringify(projected)).not.toMatch(/\$ref|\$defs/);
  });

  test('row 11: a $ref property becomes the object it names, and stays required', () => {
    const projected = project(
      {
        $defs: {
          ScheduleQuery: {
            type: 'object',
            properties: { query: { type: 'string', default: null }, limit: { type: 'integer', default: 20 } },
          },
        },
        properties: { query_model: { $ref: '#/$defs/ScheduleQuery' } },
        required: ['query_model'],
        type: 'object',
      },
      dialect,
    );
    expect(projected).toMatchObject({
      type: 'object',
      properties: { query_model: { type: 'object', properties: { query: { type: 'string' }, limit: { type: 'integer' } } } },
      required: ['query_model'],
    });
  });

  test.each(['anyOf', 'oneOf', 'allOf'])('row 13: %s at the top is merged away, and said in words where it is a choice', (keyword) => {
    const { inputSchema, notes } = projectSchema(
      {
        type: 'object',
        properties: { a: { type: 'string' }, b: { type: 'string' } },
        [keyword]: [{ required: ['a'] }, { required: ['b'] }],
      },
      dialect,
    );
    for (const union of ['anyOf', 'oneOf', 'allOf']) expect(inputSchema).not.toHaveProperty(union);
    expect(inputSchema).toMatchObject({ type: 'object', properties: { a: { type: 'string' }, b: { type: 'string' } } });
    const isChoice = keyword !== 'allOf';
    expect(inputSchema['required']).toEqual(isChoice ? undefined : ['a', 'b']);
    expect(notes.join().includes('(1) a; (2) b')).toBe(isChoice);
  });

  test('row 14: a root without a type is an object with the properties of its branches', () => {
    const { inputSchema, notes } = projectSchema(
      {
        anyOf: [
          { type: 'object', properties: { kind: { const: 'url' }, url: { type: 'string' } }, required: ['kind', 'url'] },
          { type: 'object', properties: { kind: { const: 'file' }, path: { type: 'string' } }, required: ['kind', 'path'] },
        ],
      },
      dialect,
    );
    expect(inputSchema['type']).toBe('object');
    expect(Object.keys(inputSchema['properties'] ?? {})).toEqual(['kind', 'url', 'path']);
    expect(inputSchema['required']).toEqual(['kind']);
    expect(notes.join()).toContain('kind = "url"');
  });

  test.each([
    ['an empty schema', {}],
    ['an array at the root', { type: 'array', items: { type: 'string' } }],
    ['a list of types', { type: ['object', 'null'], properties: { a: { type: 'string' } } }],
  ])('%s still gives an object, so that no tool is dropped', (_name, schema) => {
    const projected = project(schema, dialect);
    expect(projected['type']).toBe('object');
    expect(projected['properties']).toBeTypeOf('object');
  });

  test('a schema that names itself ends', () => {
    const projected = project(
      {
        type: 'object',
        properties: { node: { $ref: '#/$defs/Node' } },
        $defs: { Node: { type: 'object', properties: { children: { type: 'array', items: { $ref: '#/$defs/Node' } } } } },
      },
      dialect,
    );
    expect(JSON.stringify(projected).length).toBeLessThan(2000);
    expect(projected['properties']).toEqual({
      node: { type: 'object', properties: { children: { type: 'array', items: { type: 'object', description: 'Another Node.' } } } },
    });
  });

  test('references to references that would unfold to millions stay small and are said to be widened', () => {
    const $defs: Schema = { L0: { type: 'string' } };
    for (let level = 1; level <= 25; level += 1)
      $defs[`L${level}`] = { type: 'object', properties: { a: { $ref: `#/$defs/L${level - 1}` }, b: { $ref: `#/$defs/L${level - 1}` } } };
    const { inputSchema, notes } = projectSchema({ type: 'object', $defs, properties: { deep: { $ref: '#/$defs/L25' } } }, dialect);
    expect(JSON.stringify(inputSchema).length).toBeLessThan(1_000_000);
    expect(notes.join()).toContain('too deep or too large');
  });

  test('a reference to another document is never followed and takes any value', () => {
    const projected = project({ type: 'object', properties: { x: { $ref: 'https://example.com/schema.json#/$defs/X' } } }, dialect);
    expect(JSON.stringify(projected)).not.toContain('example.com');
    expect(projected).toMatchObject({ properties: { x: { description: expect.stringContaining('Any value') } } });
  });

  test('the original is left as it was', () => {
    const original = {
      type: 'object',
      $defs: { A: { type: 'array' } },
      properties: { a: { $ref: '#/$defs/A' }, b: { const: 1 } },
      anyOf: [{ required: ['a'] }],
    };
    const before = JSON.stringify(original);
    project(original, dialect);
    expect(JSON.stringify(original)).toBe(before);
  });

  test('hidden characters in descriptions do not reach the model', () => {
    const projected = project(
      { type: 'object', properties: { a: { type: 'string', description: 'A\u200b path\u{e0049}\u{e0067}\u{e006e}\u202e.' } } },
      dialect,
    );
    expect(projected).toMatchObject({ properties: { a: { description: 'A path.' } } });
  });

  test('a property called $ref, __proto__ or definitions is a property', () => {
    const schema = JSON.parse('{"type":"object","properties":{"definitions":{"type":"string"},"__proto__":{"type":"number"}}}') as Schema;
    const properties = project(schema, dialect)['properties'];
    expect(Object.keys(properties ?? {})).toContain('definitions');
    expect(Object.hasOwn(properties ?? {}, '__proto__')).toBe(true);
  });

  test('whatever a server sends: no exception, an object at the root, items in every array, no reference left', () => {
    const leaf = fc.oneof(
      fc.constantFrom('string', 'object', 'array', 'any', ['string', 'null'], ['array', 'object'], true, 5, null),
      fc.string({ maxLength: 5 }),
    );
    const schema = fc.letrec((tie) => ({
      schema: fc.oneof(
        { maxDepth: 4 },
        fc.boolean(),
        fc.record(
          {
            type: leaf,
            $ref: fc.constantFrom('#', '#/properties/a', '#/$defs/a', '#/nowhere', 'http://x/y', '#%', '#/%zz', 7),
            items: fc.oneof(tie('schema'), fc.array(tie('schema'), { maxLength: 2 })),
            prefixItems: fc.array(tie('schema'), { maxLength: 2 }),
            properties: fc.dictionary(fc.constantFrom('a', 'b', '$filter', '文'), tie('schema'), { maxKeys: 3 }),
            required: fc.oneof(fc.array(fc.constantFrom('a', 'zz')), fc.constant(true)),
            anyOf: fc.array(tie('schema'), { maxLength: 3 }),
            oneOf: fc.array(tie('schema'), { maxLength: 2 }),
            allOf: fc.array(tie('schema'), { maxLength: 2 }),
            enum: fc.array(fc.oneof(fc.string({ maxLength: 3 }), fc.integer(), fc.constant(null))),
            const: fc.oneof(fc.string(), fc.integer(), fc.boolean(), fc.constant(null)),
            additionalProperties: tie('schema'),
            $defs: fc.dictionary(fc.constantFrom('a', 'b'), tie('schema'), { maxKeys: 2 }),
            description: fc.oneof(fc.string(), fc.integer()),
            nullable: fc.boolean(),
          },
          { requiredKeys: [] },
        ),
      ),
    })).schema;
    fc.assert(
      fc.property(schema, (candidate) => {
        if (typeof candidate !== 'object' || candidate === null) return;
        const projected = project(candidate as Schema, dialect);
        expect(projected['type']).toBe('object');
        expect(JSON.stringify(projected)).not.toMatch(/"\$ref"|"\$defs"/);
        const bare = schemasIn(projected).filter(({ type, items }) => [type].flat().includes('array') && items === undefined);
        expect(bare).toEqual([]);
      }),
      { seed: 20261130, numRuns: 400 },
    );
  });
});

describe('for Gemini', () => {
  test('row 26: additionalProperties, $schema, unknown formats and const do not go out', () => {
    const projected = project(
      {
        $schema: 'http://json-schema.org/draft-07/schema#',
        type: 'object',
        additionalProperties: false,
        properties: {
          nodes: { type: 'array' },
          when: { type: 'string', format: 'date-time' },
          link: { type: 'string', format: 'uri' },
          mode: { const: 'fast' },
          level: { type: 'integer', enum: [1, 2] },
          options: { type: 'object', additionalProperties: { type: 'string' }, patternProperties: { '^x': {} } },
          count: { type: 'integer', exclusiveMinimum: 0, multipleOf: 2 },
        },
        required: ['nodes', 'ghost'],
      },
      'google',
    );
    expect(projected).toEqual({
      type: 'object',
      properties: {
        nodes: { type: 'array', items: { type: 'string' } },
        when: { type: 'string', format: 'date-time' },
        link: { type: 'string' },
        mode: { type: 'string', enum: ['fast'] },
        level: { type: 'integer', enum: [1, 2] },
        options: { type: 'object' },
        count: { type: 'integer' },
      },
      required: ['nodes'],
    });
  });

  test('a choice of types becomes a union, null stays a type, oneOf becomes anyOf, a nested allOf is merged', () => {
    expect(
      project(
        {
          type: 'object',
          properties: {
            a: { type: ['string', 'null'] },
            b: { type: ['string', 'number'], description: 'Either.' },
            c: { oneOf: [{ type: 'string' }, { type: 'number' }] },
            d: { allOf: [{ type: 'object', properties: { x: { type: 'string' } } }, { properties: { y: { type: 'number' } } }] },
          },
        },
        'google',
      )['properties'],
    ).toEqual({
      a: { type: ['string', 'null'] },
      b: { description: 'Either.', anyOf: [{ type: 'string' }, { type: 'number' }] },
      c: { anyOf: [{ type: 'string' }, { type: 'number' }] },
      d: { type: 'object', properties: { x: { type: 'string' }, y: { type: 'number' } } },
    });
  });
});

test('Anthropic refuses property names with other characters: they are said in words and may still be given', () => {
  const { inputSchema, notes } = projectSchema(
    {
      type: 'object',
      properties: { $filter: { type: 'string' }, top: { type: 'integer' } },
      required: ['$filter'],
      additionalProperties: false,
    },
    'anthropic',
  );
  expect(inputSchema).toEqual({ type: 'object', properties: { top: { type: 'integer' } } });
  expect(notes.join()).toContain('"$filter", required');
});

test('what is valid stays as it is for the others', () => {
  const schema = {
    type: 'object',
    properties: {
      path: { type: 'string', description: 'Where.', minLength: 1 },
      tags: { type: 'array', items: { type: 'string', enum: ['a', 'b'] }, maxItems: 3 },
    },
    required: ['path'],
    additionalProperties: false,
  };
  expect(project(schema, 'openai')).toEqual(schema);
  expect(project(schema, 'anthropic')).toEqual(schema);
});

import type { ModelLimits } from '../model/model.ts';
import { inlineReferences } from './inlineReferences.ts';
import { plainText } from './plainText.ts';

type Schema = Record<string, unknown>;
type Dialect = ModelLimits['dialect'];

/** What a model's API gets in place of a tool's schema. */
export interface Projection {
  inputSchema: Schema;
  /** What the schema could not say there, in words for the description; empty when nothing was lost. */
  notes: string[];
}

const maxSchemaText = 1000;

/** Keywords that stay, by dialect; whatever else a server wrote goes no further. `properties`, `items` and the unions are handled apart. */
const common = ['type', 'title', 'description', 'default', 'enum', 'const', 'format', 'minimum', 'maximum', 'minItems', 'maxItems'];
const keywords: Record<Dialect, ReadonlySet<string>> = {
  anthropic: new Set([
    ...common,
    'pattern',
    'exclusiveMinimum',
    'exclusiveMaximum',
    'multipleOf',
    'minLength',
    'maxLength',
    'uniqueItems',
    'examples',
  ]),
  openai: new Set([...common, 'pattern', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf', 'minLength', 'maxLength', 'examples']),
  google: new Set(['type', 'title', 'description', 'enum', 'format', 'minimum', 'maximum', 'minItems', 'maxItems']),
  // Local runtimes turn a schema into a grammar; patterns and formats are where that fails.
  plain: new Set(['type', 'title', 'description', 'default', 'enum', 'const', 'minimum', 'maximum', 'minItems', 'maxItems']),
};
const typeNames = new Set(['object', 'array', 'string', 'number', 'integer', 'boolean', 'null']);
const googleFormats = new Set(['enum', 'date-time', 'float', 'double', 'int32', 'int64']);
/** Anthropic refuses a whole request for one property outside this. */
const anthropicProperty = /^[a-zA-Z0-9_.-]{1,64}$/;

/**
 * A derived copy of a tool's input schema that the dialect's API accepts. It never throws and never drops a tool:
 * what cannot be said is widened, and said in words. The original stays the only thing that validates arguments.
 */
export function projectSchema(original: Schema, dialect: Dialect): Projection {
  const notes: string[] = [];
  const { schema, widened } = inlineReferences(original);
  if (widened) notes.push('Parts of the argument schema are too deep or too large to show; they take any value.');
  const root = asObject(schema, notes);
  const projected = projectObject(root, dialect, notes, true);
  return { inputSchema: projected, notes: [...new Set(notes)].map((note) => plainText(note, maxSchemaText)) };
}

/** Merges unions at the root and gives it the type `object`, which every API demands there. */
function asObject(schema: Schema, notes: string[]): Schema {
  const types = typesOf(schema);
  if (types.length > 0 && !types.includes('object')) {
    notes.push(`The server describes the arguments as ${types.join(' or ')}, which no call can carry; pass an object.`);
    return { type: 'object' };
  }
  let merged: Schema = { ...schema, type: 'object' };
  for (const branch of branches(schema['allOf'])) merged = mergeObjects(merged, asObject(branch, notes), 'all');
  for (const union of ['anyOf', 'oneOf'] as const) {
    const options = branches(schema[union]).map((branch) => asObject(branch, notes));
    if (options.length === 0) continue;
    merged = options.reduce((whole, option) => mergeObjects(whole, option, 'any'), merged);
    const always = options.map(requiredOf).reduce((shared, list) => shared.filter((name) => list.includes(name)));
    merged['required'] = [...new Set([...requiredOf(merged), ...always])];
    const sets = options.map((option) => describeOption(option, merged)).filter((text) => text !== '');
    if (sets.length > 1)
      notes.push(
        `Arguments must fit ${union === 'oneOf' ? 'exactly one' : 'at least one'} of: ${sets.map((set, index) => `(${index + 1}) ${set}`).join('; ')}.`,
      );
  }
  for (const keyword of ['anyOf', 'oneOf', 'allOf', 'not', 'enum', 'const', 'if', 'then', 'else', 'nullable']) delete merged[keyword];
  return merged;
}

function describeOption(option: Schema, whole: Schema): string {
  const needed = requiredOf(option);
  const fixed = Object.entries(propertiesOf(option)).flatMap(([name, value]) => {
    const constant = isSchema(value)
      ? (value['const'] ?? (Array.isArray(value['enum']) && value['enum'].length === 1 ? value['enum'][0] : undefined))
      : undefined;
    return constant === undefined ? [] : [`${name} = ${JSON.stringify(constant)}`];
  });
  const own = Object.keys(propertiesOf(option)).filter((name) => !needed.includes(name) && name in propertiesOf(whole));
  if (fixed.length > 0) return [fixed.join(', '), needed.length > 0 ? `with ${needed.join(', ')}` : ''].filter(Boolean).join(' ');
  if (needed.length > 0) return needed.join(', ');
  return own.length > 0 ? `optional ${own.join(', ')}` : '';
}

function mergeObjects(base: Schema, extra: Schema, mode: 'all' | 'any'): Schema {
  const properties: Schema = { ...propertiesOf(base) };
  for (const [name, value] of Object.entries(propertiesOf(extra))) {
    const known = properties[name];
    if (known === undefined || isEmpty(known)) properties[name] = value;
    else if (!isEmpty(value) && JSON.stringify(known) !== JSON.stringify(value)) properties[name] = mergeValues(known, value, mode);
  }
  const required = mode === 'all' ? [...new Set([...requiredOf(base), ...requiredOf(extra)])] : requiredOf(base);
  const merged: Schema = { ...base, properties, required };
  if (merged['description'] === undefined && mode === 'all' && extra['description'] !== undefined)
    merged['description'] = extra['description'];
  return merged;
}

/** Two descriptions of one property: both hold, or either does. */
function mergeValues(known: unknown, value: unknown, mode: 'all' | 'any'): unknown {
  if (mode === 'all' && isSchema(known) && isSchema(value)) return { ...known, ...value };
  const options = isSchema(known) && Array.isArray(known['anyOf']) && Object.keys(known).length === 1 ? known['anyOf'] : [known];
  return options.some((option) => JSON.stringify(option) === JSON.stringify(value)) ? known : { anyOf: [...options, value] };
}

function projectObject(schema: Schema, dialect: Dialect, notes: string[], isRoot: boolean): Schema {
  const projected = projectKeywords(schema, dialect);
  const properties: Schema = {};
  const dropped = new Set<string>();
  for (const [name, value] of Object.entries(propertiesOf(schema))) {
    if (value === false) {
      dropped.add(name);
    } else if (plainText(name, Number.MAX_SAFE_INTEGER) !== name) {
      // The model could not write it without reading it.
      dropped.add(name);
      notes.push('There is a further argument whose name holds characters that nobody sees; it is left out.');
    } else if (dialect === 'anthropic' && !anthropicProperty.test(name)) {
      dropped.add(name);
      notes.push(
        `There is a further argument ${JSON.stringify(name)}${requiredOf(schema).includes(name) ? ', required' : ''}: ${JSON.stringify(projectAny(value, dialect, notes))}.`,
      );
    } else {
      Object.defineProperty(properties, name, {
        value: projectAny(value, dialect, notes),
        enumerable: true,
        writable: true,
        configurable: true,
      });
    }
  }
  if (isRoot || Object.keys(properties).length > 0) projected['properties'] = properties;
  // Gemini refuses a required name that has no property.
  const required = requiredOf(schema).filter(
    (name) =>
      !dropped.has(name) &&
      (Object.hasOwn(properties, name) || (dialect !== 'google' && plainText(name, Number.MAX_SAFE_INTEGER) === name)),
  );
  if (required.length > 0) projected['required'] = required;
  const additional = schema['additionalProperties'];
  if (dialect !== 'google' && additional !== undefined && dropped.size === 0) {
    projected['additionalProperties'] = typeof additional === 'boolean' ? additional : projectAny(additional, dialect, notes);
  }
  return projected;
}

function projectAny(value: unknown, dialect: Dialect, notes: string[]): Schema {
  if (!isSchema(value)) return dialect === 'google' ? { type: 'string' } : {};
  const schema = dialect === 'google' ? mergeNestedAllOf(value) : value;
  const types = typesOf(schema);
  if (dialect === 'google' && types.filter((type) => type !== 'null').length > 1) {
    const { type: _type, ...rest } = schema;
    return projectAny({ ...rest, anyOf: types.map((type) => narrowed(rest, type)) }, dialect, notes);
  }
  const projected = looksLikeObject(schema, types) ? projectObject(schema, dialect, notes, false) : projectKeywords(schema, dialect);
  if (types.includes('array') || (types.length === 0 && 'items' in schema)) {
    projected['type'] ??= 'array';
    projected['items'] = projectItems(schema, dialect, notes);
  }
  for (const [keyword, options] of unionsOf(schema, dialect)) {
    projected[keyword] = options.map((option) => projectAny(option, dialect, notes));
    // Gemini reads nothing beside a union but its description.
    if (dialect === 'google')
      for (const other of Object.keys(projected)) if (other !== keyword && other !== 'description') delete projected[other];
  }
  if (dialect === 'google' && Object.keys(projected).every((keyword) => keyword === 'description' || keyword === 'title'))
    projected['type'] = 'string';
  return projected;
}

/** The members that make sense for one type of a list of types. */
function narrowed(schema: Schema, type: string): Schema {
  if (type === 'array') return { type, items: schema['items'] };
  if (type === 'object') return { type, properties: schema['properties'] ?? {}, required: schema['required'] ?? [] };
  const {
    items: _items,
    properties: _properties,
    required: _required,
    anyOf: _anyOf,
    oneOf: _oneOf,
    description: _description,
    ...rest
  } = schema;
  return { ...rest, type };
}

function projectItems(schema: Schema, dialect: Dialect, notes: string[]): Schema {
  const items = schema['items'];
  const tuple = Array.isArray(schema['prefixItems']) ? schema['prefixItems'] : Array.isArray(items) ? items : undefined;
  if (tuple !== undefined && tuple.length > 0) {
    const options = tuple.map((item) => projectAny(item, dialect, notes));
    const unique = [...new Map(options.map((option) => [JSON.stringify(option), option])).values()];
    return unique.length === 1 && unique[0] !== undefined ? unique[0] : { anyOf: unique };
  }
  return projectAny(items, dialect, notes);
}

function unionsOf(schema: Schema, dialect: Dialect): [string, Schema[]][] {
  const found: [string, Schema[]][] = [];
  const either = [...branches(schema['anyOf']), ...(dialect === 'google' ? branches(schema['oneOf']) : [])];
  if (either.length > 0) found.push(['anyOf', either]);
  if (dialect !== 'google') {
    for (const keyword of ['oneOf', 'allOf']) {
      const options = branches(schema[keyword]);
      if (options.length > 0) found.push([keyword, options]);
    }
  }
  return found;
}

function mergeNestedAllOf(schema: Schema): Schema {
  return branches(schema['allOf']).reduce<Schema>(
    (merged, branch) => {
      const inner = mergeNestedAllOf(branch);
      return 'properties' in inner || 'properties' in merged
        ? { ...inner, ...mergeObjects(merged, inner, 'all') }
        : { ...inner, ...merged };
    },
    Object.fromEntries(Object.entries(schema).filter(([keyword]) => keyword !== 'allOf')),
  );
}

function projectKeywords(schema: Schema, dialect: Dialect): Schema {
  const projected: Schema = {};
  for (const keyword of keywords[dialect]) {
    const value = schema[keyword];
    if (value === undefined) continue;
    const fitting = projectKeyword(keyword, value, schema, dialect);
    if (fitting !== undefined) projected[keyword] = fitting;
  }
  if (dialect === 'google') {
    const constant = schema['const'];
    if (typeof constant === 'string' || typeof constant === 'number') {
      projected['enum'] = [constant];
      projected['type'] ??= typeof constant === 'string' ? 'string' : 'number';
    } else if (constant !== undefined) {
      projected['description'] = plainText(`${String(projected['description'] ?? '')} Always ${JSON.stringify(constant)}.`, maxSchemaText);
      projected['type'] ??= constant === null ? 'null' : typeof constant === 'boolean' ? 'boolean' : 'object';
    }
    if (projected['enum'] !== undefined)
      projected['type'] ??= typeof (projected['enum'] as unknown[])[0] === 'number' ? 'number' : 'string';
  }
  if (schema['nullable'] === true && typeof projected['type'] === 'string') projected['type'] = [projected['type'], 'null'];
  return projected;
}

/** The value as the dialect bears it; undefined drops the keyword. */
function projectKeyword(keyword: string, value: unknown, schema: Schema, dialect: Dialect): unknown {
  switch (keyword) {
    case 'type': {
      const types = typesOf(schema);
      return types.length === 0 ? undefined : types.length === 1 ? types[0] : types;
    }
    case 'title':
    case 'description':
      return typeof value === 'string' && value !== '' ? plainText(value, maxSchemaText) : undefined;
    case 'enum': {
      if (!Array.isArray(value) || value.length === 0) return undefined;
      if (dialect !== 'google') return value.map(visible);
      const fitting = value.filter((option) => typeof option === 'string' || typeof option === 'number');
      const oneType = fitting.every((option) => typeof option === typeof fitting[0]);
      return fitting.length === 0 || !oneType || fitting.includes('') ? undefined : fitting.map(visible);
    }
    case 'format':
      return typeof value === 'string' && (dialect !== 'google' || googleFormats.has(value)) ? plainText(value, 64) : undefined;
    case 'pattern':
      return typeof value === 'string' && plainText(value, maxSchemaText) === value ? value : undefined;
    case 'default':
    case 'const':
    case 'examples':
      return JSON.stringify(value).length <= maxSchemaText ? visible(value) : undefined;
    case 'uniqueItems':
      return typeof value === 'boolean' ? value : undefined;
    default:
      return typeof value === 'number' ? value : undefined;
  }
}

function visible(value: unknown): unknown {
  if (typeof value === 'string') return plainText(value, maxSchemaText);
  if (Array.isArray(value)) return value.map(visible);
  return isSchema(value)
    ? Object.fromEntries(Object.entries(value).map(([name, member]) => [plainText(name, maxSchemaText), visible(member)]))
    : value;
}

function typesOf(schema: Schema): string[] {
  const type = schema['type'];
  return (Array.isArray(type) ? type : [type]).filter((name): name is string => typeof name === 'string' && typeNames.has(name));
}

function looksLikeObject(schema: Schema, types: string[]): boolean {
  return types.includes('object') || (types.length === 0 && isSchema(schema['properties']));
}

function propertiesOf(schema: Schema): Schema {
  return isSchema(schema['properties']) ? schema['properties'] : {};
}

function requiredOf(schema: Schema): string[] {
  return Array.isArray(schema['required']) ? schema['required'].filter((name): name is string => typeof name === 'string') : [];
}

function branches(value: unknown): Schema[] {
  return Array.isArray(value) ? value.filter(isSchema) : [];
}

function isEmpty(value: unknown): boolean {
  return value === true || (isSchema(value) && Object.keys(value).length === 0);
}

function isSchema(value: unknown): value is Schema {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

import {
  choicesOf,
  type FieldCommon,
  type FormField,
  isObject,
  type Json,
  numberOf,
  set,
  simpleField,
  textOf,
} from '../../forms/formField.ts';

type Kind =
  | Extract<FormField, { kind: 'text' | 'number' | 'choice' | 'choices' }>
  /** Texts or numbers, one a line. */
  | (FieldCommon & { kind: 'list'; of: 'text' | 'number' })
  /** Whatever has no field of its own, written as JSON. */
  | (FieldCommon & { kind: 'json' })
  | (FieldCommon & { kind: 'group'; fields: readonly ArgumentField[] });

/**
 * One field for an argument of a tool. Choices have their values as JSON, so that numbers and booleans can be chosen as well; a boolean
 * is a choice of two, since left out and false are not the same.
 */
export type ArgumentField = Kind & {
  /** May be null. */
  nullable: boolean;
  /** The default of the schema, as JSON. */
  begins?: string;
  /** What is sent when nothing is entered, as JSON; without it the member is left out. */
  empty?: string;
};

/** More would be no form that a person fills in. */
const mostFields = 100;

const booleans = [true, false].map((value) => ({ value: String(value), label: String(value) }));

/**
 * The form of a tool's input schema. Undefined where there is none: the schema names no arguments, more than 100, or none that has a field
 * of its own. Arguments it does not name are no part of the form. Parts that are pointed at are read where they lie in the schema itself.
 */
export function argumentFields(schemaJson: string): readonly ArgumentField[] | undefined {
  let root: unknown;
  try {
    root = JSON.parse(schemaJson);
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
  if (!isObject(root)) return undefined;
  const fields = fieldsOf(root, root, false);
  const count = fields.reduce((sum, field) => sum + (field.kind === 'group' ? field.fields.length : 1), 0);
  return count > mostFields || fields.every(({ kind }) => kind === 'json') ? undefined : fields;
}

function fieldsOf(root: Json, schema: Json, nested: boolean): ArgumentField[] {
  const properties = isObject(schema['properties']) ? schema['properties'] : {};
  const required: readonly unknown[] = Array.isArray(schema['required']) ? schema['required'] : [];
  return Object.entries(properties).map(([name, each]) => fieldOf(root, name, each, required.includes(name), nested));
}

function fieldOf(root: Json, name: string, property: unknown, needed: boolean, nested: boolean): ArgumentField {
  const { schema, nullable } = withoutNull(root, resolved(root, property));
  // What the one who points at a part says of it goes before what the part says.
  const said = isObject(property) ? { ...schema, ...property } : schema;
  const initial = said['default'];
  const common: FieldCommon = {
    name,
    label: name,
    ...set('description', textOf(said['description']) ?? textOf(said['title'])),
    required: needed && !nullable,
  };
  const kind = kindOf(root, common, schema, nested);
  const nothing = nullable ? 'null' : kind.kind === 'text' ? '""' : kind.kind === 'list' || kind.kind === 'choices' ? '[]' : undefined;
  return {
    ...kind,
    nullable,
    ...set('begins', initial === undefined || initial === null ? undefined : JSON.stringify(initial)),
    ...set('empty', needed ? nothing : undefined),
  };
}

function kindOf(root: Json, common: FieldCommon, schema: Json, nested: boolean): Kind {
  const choices = plainChoices(schema);
  if (choices !== undefined) return { ...common, kind: 'choice', choices, initial: '' };
  if (schema['type'] === 'boolean') return { ...common, kind: 'choice', choices: booleans, initial: '' };
  const simple = simpleField(common, schema);
  if (simple?.kind === 'text' || simple?.kind === 'number') return simple;
  if (schema['type'] === 'array') {
    const items = resolved(root, schema['items']);
    const several = plainChoices(items);
    if (several !== undefined) {
      const limits = { ...set('minItems', numberOf(schema['minItems'])), ...set('maxItems', numberOf(schema['maxItems'])) };
      return { ...common, kind: 'choices', choices: several, ...limits, initial: [] };
    }
    if (items['type'] === 'string') return { ...common, kind: 'list', of: 'text' };
    if (items['type'] === 'number' || items['type'] === 'integer') return { ...common, kind: 'list', of: 'number' };
  }
  if (schema['type'] === 'object' && !nested) {
    const fields = fieldsOf(root, schema, true);
    if (fields.length > 0) return { ...common, kind: 'group', fields };
  }
  return { ...common, kind: 'json' };
}

const isPlain = (value: unknown): boolean => ['string', 'number', 'boolean'].includes(typeof value) || value === null;

/** Choices where all of them are texts, numbers, booleans or null. */
function plainChoices(schema: Json): ReturnType<typeof choicesOf> {
  if (isPlain(schema['const'])) return choicesOf({ enum: [schema['const']] }, (value) => JSON.stringify(value));
  const listed = schema['oneOf'] ?? schema['anyOf'];
  const values: unknown[] = Array.isArray(listed)
    ? listed.map((each: unknown) => (isObject(each) ? each['const'] : undefined))
    : Array.isArray(schema['enum'])
      ? schema['enum']
      : [];
  return values.length > 0 && values.every(isPlain) ? choicesOf(schema, (value) => JSON.stringify(value)) : undefined;
}

/** A schema without the "or null" that may stand beside it: `["string", "null"]`, or a choice of two schemas of which one is null. */
function withoutNull(root: Json, schema: Json): { schema: Json; nullable: boolean } {
  const { type } = schema;
  if (Array.isArray(type)) {
    const others: unknown[] = type.filter((each) => each !== 'null');
    if (others.length === 1) return { schema: { ...schema, type: others[0] }, nullable: others.length < type.length };
  }
  for (const key of ['anyOf', 'oneOf']) {
    const each = schema[key];
    if (!Array.isArray(each) || each.length !== 2) continue;
    const others = each.map((one: unknown) => resolved(root, one)).filter((one) => one['type'] !== 'null');
    const [other] = others;
    if (other !== undefined && others.length === 1) return { schema: other, nullable: true };
  }
  return { schema, nullable: false };
}

/** Follows `$ref` within the schema, and `allOf` of one; a part that is not there is a schema that says nothing. */
function resolved(root: Json, schema: unknown): Json {
  let found = schema;
  for (let steps = 0; steps < 8; steps += 1) {
    if (!isObject(found)) return {};
    const all = found['allOf'];
    const ref = textOf(found['$ref']);
    if (ref !== undefined) found = partOf(root, ref);
    else if (Array.isArray(all) && all.length === 1 && found['type'] === undefined) found = all[0] as unknown;
    else return found;
  }
  return {};
}

function partOf(root: Json, ref: string): unknown {
  if (!ref.startsWith('#/')) return undefined;
  let part: unknown = root;
  for (const step of ref.slice(2).split('/')) {
    const name = step.replaceAll('~1', '/').replaceAll('~0', '~');
    part = isObject(part) && Object.hasOwn(part, name) ? part[name] : undefined;
  }
  return part;
}

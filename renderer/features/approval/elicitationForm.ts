import type { InputAnswer } from '../../../preload/contract/policy.ts';
import {
  choicesOf,
  type FieldCommon,
  type FormField,
  type FormValues,
  isObject,
  type Json,
  numberOf,
  set,
  simpleField,
  textOf,
} from '../../forms/formField.ts';

type Content = NonNullable<Extract<InputAnswer, { action: 'accept' }>['content']>;

/** One field of the flat form that a server may ask for (MCP 2025-11-25, elicitation, requested schema). */
function fieldOf(name: string, schema: Json, required: boolean): FormField | undefined {
  const common: FieldCommon = {
    name,
    label: textOf(schema['title']) ?? name,
    ...set('description', textOf(schema['description'])),
    required,
  };
  const initial = schema['default'];
  const choices = choicesOf(schema);
  if (choices !== undefined) return { ...common, kind: 'choice', choices, initial: textOf(initial) ?? '' };
  if (schema['type'] !== 'array') return simpleField(common, schema);
  const items = isObject(schema['items']) ? choicesOf(schema['items']) : undefined;
  if (items === undefined) return undefined;
  return {
    ...common,
    kind: 'choices',
    choices: items,
    ...set('minItems', numberOf(schema['minItems'])),
    ...set('maxItems', numberOf(schema['maxItems'])),
    initial: Array.isArray(initial) ? initial.filter((each) => typeof each === 'string') : [],
  };
}

/** The form of a requested schema, or a sentence on why it cannot be shown. A form of which a field is unknown is not shown in part. */
export function parseForm(schemaJson: string): { ok: true; fields: FormField[] } | { ok: false; reason: string } {
  let schema: unknown;
  try {
    schema = JSON.parse(schemaJson);
  } catch (error) {
    if (error instanceof SyntaxError) return { ok: false, reason: 'It is not JSON.' };
    throw error;
  }
  const properties = isObject(schema) ? schema['properties'] : undefined;
  if (!isObject(schema) || !isObject(properties)) return { ok: false, reason: 'It lists no fields.' };
  const required: readonly unknown[] = Array.isArray(schema['required']) ? schema['required'] : [];
  const fields: FormField[] = [];
  for (const [name, each] of Object.entries(properties)) {
    const field = isObject(each) ? fieldOf(name, each, required.includes(name)) : undefined;
    if (field === undefined) return { ok: false, reason: `The field "${name}" is of a kind that the protocol does not allow here.` };
    fields.push(field);
  }
  return { ok: true, fields };
}

/** Defaults of the server, but for fields that ask for a secret: nothing is filled in there. */
export const initialValues = (fields: readonly FormField[], secrets: readonly string[] = []): FormValues =>
  Object.fromEntries(fields.map((field) => [field.name, field.kind === 'text' && secrets.includes(field.name) ? '' : field.initial]));

/** What is sent for values without problems: empty optional fields are left out. */
export function contentOf(fields: readonly FormField[], values: FormValues): Content {
  const content: Content = {};
  for (const field of fields) {
    const value = values[field.name];
    if (field.kind === 'boolean') content[field.name] = value === true;
    else if (Array.isArray(value)) {
      if (value.length > 0) content[field.name] = [...value];
    } else if (typeof value === 'string' && value !== '') content[field.name] = field.kind === 'number' ? Number(value.trim()) : value;
  }
  return content;
}

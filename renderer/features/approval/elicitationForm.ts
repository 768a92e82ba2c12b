import type { InputAnswer } from '../../../preload/contract/policy.ts';

type Content = NonNullable<Extract<InputAnswer, { action: 'accept' }>['content']>;
type Choice = { value: string; label: string };
interface Common {
  name: string;
  label: string;
  description?: string;
  required: boolean;
}

/** One field of the flat form that a server may ask for (MCP 2025-11-25, elicitation, requested schema). */
export type FormField = Common &
  (
    | { kind: 'text'; format?: 'email' | 'uri' | 'date' | 'date-time'; minLength?: number; maxLength?: number; initial: string }
    | { kind: 'number'; integer: boolean; minimum?: number; maximum?: number; initial: string }
    | { kind: 'boolean'; initial: boolean }
    | { kind: 'choice'; choices: readonly Choice[]; initial: string }
    | { kind: 'choices'; choices: readonly Choice[]; minItems?: number; maxItems?: number; initial: readonly string[] }
  );

export type FormValue = string | boolean | readonly string[];
export type FormValues = Readonly<Record<string, FormValue>>;

type Json = Readonly<Record<string, unknown>>;
const isObject = (value: unknown): value is Json => typeof value === 'object' && value !== null && !Array.isArray(value);
const textOf = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined);
const numberOf = (value: unknown): number | undefined => (typeof value === 'number' ? value : undefined);
const set = <Key extends string, Value>(key: Key, value: Value | undefined): Partial<Record<Key, Value>> =>
  value === undefined ? {} : ({ [key]: value } as Record<Key, Value>);

function choicesOf(schema: Json): Choice[] | undefined {
  const titled = schema['oneOf'] ?? schema['anyOf'];
  if (Array.isArray(titled)) {
    return titled.flatMap((each: unknown) => {
      const value = isObject(each) ? textOf(each['const']) : undefined;
      return isObject(each) && value !== undefined ? [{ value, label: textOf(each['title']) ?? value }] : [];
    });
  }
  if (!Array.isArray(schema['enum'])) return undefined;
  const names = Array.isArray(schema['enumNames']) ? schema['enumNames'] : [];
  return schema['enum'].flatMap((value: unknown, index) =>
    typeof value === 'string' ? [{ value, label: textOf(names[index]) ?? value }] : [],
  );
}

const formats = ['email', 'uri', 'date', 'date-time'] as const;

function fieldOf(name: string, schema: Json, required: boolean): FormField | undefined {
  const common: Common = { name, label: textOf(schema['title']) ?? name, ...set('description', textOf(schema['description'])), required };
  const initial = schema['default'];
  const choices = choicesOf(schema);
  if (choices !== undefined) return { ...common, kind: 'choice', choices, initial: textOf(initial) ?? '' };
  switch (schema['type']) {
    case 'string':
      return {
        ...common,
        kind: 'text',
        ...set(
          'format',
          formats.find((format) => format === schema['format']),
        ),
        ...set('minLength', numberOf(schema['minLength'])),
        ...set('maxLength', numberOf(schema['maxLength'])),
        initial: textOf(initial) ?? '',
      };
    case 'number':
    case 'integer':
      return {
        ...common,
        kind: 'number',
        integer: schema['type'] === 'integer',
        ...set('minimum', numberOf(schema['minimum'])),
        ...set('maximum', numberOf(schema['maximum'])),
        initial: numberOf(initial)?.toString() ?? '',
      };
    case 'boolean':
      return { ...common, kind: 'boolean', initial: initial === true };
    case 'array': {
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
    default:
      return undefined;
  }
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

export type FieldProblem =
  | { code: 'required' | 'number' | 'integer' | 'email' | 'uri' | 'date' | 'dateTime' }
  | { code: 'atLeast' | 'atMost' | 'minLength' | 'maxLength' | 'minItems' | 'maxItems'; limit: number };

function textProblem(field: Extract<FormField, { kind: 'text' }>, value: string): FieldProblem | undefined {
  const length = [...value].length;
  if (field.minLength !== undefined && length < field.minLength) return { code: 'minLength', limit: field.minLength };
  if (field.maxLength !== undefined && length > field.maxLength) return { code: 'maxLength', limit: field.maxLength };
  if (field.format === 'email' && !/^[^\s@]+@[^\s@]+\.[^\s@]+$/.test(value)) return { code: 'email' };
  if (field.format === 'uri' && !URL.canParse(value)) return { code: 'uri' };
  if (field.format === 'date' && !(/^\d{4}-\d{2}-\d{2}$/.test(value) && !Number.isNaN(Date.parse(value)))) return { code: 'date' };
  if (field.format === 'date-time' && !(/^\d{4}-\d{2}-\d{2}T.+(?:Z|[+-]\d{2}:\d{2})$/.test(value) && !Number.isNaN(Date.parse(value)))) {
    return { code: 'dateTime' };
  }
  return undefined;
}

/** What is wrong with one value, undefined when nothing is. An optional field may stay empty. */
export function problemOf(field: FormField, value: FormValue | undefined): FieldProblem | undefined {
  if (field.kind === 'boolean') return undefined;
  if (field.kind === 'choices') {
    const count = Array.isArray(value) ? value.length : 0;
    if (count === 0) return field.required ? { code: 'required' } : undefined;
    if (field.minItems !== undefined && count < field.minItems) return { code: 'minItems', limit: field.minItems };
    if (field.maxItems !== undefined && count > field.maxItems) return { code: 'maxItems', limit: field.maxItems };
    return undefined;
  }
  const text = typeof value === 'string' ? value : '';
  if (text === '') return field.required ? { code: 'required' } : undefined;
  if (field.kind === 'text') return textProblem(field, text);
  if (field.kind === 'choice') return field.choices.some((choice) => choice.value === text) ? undefined : { code: 'required' };
  const number = Number(text.trim());
  if (text.trim() === '' || !Number.isFinite(number)) return { code: field.integer ? 'integer' : 'number' };
  if (field.integer && !Number.isSafeInteger(number)) return { code: 'integer' };
  if (field.minimum !== undefined && number < field.minimum) return { code: 'atLeast', limit: field.minimum };
  if (field.maximum !== undefined && number > field.maximum) return { code: 'atMost', limit: field.maximum };
  return undefined;
}

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

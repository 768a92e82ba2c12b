export type Choice = { value: string; label: string };
/** What every field has. */
export interface FieldCommon {
  name: string;
  label: string;
  description?: string;
  required: boolean;
}

/** One field of a form that a server describes by a JSON Schema, and what it begins with. */
export type FormField = FieldCommon &
  (
    | { kind: 'text'; format?: 'email' | 'uri' | 'date' | 'date-time'; minLength?: number; maxLength?: number; initial: string }
    | { kind: 'number'; integer: boolean; minimum?: number; maximum?: number; initial: string }
    | { kind: 'boolean'; initial: boolean }
    | { kind: 'choice'; choices: readonly Choice[]; initial: string }
    | { kind: 'choices'; choices: readonly Choice[]; minItems?: number; maxItems?: number; initial: readonly string[] }
  );

export type FormValue = string | boolean | readonly string[];
export type FormValues = Readonly<Record<string, FormValue>>;

/** An object of JSON. */
export type Json = Readonly<Record<string, unknown>>;
export const isObject = (value: unknown): value is Json => typeof value === 'object' && value !== null && !Array.isArray(value);
export const textOf = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined);
export const numberOf = (value: unknown): number | undefined => (typeof value === 'number' ? value : undefined);
/** A member where there is a value, and none where there is none. */
export const set = <Key extends string, Value>(key: Key, value: Value | undefined): Partial<Record<Key, Value>> =>
  value === undefined ? {} : ({ [key]: value } as Record<Key, Value>);

/** The choices of `enum` (with `enumNames`) or of titled `oneOf` and `anyOf`; what `valueOf` makes no text of is left out. */
export function choicesOf(schema: Json, valueOf: (value: unknown) => string | undefined = textOf): Choice[] | undefined {
  const titled = schema['oneOf'] ?? schema['anyOf'];
  if (Array.isArray(titled)) {
    return titled.flatMap((each: unknown) => {
      const value = isObject(each) ? valueOf(each['const']) : undefined;
      return isObject(each) && value !== undefined ? [{ value, label: textOf(each['title']) ?? textOf(each['const']) ?? value }] : [];
    });
  }
  if (!Array.isArray(schema['enum'])) return undefined;
  const names = Array.isArray(schema['enumNames']) ? schema['enumNames'] : [];
  return schema['enum'].flatMap((each: unknown, index) => {
    const value = valueOf(each);
    return value === undefined ? [] : [{ value, label: textOf(names[index]) ?? textOf(each) ?? value }];
  });
}

const formats = ['email', 'uri', 'date', 'date-time'] as const;

/** The field of a schema of one text, number or boolean; undefined for any other. */
export function simpleField(common: FieldCommon, schema: Json): FormField | undefined {
  const initial = schema['default'];
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
    default:
      return undefined;
  }
}

export type FieldProblem =
  | { code: 'required' | 'number' | 'integer' | 'email' | 'uri' | 'date' | 'dateTime' | 'json' }
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

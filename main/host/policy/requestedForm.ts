import { z } from 'zod';

/** What is wrong with one field of a form, as a sentence. */
export interface FieldProblem {
  name: string;
  message: string;
}

const limits = z.looseObject({
  type: z.enum(['string', 'number', 'integer', 'boolean', 'array']).optional(),
  minLength: z.number().optional(),
  maxLength: z.number().optional(),
  format: z.string().optional(),
  pattern: z.string().max(1000).optional(),
  minimum: z.number().optional(),
  maximum: z.number().optional(),
  minItems: z.number().optional(),
  maxItems: z.number().optional(),
});
const titled = z
  .array(z.looseObject({ const: z.string(), title: z.string().optional() }))
  .min(1)
  .max(1000);
const plain = z.array(z.string()).min(1).max(1000);
const Choice = z.union([z.looseObject({ enum: plain }), z.looseObject({ oneOf: titled }), z.looseObject({ anyOf: titled })]);
type Choice = z.infer<typeof Choice>;

const valuesOf = (choice: Choice): string[] =>
  'enum' in choice
    ? (choice.enum as string[])
    : (('oneOf' in choice ? choice.oneOf : choice.anyOf) as z.infer<typeof titled>).map((each) => each.const);

/** One field of a form, with everything that a value of it must keep. */
export interface Field {
  name: string;
  title: string;
  required: boolean;
  kind: 'string' | 'number' | 'integer' | 'boolean' | 'choice' | 'choices';
  choices: string[];
  limits: z.infer<typeof limits>;
}

const RequestedSchema = z.looseObject({
  type: z.literal('object').optional(),
  properties: z
    .record(z.string(), z.record(z.string(), z.unknown()))
    .refine((fields) => Object.keys(fields).length <= 100, 'has more than 100 fields'),
  required: z.array(z.string()).optional(),
});

/**
 * Reads the schema of a form (2025-11-25 and 2026-07-28, "Elicitation", requested schema): flat, of strings, numbers, booleans and
 * choices, with the `enumNames` of before. A form of which one field is something else is refused whole, with the reason.
 */
export function readForm(schema: Record<string, unknown>): { ok: true; fields: Field[] } | { ok: false; reason: string } {
  const parsed = RequestedSchema.safeParse(schema);
  if (!parsed.success) return { ok: false, reason: 'The form has no list of fields that can be read.' };
  const fields: Field[] = [];
  for (const [name, each] of Object.entries(parsed.data.properties)) {
    const field = fieldOf(name, each, parsed.data.required?.includes(name) ?? false);
    if (field === undefined)
      return {
        ok: false,
        reason: `The field "${name.slice(0, 100)}" is of a kind that the protocol does not allow in a form, such as an object inside it.`,
      };
    fields.push(field);
  }
  return { ok: true, fields };
}

function fieldOf(name: string, schema: Record<string, unknown>, required: boolean): Field | undefined {
  const read = limits.safeParse(schema);
  if (!read.success || 'properties' in schema) return undefined;
  const common = { name, title: typeof schema['title'] === 'string' ? schema['title'] : name, required, limits: read.data };
  const { type } = read.data;
  if (type === 'array') {
    const items = Choice.safeParse(schema['items']);
    return items.success ? { ...common, kind: 'choices', choices: valuesOf(items.data) } : undefined;
  }
  if (type === 'string' || type === undefined) {
    const choice = Choice.safeParse(schema);
    if (choice.success) return { ...common, kind: 'choice', choices: valuesOf(choice.data) };
  }
  return type === undefined ? undefined : { ...common, kind: type, choices: [] };
}

/** Every field whose value does not fit, in words. `pattern` is not looked at: it is the server's and may never end. */
export function fieldProblems(fields: readonly Field[], content: Readonly<Record<string, unknown>>): FieldProblem[] {
  const problems = fields.flatMap((field) => {
    const message = problemOf(field, Object.hasOwn(content, field.name) ? content[field.name] : undefined);
    return message === undefined ? [] : [{ name: field.name, message }];
  });
  const known = new Set(fields.map(({ name }) => name));
  const strange = Object.keys(content).filter((name) => !known.has(name));
  return [...problems, ...strange.map((name) => ({ name, message: 'The form has no such field.' }))];
}

function problemOf({ kind, required, choices, limits: bounds }: Field, value: unknown): string | undefined {
  if (value === undefined) return required ? 'This is needed.' : undefined;
  switch (kind) {
    case 'boolean':
      return typeof value === 'boolean' ? undefined : 'Yes or no is needed here.';
    case 'number':
    case 'integer':
      if (typeof value !== 'number' || !Number.isFinite(value)) return 'A number is needed here.';
      if (kind === 'integer' && !Number.isInteger(value)) return 'A whole number is needed here.';
      if (bounds.minimum !== undefined && value < bounds.minimum) return `It must be at least ${bounds.minimum}.`;
      if (bounds.maximum !== undefined && value > bounds.maximum) return `It must be at most ${bounds.maximum}.`;
      return undefined;
    case 'choice':
      return typeof value === 'string' && choices.includes(value) ? undefined : 'Choose one of the values offered.';
    case 'choices': {
      if (!Array.isArray(value) || value.some((each) => !choices.includes(each)) || new Set(value).size !== value.length)
        return 'Choose among the values offered, each once.';
      if (bounds.minItems !== undefined && value.length < bounds.minItems) return `Choose at least ${bounds.minItems}.`;
      if (bounds.maxItems !== undefined && value.length > bounds.maxItems) return `Choose at most ${bounds.maxItems}.`;
      return undefined;
    }
    case 'string': {
      if (typeof value !== 'string') return 'A text is needed here.';
      const length = [...value].length;
      if (bounds.minLength !== undefined && length < bounds.minLength) return `It must have at least ${bounds.minLength} characters.`;
      if (bounds.maxLength !== undefined && length > bounds.maxLength) return `It must have at most ${bounds.maxLength} characters.`;
      return formatProblem(bounds.format, value);
    }
  }
}

const isEmail = z.email();
const isDate = z.iso.date();
const isDateTime = z.iso.datetime({ offset: true });

function formatProblem(format: string | undefined, value: string): string | undefined {
  switch (format) {
    case 'email':
      return isEmail.safeParse(value).success ? undefined : 'This is no e-mail address.';
    case 'uri':
      return URL.canParse(value) ? undefined : 'This is no address such as https://example.com.';
    case 'date':
      return isDate.safeParse(value).success ? undefined : 'A date such as 2026-01-31 is needed here.';
    case 'date-time':
      return isDateTime.safeParse(value).success ? undefined : 'A date and time such as 2026-01-31T09:00:00Z is needed here.';
    default:
      // Formats that the protocol does not name bind nobody.
      return undefined;
  }
}

/** The patterns of a form as one schema, for the worker; undefined where there are none. */
export function patternsOf(fields: readonly Field[], content: Readonly<Record<string, unknown>>): Record<string, unknown> | undefined {
  const patterns = fields.flatMap(({ name, kind, limits: { pattern } }) =>
    kind === 'string' && pattern !== undefined && typeof content[name] === 'string' ? [[name, { pattern }] as const] : [],
  );
  return patterns.length === 0 ? undefined : { type: 'object', properties: Object.fromEntries(patterns) };
}

/** Words that name a secret, in the name or title of a field (rule E6). */
const secretWords =
  /pass(word|phrase|code|wd)|\bpin\b|secret|api[\s_-]?key|private[\s_-]?key|access[\s_-]?key|token|credential|cvv|cvc|card[\s_-]?number|\biban\b|\bssn\b|social[\s_-]?security|seed[\s_-]?phrase|密码|口令|密钥|令牌|银行卡号/i;

/** Names of fields that seem to ask for a secret: such a form is shown with a warning, and nothing is filled in there. */
export const secretFields = (fields: readonly Field[]): string[] =>
  fields
    .filter(
      ({ kind, name, title }) =>
        kind !== 'boolean' && secretWords.test(`${name.replace(/([a-z])([A-Z])/g, '$1 $2').replaceAll('_', ' ')} ${name} ${title}`),
    )
    .map(({ name }) => name);

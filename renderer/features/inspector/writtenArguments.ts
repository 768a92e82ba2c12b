import { applyEdits, format, type Node, parseTree } from 'jsonc-parser';
import { type FieldProblem, type FormValue, problemOf } from '../../forms/formField.ts';
import type { ArgumentField } from './argumentFields.ts';

/** What was entered, beside the JSON that came of it: JSON does not say how a number was spelled, or hold one that is half written. */
interface Draft {
  kind: ArgumentField['kind'];
  value: FormValue;
}

/** Arguments while they are written: always the text of one JSON object, as long as they are written in the form. */
export interface WrittenArguments {
  text: string;
  /** By key of the row. A draft counts as long as the text still holds what came of it. */
  drafts: Readonly<Record<string, Draft>>;
}

/** A field with what it holds at present. */
export interface FieldRow {
  key: string;
  /** From the outermost group to the field itself. */
  path: readonly ArgumentField[];
  /** The field; one for JSON in its place where it could not show what the text holds. */
  field: ArgumentField;
  value: FormValue;
  problem: FieldProblem | undefined;
  /** Of a group. */
  rows: readonly FieldRow[];
}

/** What a form begins with: the defaults of the schema, and the empty form of what is needed where it has one. */
export function initialText(fields: readonly ArgumentField[], indent = ''): string {
  const members = new Map<string, string>();
  for (const field of fields) {
    const needed = field.kind === 'group' && field.required ? initialText(field.fields, `${indent}  `) : field.empty;
    const raw = field.begins ?? needed;
    if (raw !== undefined) members.set(field.name, raw);
  }
  return objectText(members, indent);
}

/** The rows of a form over a text, which must be a JSON object. */
export function rowsOf(fields: readonly ArgumentField[], written: WrittenArguments): FieldRow[] {
  return rowsIn(fields, written, written.text, [], true);
}

function rowsIn(
  fields: readonly ArgumentField[],
  written: WrittenArguments,
  text: string,
  outer: readonly ArgumentField[],
  needed: boolean,
): FieldRow[] {
  const members = membersOf(text) ?? new Map<string, string>();
  return fields.map((field) => {
    const raw = members.get(field.name);
    const path = [...outer, field];
    const key = JSON.stringify(path.map(({ name }) => name));
    if (field.kind === 'group' && (raw === undefined || membersOf(raw) !== undefined)) {
      const rows = rowsIn(field.fields, written, raw ?? '{}', path, field.required || raw !== undefined);
      return { key, path, field, value: '', problem: undefined, rows };
    }
    const shown = shownAs(field, raw, written.drafts[key]);
    const judged = needed ? shown.field : { ...shown.field, required: false };
    return { key, path, ...shown, problem: problemIn(judged, raw, shown.value), rows: [] };
  });
}

/** The problems of rows and of what lies in them, in the order of the form. */
export const rowsWithProblems = (rows: readonly FieldRow[]): FieldRow[] =>
  rows.flatMap((row) => [...(row.problem === undefined ? [] : [row]), ...rowsWithProblems(row.rows)]);

/** Enters a value into a row. Members that the form does not know stay as they are written. */
export function withValue(written: WrittenArguments, row: FieldRow, value: FormValue): WrittenArguments {
  return {
    text: withMember(written.text, row.path, rawOf(row.field, value)),
    drafts: { ...written.drafts, [row.key]: { kind: row.field.kind, value } },
  };
}

function withMember(text: string, path: readonly ArgumentField[], raw: string | undefined, indent = ''): string {
  const [field, ...inner] = path;
  if (field === undefined) return text;
  const members = membersOf(text) ?? new Map<string, string>();
  const grouped = inner.length === 0 ? raw : withMember(members.get(field.name) ?? '{}', inner, raw, `${indent}  `);
  // A group that holds nothing is there only where it must be.
  if (grouped === undefined || (inner.length > 0 && grouped === '{}' && !field.required)) members.delete(field.name);
  else members.set(field.name, grouped);
  return objectText(members, indent);
}

function shownAs(field: ArgumentField, raw: string | undefined, draft: Draft | undefined): { field: ArgumentField; value: FormValue } {
  const { name, label, description, required, nullable } = field;
  const asJson: ArgumentField = { kind: 'json', name, label, ...(description !== undefined && { description }), required, nullable };
  if (draft !== undefined) {
    const drafted = draft.kind === field.kind ? field : asJson;
    if (rawOf(drafted, draft.value) === raw) return { field: drafted, value: draft.value };
  }
  const value = valueOf(field, raw);
  return value === undefined ? { field: asJson, value: formatted(raw ?? '') } : { field, value };
}

/** What a field shows of JSON; undefined where it cannot show it whole. */
function valueOf(field: ArgumentField, raw: string | undefined): FormValue | undefined {
  const value: unknown = raw === undefined ? undefined : JSON.parse(raw);
  const isNull = value === null && field.nullable && !(field.kind === 'choice' && field.choices.some((choice) => choice.value === 'null'));
  if (raw === undefined || isNull) return field.kind === 'choices' ? [] : '';
  switch (field.kind) {
    case 'text': {
      // An input of a format drops what does not belong there, and a text area the returns.
      if (typeof value !== 'string' || value.includes('\r')) return undefined;
      const isSound = field.format === undefined || value === '' || (!/\s/.test(value) && problemOf(field, value) === undefined);
      return isSound ? value : undefined;
    }
    case 'number':
      return typeof value === 'number' ? raw : undefined;
    case 'choice':
      return field.choices.find((choice) => choice.value === JSON.stringify(value))?.value;
    case 'choices': {
      const known = new Set(field.choices.map((choice) => choice.value));
      const chosen = Array.isArray(value) ? value.map((each: unknown) => JSON.stringify(each)) : undefined;
      return chosen?.every((each) => known.has(each)) === true && new Set(chosen).size === chosen.length ? chosen : undefined;
    }
    case 'list': {
      if (!Array.isArray(value)) return undefined;
      if (field.of === 'number') return value.every((each) => typeof each === 'number') ? elementsOf(raw).join('\n') : undefined;
      return value.every((each): each is string => typeof each === 'string' && each.trim() !== '' && !/[\r\n]/.test(each))
        ? value.join('\n')
        : undefined;
    }
    case 'json':
      return formatted(raw);
    case 'group':
      return undefined;
  }
}

const linesOf = (value: string): string[] => value.split('\n').filter((line) => line.trim() !== '');

/** The JSON of what was entered; undefined leaves the member out. What cannot be read stays in it as a text, so that nothing is lost. */
function rawOf(field: ArgumentField, value: FormValue): string | undefined {
  if (typeof value !== 'string') {
    const chosen = Array.isArray(value) ? value : [];
    return chosen.length === 0 ? field.empty : `[${chosen.join(', ')}]`;
  }
  if (value === '') return field.empty;
  switch (field.kind) {
    case 'number':
      return rawNumber(value);
    case 'choice':
      return value;
    case 'list': {
      const items = linesOf(value).map((line) => (field.of === 'number' ? rawNumber(line) : JSON.stringify(line)));
      return items.length === 0 ? field.empty : `[${items.join(', ')}]`;
    }
    case 'json':
      return parses(value) ? value.trim() : value.trim() === '' ? undefined : JSON.stringify(value);
    default:
      return JSON.stringify(value);
  }
}

function rawNumber(value: string): string {
  const text = value.trim();
  if (/^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:e[+-]?\d+)?$/i.test(text)) return text;
  return text === '' || !Number.isFinite(Number(text)) ? JSON.stringify(value) : String(Number(text));
}

function problemIn(field: ArgumentField, raw: string | undefined, value: FormValue): FieldProblem | undefined {
  // What the schema itself gives as the default is for the host to judge.
  if (raw !== undefined && raw === field.begins) return undefined;
  const missing: FieldProblem | undefined = field.required && raw === undefined ? { code: 'required' } : undefined;
  switch (field.kind) {
    case 'json':
      return missing ?? (raw === undefined || (typeof value === 'string' && parses(value)) ? undefined : { code: 'json' });
    case 'list': {
      const isNumeric = field.of === 'text' || typeof value !== 'string' || linesOf(value).every((line) => Number.isFinite(Number(line)));
      return missing ?? (isNumeric ? undefined : { code: 'number' });
    }
    case 'choices':
      // An empty list is one that may be sent, where the schema asks for no more.
      return missing ?? problemOf({ ...field, required: field.required && (field.minItems ?? 0) > 0 }, value);
    case 'group':
      return missing;
    default:
      return problemOf(field, value);
  }
}

function parses(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch (error) {
    if (error instanceof SyntaxError) return false;
    throw error;
  }
}

const formatted = (raw: string): string => applyEdits(raw, format(raw, undefined, { insertSpaces: true, tabSize: 2, eol: '\n' }));

const slice = (text: string, node: Node): string => text.slice(node.offset, node.offset + node.length);

/** The members of an object, each as it is written; of several of one name the last, as everywhere. Undefined where it is no object. */
function membersOf(text: string): Map<string, string> | undefined {
  const tree = parseTree(text);
  if (tree?.type !== 'object') return undefined;
  return new Map(
    (tree.children ?? []).flatMap(({ children: [name, value] = [] }) =>
      name === undefined || value === undefined ? [] : [[String(name.value), slice(text, value)] as const],
    ),
  );
}

const elementsOf = (text: string): string[] => (parseTree(text)?.children ?? []).map((node) => slice(text, node));

function objectText(members: ReadonlyMap<string, string>, indent: string): string {
  if (members.size === 0) return '{}';
  const lines = [...members].map(([name, raw]) => `${indent}  ${JSON.stringify(name)}: ${raw}`);
  return `{\n${lines.join(',\n')}\n${indent}}`;
}

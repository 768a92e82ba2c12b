import type { SentenceParts } from './sentenceParts.ts';

type Schema = Record<string, unknown>;

/**
 * Arguments for a schema from what a sentence holds: pairs by name first, then, for what is required, paths and addresses for properties that sound like one,
 * numbers for numbers, named choices, and quoted texts or the rest of the sentence for texts. `missing`: required, and nothing left to put there.
 */
export function fillArguments(parts: SentenceParts, schema: Schema): { arguments: Record<string, unknown>; missing: string[] } {
  const properties = isSchema(schema['properties']) ? schema['properties'] : {};
  const names = Object.keys(properties);
  const listed = Array.isArray(schema['required']) ? schema['required'].filter((name): name is string => typeof name === 'string') : [];
  // A schema without a single required property still means its only one.
  const required = listed.length === 0 && names.length === 1 ? names : listed;
  const left = {
    paths: [...parts.paths],
    urls: [...parts.urls],
    numbers: [...parts.numbers],
    quoted: parts.quoted.filter((quoted) => !parts.paths.includes(quoted)),
  };
  const filled: Record<string, unknown> = {};
  const missing: string[] = [];

  for (const name of names) {
    const given = parts.pairs.get(name.toLowerCase());
    const value = given === undefined ? undefined : readAs(given, properties[name]);
    if (value !== undefined) filled[name] = value;
  }
  // Quoted texts and the rest go last, so that a path does not end up as a text.
  const open = required
    .filter((name) => !(name in filled))
    .sort((a, b) => Number(isFreeText(a, properties[a])) - Number(isFreeText(b, properties[b])));
  for (const name of open) {
    const value = takeFor(name, properties[name], left, parts);
    if (value === undefined) missing.push(name);
    else filled[name] = value;
  }
  const stillMissing = listed.length === 0 ? [] : missing;
  return { arguments: filled, missing: stillMissing };
}

interface Left {
  paths: string[];
  urls: string[];
  numbers: number[];
  quoted: string[];
}

function takeFor(name: string, schema: unknown, left: Left, parts: SentenceParts): unknown {
  const choice = choicesOf(schema).find((option) =>
    new RegExp(`(?<![\\p{L}\\p{N}])${option.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')}(?![\\p{L}\\p{N}])`, 'iu').test(parts.text),
  );
  if (choice !== undefined) return choice;
  switch (typeOf(schema)) {
    case 'number':
    case 'integer':
      return left.numbers.shift();
    case 'array': {
      const texts = soundsLikePath(name, schema) ? left.paths.splice(0) : left.quoted.splice(0);
      return texts.length === 0 || typeOf(isSchema(schema) ? schema['items'] : undefined) === 'object' ? undefined : texts;
    }
    case 'string': {
      if (choicesOf(schema).length > 0) return undefined;
      if (/url|uri/i.test(name) && left.urls.length > 0) return left.urls.shift();
      if (soundsLikePath(name, schema)) return left.paths.shift() ?? left.quoted.shift();
      return left.quoted.shift() ?? (isQuestion.test(name) ? freeText(parts) : undefined);
    }
    default:
      return undefined;
  }
}

/** Only what is looked for may be free words; what is written somewhere must be quoted. */
const isQuestion = /query|search|pattern|keyword|term|topic|question|message|^q$|^text$|^name$/i;

/** What is said after “about”, “for”, “that”; a text of the whole sentence would only repeat the order. */
function freeText(parts: SentenceParts): string | undefined {
  const found = /\b(?:about|for|that|named|called)\s+(.+)$/i.exec(parts.rest)?.[1] ?? /(?:关于|名为|叫做?)\s*(.+)$/.exec(parts.rest)?.[1];
  const text = (found ?? parts.rest.replace(/^\S+\s*/, '')).replace(/[.,;:!?，。；：！？]+$/, '').trim();
  return text === '' ? undefined : text;
}

function readAs(text: string, schema: unknown): unknown {
  switch (typeOf(schema)) {
    case 'number':
    case 'integer': {
      const value = Number(text);
      return text.trim() !== '' && Number.isFinite(value) ? value : undefined;
    }
    case 'boolean':
      return /^(true|yes|1|是)$/i.test(text) ? true : /^(false|no|0|否)$/i.test(text) ? false : undefined;
    case 'array':
    case 'object': {
      if (!/^\s*[[{]/.test(text)) return typeOf(schema) === 'array' ? text.split(/\s*,\s*/) : undefined;
      try {
        return JSON.parse(text);
      } catch (error) {
        // Not JSON after all: then the sentence does not give this argument.
        if (error instanceof SyntaxError) return undefined;
        throw error;
      }
    }
    default:
      return text;
  }
}

function isFreeText(name: string, schema: unknown): boolean {
  return typeOf(schema) === 'string' && !soundsLikePath(name, schema) && choicesOf(schema).length === 0;
}

function soundsLikePath(name: string, schema: unknown): boolean {
  const description = isSchema(schema) && typeof schema['description'] === 'string' ? schema['description'] : '';
  return /path|file|dir|folder|^source$|^destination$/i.test(name) || /\b(path|directory|folder)\b/i.test(description);
}

function choicesOf(schema: unknown): string[] {
  return isSchema(schema) && Array.isArray(schema['enum'])
    ? schema['enum'].filter((option): option is string => typeof option === 'string' && option !== '')
    : [];
}

function typeOf(schema: unknown): string {
  if (!isSchema(schema)) return 'string';
  const type = schema['type'];
  if (Array.isArray(type)) return String(type.find((name) => name !== 'null') ?? 'string');
  return typeof type === 'string' ? type : 'string';
}

function isSchema(value: unknown): value is Schema {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

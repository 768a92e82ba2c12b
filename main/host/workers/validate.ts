import { dereference, validate as check, type OutputUnit, type Schema, type SchemaDraft } from '@cfworker/json-schema';
import type { Jobs } from './jobs.ts';

const maxErrors = 20;
/** Of what the validator says, which may be millions of lines: enough for {@link maxErrors} innermost ones at any usual depth. */
const maxRead = 500;
const maxErrorLength = 300;

/** Dialects by their `$schema`, without a closing `#`. None named: 2020-12, as MCP has it. */
const drafts: Record<string, SchemaDraft> = {
  'json-schema.org/draft-04/schema': '4',
  'json-schema.org/draft-06/schema': '7',
  'json-schema.org/draft-07/schema': '7',
  'json-schema.org/draft/2019-09/schema': '2019-09',
  'json-schema.org/draft/2020-12/schema': '2020-12',
};

/**
 * Checks a value against a server's schema. Each error is one line that a model can act on: a JSON Pointer and what is wrong there.
 * Nothing is fetched: a schema that needs another document is `unusableSchema`, as is one that is no schema.
 * Not bounded in time: patterns are the server's, so this runs where it can be killed.
 */
export function validate({ schema, value }: Jobs['validate']['input']): Jobs['validate']['output'] {
  const draft = draftOf(schema);
  if (draft === undefined)
    return unusable(`It names a dialect of JSON Schema that is not known here: ${String(schema['$schema']).slice(0, 200)}`);
  try {
    const lookup = lookupOf(schema);
    const missing = missingReference(lookup);
    if (missing?.startsWith('#')) return unusable(`It refers to a part of itself that is not there: ${missing.slice(0, 200)}`);
    if (missing !== undefined) return unusable(`It refers to something outside itself, which is never fetched: ${missing.slice(0, 200)}`);
    const { valid, errors } = check(value, schema, draft, lookup, false);
    return valid ? { valid } : { valid, errors: readable(errors) };
  } catch (error) {
    // The validator throws for what is no schema: an unreadable pattern, a reference that is no URI, a cycle without end.
    if (error instanceof Error) return unusable(error.message.slice(0, maxErrorLength));
    throw error;
  }
}

/** Lists stand for many calls: the parts of each schema are looked up once. In a worker every schema is a new one. */
const lookups = new WeakMap<Schema, ReturnType<typeof dereference>>();

function lookupOf(schema: Schema): ReturnType<typeof dereference> {
  let lookup = lookups.get(schema);
  if (!lookup) lookups.set(schema, (lookup = dereference(schema)));
  return lookup;
}

const unusable = (reason: string): Jobs['validate']['output'] => ({ valid: 'unusableSchema', reason });

function draftOf({ $schema }: Schema): SchemaDraft | undefined {
  if ($schema === undefined) return '2020-12';
  if (typeof $schema !== 'string') return undefined;
  return drafts[$schema.replace(/^https?:\/\//, '').replace(/#$/, '')];
}

function missingReference(lookup: Record<string, Schema | boolean>): string | undefined {
  for (const schema of Object.values(lookup)) {
    if (typeof schema !== 'object' || schema === null || typeof schema.$ref !== 'string') continue;
    if (!Object.hasOwn(lookup, schema.__absolute_ref__ ?? schema.$ref)) return schema.$ref;
  }
  return undefined;
}

/**
 * The validator reports each error again at every level above it, and calls a known property unexpected when its value is wrong.
 * What is left are the innermost ones.
 */
function readable(reported: OutputUnit[]): string[] {
  const errors = reported.slice(0, maxRead);
  const wrongInside = new Set(
    errors.filter(({ keyword }) => keyword !== 'false').flatMap(({ instanceLocation }) => ancestors(instanceLocation)),
  );
  const lines = new Set<string>();
  for (const { keyword, keywordLocation, instanceLocation, error } of errors) {
    if (keyword === 'false') {
      if (!wrongInside.has(instanceLocation)) lines.add(`${pointerOf(instanceLocation)}: is not allowed here.`);
    } else if (!isOnlyAbove(keyword, keywordLocation, instanceLocation, errors)) {
      lines.add(`${pointerOf(instanceLocation)}: ${error}`.slice(0, maxErrorLength));
    }
  }
  const all = [...lines];
  return all.length <= maxErrors && reported.length <= maxRead ? all : [...all.slice(0, maxErrors), 'and more.'];
}

const pointerOf = (location: string): string => (location === '#' ? '(root)' : location.slice(1));

/** The location itself and those around it, root excluded. */
function ancestors(location: string): string[] {
  const parts = location.split('/');
  return parts.slice(1).map((_, index) => parts.slice(0, index + 2).join('/'));
}

const restates = new Set([
  'properties',
  'patternProperties',
  'additionalProperties',
  'unevaluatedProperties',
  'items',
  'prefixItems',
  'additionalItems',
  'unevaluatedItems',
  'allOf',
  'if',
  '$ref',
  '$recursiveRef',
  'dependentSchemas',
]);

function isOnlyAbove(keyword: string, keywordLocation: string, instanceLocation: string, errors: OutputUnit[]): boolean {
  if (!restates.has(keyword)) return false;
  return errors.some(
    (other) =>
      (other.instanceLocation.startsWith(`${instanceLocation}/`) || other.keywordLocation.startsWith(`${keywordLocation}/`)) &&
      other.keywordLocation !== keywordLocation,
  );
}

import { isRecord } from './rawResults.ts';

/** A header of a call over HTTP (2026-07-28) and the argument whose value it repeats. */
interface ParamHeader {
  header: string;
  path: string[];
}

const annotation = 'x-mcp-header';
const token = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;
/** Deeper schemas are not searched: they are as good as cyclic. */
const maxDepth = 64;

/**
 * The headers that a tool's input schema asks for, or why the tool cannot be called over HTTP (2026-07-28, Streamable HTTP:
 * such a tool must be left out, the others stay).
 */
export function paramHeadersOf(schema: Record<string, unknown>): { headers: ParamHeader[] } | { problem: string } {
  const headers: ParamHeader[] = [];
  const seen = new Set<string>();
  let problem: string | undefined;

  const visit = (value: unknown, path: string[] | undefined, depth: number): void => {
    if (problem !== undefined || depth > maxDepth) return;
    if (Array.isArray(value)) {
      for (const item of value) visit(item, undefined, depth + 1);
      return;
    }
    if (!isRecord(value)) return;
    if (annotation in value) {
      const name = value[annotation];
      const type = value['type'];
      if (path === undefined || path.length === 0) problem = `it asks for an HTTP header in a place where none may stand`;
      else if (typeof name !== 'string' || !token.test(name)) problem = `it asks for an HTTP header with an impossible name`;
      else if (seen.has(name.toLowerCase())) problem = `it asks twice for the HTTP header ${name}`;
      else if (type !== 'string' && type !== 'integer' && type !== 'boolean')
        problem = `it asks for the HTTP header ${name} of a value that fits into none`;
      else {
        seen.add(name.toLowerCase());
        headers.push({ header: `Mcp-Param-${name}`, path });
      }
    }
    for (const [key, child] of Object.entries(value)) {
      // The names below `properties` are the tool's own: only what they hold is a schema.
      if (key === 'properties' && isRecord(child)) {
        for (const [property, propertySchema] of Object.entries(child)) visit(propertySchema, path && [...path, property], depth + 1);
      } else if (key !== annotation && key !== 'default' && key !== 'examples' && key !== 'enum' && key !== 'const') {
        visit(child, undefined, depth + 1);
      }
    }
  };
  visit(schema, [], 0);
  return problem === undefined ? { headers } : { problem };
}

/** The values of a call's headers. Absent and null arguments give none. */
export function paramHeaderValues(headers: readonly ParamHeader[], args: Record<string, unknown>): Record<string, string> {
  const values: Record<string, string> = {};
  for (const { header, path } of headers) {
    let value: unknown = args;
    for (const key of path) value = isRecord(value) && Object.hasOwn(value, key) ? value[key] : undefined;
    if (typeof value === 'string' || typeof value === 'boolean' || (typeof value === 'number' && Number.isSafeInteger(value))) {
      values[header] = headerText(String(value));
    }
  }
  return values;
}

/** What a header cannot carry as it is goes as Base64 of its UTF-8 between the markers of the specification. */
function headerText(value: string): string {
  const plain = /^[\x20-\x7e]*$/.test(value) && value === value.trim() && !(value.startsWith('=?base64?') && value.endsWith('?='));
  return plain ? value : `=?base64?${Buffer.from(value, 'utf8').toString('base64')}?=`;
}

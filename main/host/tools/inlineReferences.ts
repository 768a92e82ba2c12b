type Schema = Record<string, unknown>;

/** Bounds of the copy. A schema that would unfold to more (references to references) is widened where it passes them. */
const maxNodes = 10_000;
const maxDepth = 40;

/** Members whose value is data, in which `$ref` is just a name. */
const dataKeywords = new Set(['default', 'const', 'enum', 'examples']);

/**
 * A copy of a schema in which local references (`#`, `#/…`, `#anchor`) are replaced by what they name, and `$defs` and `definitions` are gone.
 * A reference to itself, to another document or to nothing becomes a schema that takes any value: nothing is ever fetched.
 * `widened` is true when depth or size made it so.
 */
export function inlineReferences(root: Schema): { schema: Schema; widened: boolean } {
  const anchors = new Map<string, unknown>();
  let nodes = 0;
  let widened = false;

  const collectAnchors = (value: unknown, depth: number): void => {
    if (typeof value !== 'object' || value === null || depth > maxDepth) return;
    const anchor = (value as Schema)['$anchor'];
    if (typeof anchor === 'string' && !anchors.has(anchor)) anchors.set(anchor, value);
    for (const member of Object.values(value)) collectAnchors(member, depth + 1);
  };
  collectAnchors(root, 0);

  const copy = (value: unknown, active: readonly unknown[], depth: number): unknown => {
    if (typeof value !== 'object' || value === null) return value;
    nodes += 1;
    if (depth > maxDepth || nodes > maxNodes) {
      widened = true;
      return Array.isArray(value) ? [] : {};
    }
    if (Array.isArray(value)) return value.map((member) => copy(member, active, depth + 1));
    const schema = value as Schema;
    const reference = schema['$ref'] ?? schema['$dynamicRef'];
    if (typeof reference !== 'string') return copyMembers(schema, active, depth);
    const target = resolve(root, anchors, reference);
    const siblings = copyMembers(schema, active, depth);
    if (target === undefined || active.includes(target)) {
      const name = reference.slice(reference.lastIndexOf('/') + 1);
      const type = isSchema(target) && typeof target['type'] === 'string' ? { type: target['type'] } : {};
      return {
        ...type,
        description:
          target === undefined ? `Any value (${name} is described elsewhere).` : `Another ${name === '#' ? 'such value' : name}.`,
        ...siblings,
      };
    }
    const inlined = copy(target, [...active, target], depth + 1);
    return isSchema(inlined) ? { ...inlined, ...siblings } : inlined;
  };

  const copyMembers = (schema: Schema, active: readonly unknown[], depth: number): Schema => {
    const copied: Schema = {};
    for (const [name, member] of Object.entries(schema)) {
      if (name === '$ref' || name === '$dynamicRef' || name === '$defs' || name === 'definitions') continue;
      const value = dataKeywords.has(name)
        ? member
        : name === 'properties' && isSchema(member)
          ? copyProperties(member, active, depth)
          : copy(member, active, depth + 1);
      // A member called __proto__ is data like any other.
      Object.defineProperty(copied, name, { value, enumerable: true, writable: true, configurable: true });
    }
    return copied;
  };

  /** Names of properties are the server's choice: one called `$ref` or `definitions` is no keyword. */
  const copyProperties = (properties: Schema, active: readonly unknown[], depth: number): Schema => {
    const copied: Schema = {};
    for (const [name, member] of Object.entries(properties)) {
      Object.defineProperty(copied, name, { value: copy(member, active, depth + 1), enumerable: true, writable: true, configurable: true });
    }
    return copied;
  };

  const schema = copy(root, [root], 0);
  return { schema: isSchema(schema) ? schema : {}, widened };
}

function resolve(root: Schema, anchors: ReadonlyMap<string, unknown>, reference: string): unknown {
  if (reference === '#') return root;
  if (!reference.startsWith('#')) return undefined;
  if (!reference.startsWith('#/')) return anchors.get(reference.slice(1));
  let place: unknown = root;
  for (const step of reference.slice(2).split('/')) {
    const name = decode(step).replaceAll('~1', '/').replaceAll('~0', '~');
    if (typeof place !== 'object' || place === null || !Object.hasOwn(place, name)) return undefined;
    place = (place as Schema)[name];
  }
  return typeof place === 'object' && place !== null ? place : undefined;
}

function decode(step: string): string {
  // A stray per cent sign makes decodeURIComponent throw; then the step is meant as it stands.
  return /%(?![0-9a-fA-F]{2})/.test(step) ? step : step.replace(/(?:%[0-7][0-9a-fA-F])+/g, decodeURIComponent);
}

function isSchema(value: unknown): value is Schema {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

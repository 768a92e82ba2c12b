/** Keywords whose check takes time in proportion to schema and value, and runs no pattern of the server. */
const tame = new Set([
  '$schema',
  'type',
  'properties',
  'required',
  'items',
  'additionalProperties',
  'enum',
  'const',
  'minimum',
  'maximum',
  'exclusiveMinimum',
  'exclusiveMaximum',
  'multipleOf',
  'minLength',
  'maxLength',
  'minItems',
  'maxItems',
  'minProperties',
  'maxProperties',
  'title',
  'description',
  'default',
  'examples',
  'deprecated',
  'readOnly',
  'writeOnly',
]);
/** Subschemas of one that is still small. */
const maxSubschemas = 200;

/** Lists stand for many calls: each schema is looked through once. */
const known = new WeakMap<Record<string, unknown>, boolean>();

/** Whether a value of ordinary size can be checked against this schema at once, on the main thread. Everything else goes to a worker. */
export function isTame(schema: Record<string, unknown>): boolean {
  const before = known.get(schema);
  if (before !== undefined) return before;
  let left = maxSubschemas;
  const look = (value: unknown): boolean => {
    if (typeof value === 'boolean') return true;
    if (typeof value !== 'object' || value === null || Array.isArray(value) || left-- <= 0) return false;
    return Object.entries(value).every(([keyword, inner]) => {
      if (!tame.has(keyword)) return false;
      if (keyword === 'items' || keyword === 'additionalProperties') return look(inner);
      if (keyword === 'properties') return typeof inner === 'object' && inner !== null && Object.values(inner).every(look);
      return true;
    });
  };
  const answer = look(schema);
  known.set(schema, answer);
  return answer;
}

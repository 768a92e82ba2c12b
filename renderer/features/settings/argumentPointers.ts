/** An argument that a tool's schema names. */
export interface NamedArgument {
  /** JSON Pointer; `*` stands for every element of a list. */
  at: string;
  /** False where its values are numbers or yes and no. */
  isText: boolean;
}

const deepest = 4;
const most = 100;
const isObject = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null && !Array.isArray(value);

/** What a schema, which a server wrote, names as arguments, for choosing one by name. It may name others, or none: any pointer can be written. */
export function argumentPointers(inputSchema: string): NamedArgument[] {
  const found: NamedArgument[] = [];
  const add = (schema: unknown, at: string, depth: number): void => {
    if (!isObject(schema) || depth > deepest || found.length >= most) return;
    const properties = schema['properties'];
    if (isObject(properties))
      for (const [name, inner] of Object.entries(properties))
        add(inner, `${at}/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`, depth + 1);
    else if (schema['type'] === 'array' || isObject(schema['items'])) add(schema['items'], `${at}/*`, depth + 1);
    else if (at !== '') found.push({ at, isText: !['number', 'integer', 'boolean'].some((type) => schema['type'] === type) });
  };
  add(JSON.parse(inputSchema), '', 0);
  return found;
}

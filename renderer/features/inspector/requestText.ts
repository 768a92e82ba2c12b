/** A traced request as it is offered for editing: what the connection writes itself is left out. */
export function requestText(text: string): string {
  const value = parsed(text);
  if (typeof value !== 'object' || value === null || !('method' in value)) return text;
  const { method } = value;
  if (!('params' in value) || typeof value.params !== 'object' || value.params === null) return JSON.stringify({ method }, null, 2);
  const params = Object.fromEntries(Object.entries(value.params).filter(([name]) => name !== '_meta'));
  return JSON.stringify({ method, params }, null, 2);
}

/** The trace id that a request carries (`traceparent`): by it the server's operator finds it in his own records. */
export function traceIdOf(text: string): string | undefined {
  const value = parsed(text);
  const params = memberOf(value, 'params');
  const traceparent = memberOf(memberOf(params, '_meta'), 'traceparent');
  return typeof traceparent === 'string' ? /^[0-9a-f]{2}-([0-9a-f]{32})-/.exec(traceparent)?.[1] : undefined;
}

const memberOf = (value: unknown, name: string): unknown =>
  typeof value === 'object' && value !== null ? new Map<string, unknown>(Object.entries(value)).get(name) : undefined;

/** Indented, or undefined where the text is no JSON. */
export function indented(text: string): string | undefined {
  const value = parsed(text);
  return value === undefined ? undefined : JSON.stringify(value, null, 2);
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

/** Arguments to begin with: what the schema demands, empty. */
export function argumentsText(inputSchema: string): string {
  const schema = parsed(inputSchema);
  if (typeof schema !== 'object' || schema === null) return '{}';
  const required = 'required' in schema && Array.isArray(schema.required) ? schema.required : [];
  const properties = 'properties' in schema && typeof schema.properties === 'object' && schema.properties !== null ? schema.properties : {};
  const named: [string, unknown][] = Object.entries(properties).filter(([name]) => required.includes(name));
  return JSON.stringify(Object.fromEntries(named.map(([name, property]) => [name, emptyOf(property)])), null, 2);
}

function emptyOf(property: unknown): unknown {
  if (typeof property !== 'object' || property === null) return '';
  if ('default' in property) return property.default;
  if ('enum' in property && Array.isArray(property.enum)) return property.enum[0] ?? '';
  switch ('type' in property ? property.type : undefined) {
    case 'number':
    case 'integer':
      return 0;
    case 'boolean':
      return false;
    case 'array':
      return [];
    case 'object':
      return {};
    case 'null':
      return null;
    default:
      return '';
  }
}

/** A text of a definition that a model or a person reads. `at` says where it stands, in words for a person. */
export interface DefinitionText {
  at: string;
  text: string;
}

/** Of more texts in one definition nobody is told anything. */
const mostTexts = 5000;
/** Steps of a schema that only hold others. */
const silentSteps = new Set(['properties', 'items', '$defs', 'definitions']);

/** Every text of a definition, names of members included. */
export function textsOf(value: Record<string, unknown>): DefinitionText[] {
  const texts: DefinitionText[] = [];
  const add = (at: string, text: string): void => {
    if (text !== '' && texts.length < mostTexts) texts.push({ at, text });
  };
  const walk = (at: string, part: unknown): void => {
    if (typeof part === 'string') return add(at, part);
    if (typeof part !== 'object' || part === null) return;
    if (Array.isArray(part)) return part.forEach((item) => walk(at, item));
    for (const [name, member] of Object.entries(part)) {
      if (!/^[\w$.-]{1,64}$/.test(name)) add(`${at} › a name`, name);
      walk(silentSteps.has(name) ? at : `${at} › ${name}`, member);
    }
  };
  for (const name of ['name', 'title', 'description', 'uriTemplate']) walk(name, value[name]);
  walk('arguments', value['inputSchema'] ?? value['arguments']);
  walk('result', value['outputSchema']);
  walk('annotations', value['annotations']);
  walk('interface', value['ui']);
  return texts;
}

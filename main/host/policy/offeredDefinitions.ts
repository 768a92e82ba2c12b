import type { DefinitionKind } from '../../../preload/contract/definitions.ts';
import type { ListedTool, ServerLists } from '../mcp/serverLists.ts';
import { type AgreedDefinition, definitionKey } from '../store/definitions.ts';
import { canonicalHash } from '../workers/canonicalHash.ts';

/** A definition as its server lists it now. `value` is what is agreed to; `hash` is over its canonical JSON (RFC 8785). */
export type OfferedDefinition = Omit<AgreedDefinition, 'isOff'>;

/** The same for as long as a list stands: asked for at every step of a turn. */
const known = new WeakMap<ServerLists, ReadonlyMap<string, OfferedDefinition>>();

/** Everything that a server defines, by key, in its order; what cannot be used is not among it. */
export function offeredDefinitions(lists: ServerLists): ReadonlyMap<string, OfferedDefinition> {
  const made = known.get(lists);
  if (made) return made;
  const offered: OfferedDefinition[] = [
    ...(lists.instructions === undefined ? [] : [defined('instructions', '', { description: lists.instructions })]),
    ...lists.tools.filter(({ problem }) => problem === undefined).map(toolDefinition),
    ...lists.prompts.map((prompt) => defined('prompt', prompt.name, prompt)),
    ...lists.templates
      .filter(({ problem }) => problem === undefined)
      .map(({ variables: _variables, problem: _problem, ...template }) => defined('template', template.uriTemplate, template)),
  ];
  const byKey = new Map(offered.map((definition) => [definitionKey(definition.kind, definition.name), definition]));
  known.set(lists, byKey);
  return byKey;
}

const knownTools = new WeakMap<object, OfferedDefinition>();

/** What is agreed to of a tool: everything that a model reads or a person sees of it. */
export function toolDefinition(tool: ListedTool): OfferedDefinition {
  let made = knownTools.get(tool);
  if (!made) {
    const { name, title, description, inputSchema, outputSchema, annotations, icons, ui } = tool;
    made = defined('tool', name, { name, title, description, inputSchema, outputSchema, annotations, icons, ui });
    knownTools.set(tool, made);
  }
  return made;
}

function defined(kind: DefinitionKind, name: string, value: object): OfferedDefinition {
  // Through JSON, so that what is kept is what the hash is over.
  const { json, hash } = canonicalHash({ value });
  return { kind, name, hash, value: JSON.parse(json) };
}

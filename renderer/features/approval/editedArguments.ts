import { editProblem } from '../../text/editProblem.ts';

/** The texts by name, where arguments are nothing but a few texts: then each has a field of its own. */
export function textFields(json: string): [string, string][] | undefined {
  if (editProblem(json) !== undefined) return undefined;
  const entries = Object.entries(JSON.parse(json) as Record<string, unknown>);
  const texts = entries.flatMap(([name, value]): [string, string][] => (typeof value === 'string' ? [[name, value]] : []));
  return texts.length === entries.length && texts.length > 0 && texts.length <= 20 ? texts : undefined;
}

export const prettyJson = (json: string): string => JSON.stringify(JSON.parse(json), null, 2);

import { z } from 'zod';
import type { ServerDetails } from '../../../preload/contract/servers.ts';
import { iconKey } from '../net/iconSource.ts';
import type { Definitions } from './definitions.ts';

const Described = z.object({ title: z.string().optional(), description: z.string().optional() });
/** The picture of a definition, where it is the one that was agreed to. */
const agreedIcon = ({ icon }: { icon?: string | undefined }, { icons }: Record<string, unknown>): { icon?: string } =>
  icon !== undefined && Array.isArray(icons) && iconKey(icons) === icon ? { icon } : {};
const AgreedPrompt = Described.extend({
  arguments: z.array(Described.extend({ name: z.string(), required: z.boolean().optional() })).default([]),
});
const AgreedTemplate = Described.extend({ mimeType: z.string().optional() });

/**
 * A server's details as they may be used: of prompts and templates only what was agreed to, in the words that were agreed to. Tools are
 * all there, since the page shows them, each with how it stands.
 */
export function agreedDetails(details: ServerDetails, definitions: Pick<Definitions, 'agreedValue' | 'stateOf' | 'isOff'>): ServerDetails {
  const { id } = details.server;
  const templates = details.templates?.flatMap((template) => {
    if (template.problem !== undefined) return [template];
    const { name, uriTemplate, variables } = template;
    const agreed = definitions.agreedValue(id, 'template', uriTemplate);
    if (!agreed) return [];
    if (definitions.stateOf(id, uriTemplate, 'template') === 'accepted') return [template];
    return [{ name, uriTemplate, variables, ...agreedIcon(template, agreed), ...AgreedTemplate.parse(agreed) }];
  });
  return {
    ...details,
    tools: details.tools.map((tool) =>
      tool.problem === undefined
        ? { ...tool, agreed: definitions.stateOf(id, tool.name), ...(definitions.isOff(id, tool.name) ? { isOff: true as const } : {}) }
        : tool,
    ),
    prompts: details.prompts.flatMap((prompt) => {
      const agreed = definitions.agreedValue(id, 'prompt', prompt.name);
      if (!agreed) return [];
      if (definitions.stateOf(id, prompt.name, 'prompt') === 'accepted') return [prompt];
      return [{ name: prompt.name, ...agreedIcon(prompt, agreed), ...AgreedPrompt.parse(agreed) }];
    }),
    ...(templates && { templates }),
  };
}

import type { Effects } from '../../../preload/contract/policy.ts';
import type { ServerDetails } from '../../../preload/contract/servers.ts';
import type { ServerLists } from '../mcp/serverLists.ts';

/** What a server offers, as its page shows it; nothing where it was never connected. All of it is the server's word but the effects. */
export function offeredDetails(
  lists: ServerLists | undefined,
  effectsOf: (tool: string) => Effects,
  keyOf: (icons: readonly unknown[] | undefined) => string | undefined,
): Pick<ServerDetails, 'instructions' | 'tools' | 'resources' | 'templates' | 'prompts'> {
  /** A picture crosses as its key: the renderer asks for those that it shows. */
  const withIcon = (icons: readonly unknown[] | undefined): { icon?: string } => {
    const icon = keyOf(icons);
    return icon === undefined ? {} : { icon };
  };
  const shown = <Item extends { icons?: unknown[] | undefined; ui?: unknown }>(item: Item) => ({
    ...withoutAppearance(item),
    ...withIcon(item.icons),
  });
  return {
    ...(lists?.instructions === undefined ? {} : { instructions: lists.instructions }),
    tools: (lists?.tools ?? []).map((tool) => ({
      name: tool.name,
      ...(tool.title === undefined ? {} : { title: tool.title }),
      ...(tool.description === undefined ? {} : { description: tool.description }),
      inputSchema: JSON.stringify(tool.inputSchema),
      effects: effectsOf(tool.name),
      ...(tool.problem === undefined ? {} : { problem: tool.problem }),
      ...withIcon(tool.icons),
    })),
    resources: (lists?.resources ?? []).map(shown),
    templates: (lists?.templates ?? []).map(shown),
    prompts: (lists?.prompts ?? []).map((prompt) => ({
      ...shown(prompt),
      arguments: prompt.arguments.map(withoutAppearance),
    })),
  };
}

function withoutAppearance<Item extends { icons?: unknown; ui?: unknown }>({
  icons: _icons,
  ui: _ui,
  ...item
}: Item): Omit<Item, 'icons' | 'ui'> {
  return item;
}

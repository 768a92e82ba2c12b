import type { ServerId } from '../../../preload/contract/ids.ts';
import type { ServerTool } from '../mcp/callTool.ts';

/**
 * The tools of one turn: those of a server stay what they were when the turn first saw any of them, so that what the model has read
 * is what its calls are held to. A server that comes later, or goes, does so at once, and so does what the person switches off. The same
 * array for as long as nothing changes.
 */
export function createToolsOfTurn(isOff: (tool: ServerTool) => boolean): (now: readonly ServerTool[]) => readonly ServerTool[] {
  const kept = new Map<ServerId, readonly ServerTool[]>();
  let last: readonly ServerTool[] = [];
  return (now) => {
    const present = [...new Set(now.map(({ serverId }) => serverId))];
    for (const id of present)
      if (!kept.has(id))
        kept.set(
          id,
          now.filter(({ serverId }) => serverId === id),
        );
    const tools = present.flatMap((id) => kept.get(id) ?? []).filter((tool) => !isOff(tool));
    const isSame = (others: readonly ServerTool[]) =>
      tools.length === others.length && tools.every((tool, index) => tool === others[index]);
    // What is worked out of all tools is kept by their array.
    if (!isSame(last)) last = isSame(now) ? now : tools;
    return last;
  };
}

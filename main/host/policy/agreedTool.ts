import type { ServerTool } from '../mcp/callTool.ts';
import type { AgreedDefinition } from '../store/definitions.ts';
import { type OfferedDefinition, toolDefinition } from './offeredDefinitions.ts';

/** How a definition stands to the one that was agreed to. */
export function definitionState(
  offered: Pick<OfferedDefinition, 'hash'>,
  agreed: Pick<AgreedDefinition, 'hash'> | undefined,
): 'accepted' | 'changed' | 'new' {
  if (!agreed) return 'new';
  return agreed.hash === offered.hash ? 'accepted' : 'changed';
}

/**
 * What a model may be offered of a tool: nothing of what nobody agreed to or what is switched off, and of a changed one the definition
 * that was agreed to, never the new text.
 */
export function agreedTool(tool: ServerTool, agreed: AgreedDefinition | undefined): ServerTool | undefined {
  if (!agreed || agreed.isOff) return undefined;
  if (definitionState(toolDefinition(tool), agreed) === 'accepted') return tool;
  // Members that the agreed definition lacks must not shine through.
  const { title: _title, description: _description, inputSchema: _input, outputSchema: _output, ...rest } = tool;
  const { annotations: _annotations, icons: _icons, ui: _ui, ...place } = rest;
  const { title, description, inputSchema, outputSchema, annotations, icons, ui } = agreed.value as Partial<ServerTool>;
  return { ...place, title, description, inputSchema: inputSchema ?? {}, outputSchema, annotations, icons, ui };
}

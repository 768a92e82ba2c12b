import { isRecord } from '../mcp/rawResults.ts';

/** What a tool says of its view (`_meta.ui`, extension `io.modelcontextprotocol/ui`). */
export interface ToolView {
  /** The resource that is the view; undefined: it has none. */
  uri: string | undefined;
  /** Whether models may be offered the tool. */
  forModel: boolean;
  /** Whether a view may call it. */
  forView: boolean;
}

const maxUri = 2048;

/**
 * Without `visibility` a tool is for both. What is no list of words is for neither: a server that wanted something else than the default, and
 * did not say what, is not helped by a guess.
 */
export function viewOfTool(ui: unknown): ToolView {
  const { resourceUri, visibility } = isRecord(ui) ? ui : {};
  const isFor = (who: 'model' | 'app') => visibility === undefined || (Array.isArray(visibility) && visibility.includes(who));
  const isUri = typeof resourceUri === 'string' && resourceUri.startsWith('ui://') && resourceUri.length <= maxUri;
  return { uri: isUri ? resourceUri : undefined, forModel: isFor('model'), forView: isFor('app') };
}

/** `_meta.ui` of a tool, with the address in the place where it stood first (`_meta["ui/resourceUri"]`) if it stands nowhere else. */
export function uiOf(meta: unknown): unknown {
  if (!isRecord(meta)) return undefined;
  const { ui, 'ui/resourceUri': flat } = meta;
  if (typeof flat !== 'string') return ui;
  return isRecord(ui) ? { resourceUri: flat, ...ui } : { resourceUri: flat };
}

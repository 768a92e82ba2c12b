import { isRecord } from '../mcp/rawResults.ts';
import { isNestedTooDeep } from '../nesting.ts';
import { hashText } from '../tools/arguments.ts';
import { canonicalHash } from '../workers/canonicalHash.ts';

/** The one kind of resource that is a view. */
export const viewMimeType = 'text/html;profile=mcp-app';
/** The extension, as both sides declare it. */
export const viewExtension = 'io.modelcontextprotocol/ui';

/** Longest page of a view, in characters. */
const maxHtml = 4 * 1024 * 1024;

/** A view's page, as its server sent it. */
export interface ViewTemplate {
  html: string;
  csp: unknown;
  permissions: unknown;
  border: boolean;
  /** Names exactly this page with what it asks for: SHA-256, in hex. */
  seen: string;
}

/**
 * The page in what `resources/read` answered. What its content item says of itself (`_meta.ui`) goes before what the list of resources said.
 *
 * @returns a sentence that says why there is none: another kind, too long, not in the answer, an address in the place of the page
 */
export function templateOf(uri: string, contents: readonly unknown[], listed: unknown): ViewTemplate | { problem: string } {
  const items = contents.filter(isRecord);
  const item = items.find((each) => each['uri'] === uri) ?? (items.length === 1 ? items[0] : undefined);
  if (!item) return { problem: 'The server sent no view.' };
  const { mimeType, text, blob, _meta: meta } = item;
  if (mimeType !== viewMimeType)
    return { problem: `The server sent a view of the kind ${JSON.stringify(mimeType ?? null).slice(0, 100)}, not “${viewMimeType}”.` };
  const html = typeof text === 'string' ? text : typeof blob === 'string' ? decoded(blob) : undefined;
  if (html === undefined) return { problem: 'The server sent a view that cannot be read: only pages that it sends itself are shown.' };
  if (html.length > maxHtml) return { problem: `The view has more than 4 million characters, so it is not shown.` };
  const own = isRecord(meta) ? meta['ui'] : undefined;
  const { csp, permissions, prefersBorder } = isRecord(own) ? own : isRecord(listed) ? listed : {};
  const border = prefersBorder !== false;
  const asked = { csp: csp ?? null, permissions: permissions ?? null, border };
  if (isNestedTooDeep(asked)) return { problem: 'What the view asks for is nested too deep.' };
  return { html, csp, permissions, border, seen: canonicalHash({ value: { ...asked, html: hashText(html) } }).hash };
}

/** Whether this very page, with what it asks for, is the one that was agreed to. */
export const isAgreedTemplate = ({ seen }: Pick<ViewTemplate, 'seen'>, agreed: string | undefined): boolean => agreed === seen;

function decoded(base64: string): string | undefined {
  if (base64.length > 2 * maxHtml || !/^[A-Za-z0-9+/\s]*={0,2}\s*$/.test(base64)) return undefined;
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(Buffer.from(base64, 'base64'));
  } catch (error) {
    if (error instanceof TypeError) return undefined;
    throw error;
  }
}

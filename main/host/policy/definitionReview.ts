import type { DefinitionMember, DefinitionReview, DefinitionRow, DefinitionWhole, Hint } from '../../../preload/contract/definitions.ts';
import { DefinitionMember as Members } from '../../../preload/contract/definitions.ts';
import type { ServerId } from '../../../preload/contract/ids.ts';
import type { Effect } from '../../../preload/contract/policy.ts';
import type { ServerTool } from '../mcp/callTool.ts';
import type { ServerLists } from '../mcp/serverLists.ts';
import type { Servers } from '../servers/servers.ts';
import { readTool } from '../tools/catalogue.ts';
import type { WorkerPool } from '../workers/pool.ts';
import { type DefinitionName, type Definitions, type ReviewedDefinition, seenOf } from './definitions.ts';
import { textsOf } from './definitionTexts.ts';

/** Characters of all descriptions of a page together, so that it fits a message of the bridge. */
const maxDescriptions = 400_000;
/** No model reads more of a description. */
const maxDescription = 4096;
const maxHints = 2000;
/** Milliseconds for looking through all texts of a server. */
const scanMs = 5000;
const maxText = 200_000;

/** What a server defines, held against what was agreed to: a page of it, hints of the scanner included. */
export async function definitionReview(
  { servers, definitions, pool }: { servers: Servers; definitions: Definitions; pool: WorkerPool },
  serverId: ServerId,
  lists: ServerLists,
): Promise<DefinitionReview> {
  const server = servers.details(serverId).server;
  const reviewed = definitions.review(serverId, lists);
  const otherTools = servers
    .tools()
    .filter((tool) => tool.serverId !== serverId)
    .map(({ name, serverName }) => ({ name, serverName }));
  const scanned = await pool.run(
    'scan',
    {
      texts: reviewed.flatMap((definition, row) => textsOf(shownOf(definition)).map((text) => ({ ...text, row }))),
      otherTools,
      ownNames: reviewed.map(({ name }) => name),
    },
    { timeoutMs: scanMs },
  );
  const hintsByRow = new Map<number, Hint[]>();
  for (const { row, ...hint } of scanned.slice(0, maxHints)) hintsByRow.set(row, [...(hintsByRow.get(row) ?? []), hint]);
  const descriptionShare = Math.min(maxDescription, Math.floor(maxDescriptions / Math.max(1, reviewed.length)));
  const rows = reviewed.map((definition, row) => {
    const { kind, name, state, isLeft, agreed, renamedFrom } = definition;
    const value = shownOf(definition);
    const description = text(value['description']);
    return {
      kind,
      name,
      ...(text(value['title']) === '' ? {} : { title: text(value['title']) }),
      description: description.slice(0, descriptionShare).toWellFormed(),
      isCut: description.length > descriptionShare,
      state,
      isLeft,
      isOff: agreed?.isOff === true,
      ...(renamedFrom === undefined ? {} : { renamedFrom }),
      differs: state === 'changed' ? differencesOf(definition).map(({ member }) => member) : [],
      tokens: kind === 'tool' && state !== 'removed' ? readTool(toolOf(serverId, value)).tokens : 0,
      hints: hintsByRow.get(row) ?? [],
      ...(kind === 'tool' ? { effects: servers.effectsOf(serverId, name), proposed: proposedEffects(servers, serverId, name, value) } : {}),
    } satisfies DefinitionRow;
  });
  return {
    serverId,
    serverName: server.name,
    isFirst: reviewed.every(({ agreed }) => agreed === undefined),
    seen: seenOf(lists),
    rows,
    tokens: rows.filter(({ isOff }) => !isOff).reduce((sum, { tokens }) => sum + tokens, 0),
    isRemembered: server.status.state !== 'ready',
  };
}

/** One definition whole, with what differs; undefined where there is none of this name. */
export function definitionWhole(
  serverId: ServerId,
  reviewed: readonly ReviewedDefinition[],
  { kind, name }: DefinitionName,
): DefinitionWhole | undefined {
  const definition = reviewed.find((candidate) => candidate.kind === kind && candidate.name === name);
  if (!definition) return undefined;
  let isCut = false;
  const cut = (whole: string): string => {
    if (whole.length > maxText) isCut = true;
    return whole.slice(0, maxText).toWellFormed();
  };
  const { agreed, offered } = definition;
  const read = kind === 'tool' && !agreed?.isOff ? (agreed ?? offered)?.value : undefined;
  const model = read && readTool(toolOf(serverId, read));
  return {
    kind,
    name,
    ...(model && { model: { description: cut(model.description), inputSchema: cut(pretty(model.inputSchema)) } }),
    ...(offered && { definition: cut(pretty(offered.value)) }),
    changes: differencesOf(definition).map(({ member, before, after }) => ({ member, before: cut(before), after: cut(after) })),
    isCut,
  };
}

const shownOf = ({ offered, agreed }: ReviewedDefinition): Record<string, unknown> => (offered ?? agreed)?.value ?? {};

function differencesOf({ offered, agreed }: ReviewedDefinition): { member: DefinitionMember; before: string; after: string }[] {
  if (!offered || !agreed || offered.hash === agreed.hash) return [];
  return Members.options.flatMap((member) => {
    const [before, after] = [asText(agreed.value[member]), asText(offered.value[member])];
    return before === after ? [] : [{ member, before, after }];
  });
}

const asText = (value: unknown): string => (value === undefined ? '' : typeof value === 'string' ? value : pretty(value));
const pretty = (value: unknown): string => JSON.stringify(value, null, 2);
const text = (value: unknown): string => (typeof value === 'string' ? value : '');

function toolOf(serverId: ServerId, value: Record<string, unknown>): ServerTool {
  const { name, title, description, inputSchema } = value as Partial<ServerTool>;
  return { serverId, serverName: '', name: name ?? '', title, description, inputSchema: inputSchema ?? {} };
}

/**
 * What stands ticked at first: what the program's own folder or the server's annotations say only where nobody else has said anything, and
 * only on this page.
 */
function proposedEffects(
  servers: Pick<Servers, 'effectsOf' | 'claimedEffectsOf'>,
  serverId: ServerId,
  tool: string,
  value: Record<string, unknown>,
): NonNullable<DefinitionRow['proposed']> {
  const { set, source } = servers.effectsOf(serverId, tool);
  if (source !== 'nobody') return { set, by: source };
  const claimed = servers.claimedEffectsOf(serverId, tool);
  if (claimed) return { set: claimed, by: 'folder' };
  const said = effectsOfAnnotations(value['annotations']);
  return said ? { set: said, by: 'server' } : { set, by: 'nobody' };
}

/** MCP tool annotations (2025-03-26 on), by their defaults: undefined where they say nothing of effects. */
function effectsOfAnnotations(annotations: unknown): Effect[] | undefined {
  if (typeof annotations !== 'object' || annotations === null) return undefined;
  const { readOnlyHint, destructiveHint, openWorldHint } = annotations as Record<string, unknown>;
  if (typeof readOnlyHint !== 'boolean' && typeof destructiveHint !== 'boolean') return undefined;
  const own: Effect[] = readOnlyHint === true ? ['reads'] : destructiveHint === false ? ['changes'] : ['changes', 'deletes'];
  // Where it says nothing, the world is open to it.
  return openWorldHint === false ? own : [...own, 'sendsOut'];
}

import { randomBytes } from 'node:crypto';
import type { ToolCall } from '../../../preload/contract/calls.ts';
import { maxViewJson } from '../../../preload/contract/commands/viewCommands.ts';
import type { ResultBlock } from '../../../preload/contract/content.ts';
import type { CallId, ConversationId, ServerId } from '../../../preload/contract/ids.ts';
import { ViewId, type ViewReach, type ViewState, type ViewWords } from '../../../preload/contract/views.ts';
import { readResourceMethod, type ServerTool } from '../mcp/callTool.ts';
import { isRecord } from '../mcp/rawResults.ts';
import { isNestedTooDeep } from '../nesting.ts';
import type { Audit } from '../policy/audit.ts';
import type { Definitions } from '../policy/definitions.ts';
import { chatLabels } from '../policy/labels.ts';
import type { Clock } from '../ports.ts';
import { refuse } from '../refusal.ts';
import type { Servers } from '../servers/servers.ts';
import type { Blobs } from '../store/blobs.ts';
import { getCall } from '../store/calls.ts';
import { getConversation, isBench } from '../store/conversations.ts';
import { type Db, inTransaction } from '../store/database.ts';
import { getTurn } from '../store/turns.ts';
import { agreedView, conversationOfView, isOfView, setAgreedView } from '../store/views.ts';
import { plainText } from '../tools/plainText.ts';
import { createResultStore } from '../tools/resultStore.ts';
import { blocksOfContents, type ResultReader, shapeResult } from '../tools/result.ts';
import type { Turns } from '../turn/turns.ts';
import type { ViewCall } from '../turn/viewCalls.ts';
import { type EndForView, endForView, readForView } from './forView.ts';
import { mayShowViews } from './mayShowViews.ts';
import { viewOfTool } from './viewOfTool.ts';
import { answerOfView, frameAnswer, framePath, noView, type ViewAnswer } from './viewPages.ts';
import { reachOf, viewCsp } from './viewPolicy.ts';
import { isAgreedTemplate, templateOf, type ViewTemplate } from './viewTemplate.ts';
import { contentOfWords, createSaidWords, type SaidWords } from './viewWords.ts';

/** Where a shell shows views. Both are origins: `scheme://host[:port]`. */
export interface ViewShell {
  /** Of the window. */
  page: string;
  /** Of the pages around the views of a server: never that of the window. */
  originOf(serverId: ServerId): string;
}

/** The views of servers that are shown (MCP Apps, extension `io.modelcontextprotocol/ui`). */
export interface Views extends Pick<SaidWords, 'along' | 'forget'> {
  /** A shell that can show views says where. Until then there are none. */
  showIn(shell: ViewShell): void;
  /** What is served there. `origin`: the one that was asked, `path`: of the URL. A view is given out once. */
  answer(origin: string, path: string): ViewAnswer;
  open(callId: CallId): Promise<ViewState>;
  /** Refuses with `wrongHash` and `notFound`. */
  agree(callId: CallId, seen: string): Promise<void>;
  close(id: ViewId): void;
  /** All of these refuse with `notFound` a view that is not shown (any more), and with `notAllowed` where views of its server are off. */
  data(id: ViewId): { argumentsJson: string; end?: EndForView };
  /** Resolve at the end of the call, however it ended. */
  call(id: ViewId, tool: string, argumentsJson: string): Promise<CallId>;
  read(id: ViewId, uri: string): Promise<CallId>;
  /** What came of one of them, as JSON. */
  result(id: ViewId, callId: CallId): string;
  /** Says whether nothing is kept of it now. */
  say(id: ViewId, kind: ViewWords['kind'], paramsJson: string): { isEmpty: boolean };
  words(chat: ConversationId, words: ViewWords): ResultBlock[];
  log(id: ViewId, level: string, text: string): void;
}

interface LiveView {
  origin: ToolCall & { serverId: ServerId };
  chat: ConversationId;
  html: string;
  reach: ViewReach;
  isServed: boolean;
  /** The end of the last call that it made: the next one follows. */
  last: Promise<unknown>;
  waiting: number;
}

/** More than a window shows; the one opened first goes. */
const mostLive = 40;
/** Calls of one view that wait for one another. */
const mostWaiting = 10;
const templateMs = 15_000;

export interface ViewsDeps {
  db: Db;
  blobs: Blobs;
  clock: Clock;
  servers: Servers;
  definitions: Pick<Definitions, 'agreedTool'>;
  audit: Pick<Audit, 'append'>;
  read: ResultReader;
  turns: Pick<Turns, 'callForView'>;
}

export function createViews(deps: ViewsDeps): Views {
  const { db, servers, read } = deps;
  const live = new Map<ViewId, LiveView>();
  const said = createSaidWords();
  let shell: ViewShell | undefined;

  /** The tool of this name as it was agreed to, and as it is there now. */
  function toolOf(serverId: ServerId, name: string): { agreed: ServerTool; now: ServerTool } | undefined {
    const now = servers.tools().find((tool) => tool.serverId === serverId && tool.name === name);
    const agreed = now && deps.definitions.agreedTool(now);
    return now && agreed && { agreed, now };
  }

  const mayShow = (id: ServerId): boolean => mayShowViews(db, id, servers.writtenConfig(id));

  /** The call with what its view is, where it can have one; undefined: it is text. */
  function viewable(callId: CallId) {
    const call = getCall(db, callId)?.call;
    if (!shell || call?.serverId === undefined || !isShowable(call) || !mayShow(call.serverId)) return undefined;
    const chat = getTurn(db, call.turnId)?.turn.conversationId;
    if (chat === undefined || isBench(chat) || isOfView(chat)) return undefined;
    const tool = toolOf(call.serverId, call.tool);
    const uri = tool && viewOfTool(tool.agreed.ui).uri;
    return uri === undefined ? undefined : { call: { ...call, serverId: call.serverId }, chat, uri, shell };
  }

  /** From the same server, as it sends it now. */
  async function templateFrom(serverId: ServerId, uri: string): Promise<ViewTemplate | { problem: string }> {
    const answer = await servers.readResource(serverId, uri, { signal: AbortSignal.timeout(templateMs) });
    if (answer.kind === 'cancelled') return { problem: 'The server did not send its view in time.' };
    if (answer.kind !== 'ok') return { problem: answer.message };
    const listed = servers.listsOf(serverId)?.resources.find((resource) => resource.uri === uri);
    return templateOf(uri, answer.value.contents, listed?.ui);
  }

  function shown(id: ViewId): LiveView {
    const view = live.get(id) ?? refuse('notFound', 'This view is not shown any more.');
    if (!mayShow(view.origin.serverId)) refuse('notAllowed', 'Views of this server are switched off.');
    return view;
  }

  /** One after the other, through the gate. */
  function made(view: LiveView, wanted: ViewCall['wanted']): Promise<CallId> {
    if (view.waiting >= mostWaiting) return refuse('wrongState', `At most ${mostWaiting} calls of a view wait for one another.`);
    const { last } = view;
    const run = async (): Promise<CallId> => {
      await last.catch(() => undefined); // Whoever made that one was told.
      return deps.turns.callForView({ origin: view.origin, wanted });
    };
    view.waiting += 1;
    const next = run().finally(() => (view.waiting -= 1));
    view.last = next;
    return next;
  }

  return {
    along: said.along,
    forget: said.forget,

    showIn(place) {
      shell = place;
    },

    answer(origin, path) {
      const [, kind, id = ''] = /^\/(frame|view)\/([A-Za-z0-9_-]{43})$/.exec(path) ?? [];
      const view = live.get(id as ViewId);
      if (!shell || !view || shell.originOf(view.origin.serverId) !== origin) return noView();
      if (kind === 'frame') return frameAnswer(id, shell.page, origin);
      // Once: a view that loads itself again would be told everything a second time.
      if (view.isServed) return noView();
      view.isServed = true;
      return answerOfView(view.html, viewCsp(view.reach, [origin, shell.page]));
    },

    async open(callId) {
      const found = viewable(callId);
      if (!found) return { state: 'none' };
      const { call, chat, uri } = found;
      const { serverId } = call;
      if (call.arguments.length > maxViewJson)
        return { state: 'unavailable', message: 'The arguments of this call are too long for a view.' };
      const template = await templateFrom(serverId, uri);
      if ('problem' in template) return { state: 'unavailable', message: template.problem };
      const reach = reachOf(template);
      const agreed = agreedView(db, serverId, uri);
      if (!isAgreedTemplate(template, agreed))
        return { state: 'toReview', seen: template.seen, changed: agreed !== undefined, size: template.html.length, reach };
      const viewId = ViewId.parse(randomBytes(32).toString('base64url'));
      const { html, border } = template;
      live.set(viewId, { origin: call, chat, html, reach, isServed: false, last: Promise.resolve(), waiting: 0 });
      for (const oldest of live.keys()) {
        if (live.size <= mostLive) break;
        live.delete(oldest);
      }
      return { state: 'ready', viewId, url: `${found.shell.originOf(serverId)}${framePath(viewId)}`, reach, border };
    },

    async agree(callId, seen) {
      const { call, uri } = viewable(callId) ?? refuse('notFound', 'This call has no view any more.');
      const template = await templateFrom(call.serverId, uri);
      if ('problem' in template) return refuse('serverFailed', template.problem);
      if (template.seen !== seen) refuse('wrongHash', 'The server sends another view now. Look at it again; nothing was changed.');
      inTransaction(db, () => {
        setAgreedView(db, call.serverId, uri, seen, deps.clock.now());
        const { serverId, serverName, tool } = call;
        deps.audit.append({ kind: 'definition.accepted', serverId, serverName, tool, hash: seen, summary: '1 view' });
      });
    },

    close: (id) => void live.delete(id),

    data(id) {
      const { origin } = shown(id);
      const call = getCall(db, origin.id)?.call ?? refuse('notFound', 'This call does not exist any more.');
      const end = endForView(db, call, read);
      return { argumentsJson: read.text(call.arguments), ...(end && { end }) };
    },

    async call(id, name, argumentsJson) {
      const view = shown(id);
      const { serverId } = view.origin;
      const tool = toolOf(serverId, name);
      if (!tool) refuse('notFound', 'This server has no tool of that name that is in use here.');
      if (!isForViews(tool)) refuse('notAllowed', 'This tool is not for views.');
      const values = objectOf(argumentsJson);
      return made(view, { serverId, tool: name, values, size: argumentsJson.length });
    },

    async read(id, uri) {
      const view = shown(id);
      const { serverId, serverName } = view.origin;
      return made(view, { serverId, serverName, uri });
    },

    result(id, callId) {
      const { origin } = shown(id);
      const call = getCall(db, callId)?.call;
      if (!call || getTurn(db, call.turnId)?.turn.conversationId !== conversationOfView(origin.id))
        return refuse('notFound', 'This view made no such call.');
      if (call.state === 'succeeded' && call.tool === readResourceMethod) {
        const { uri } = JSON.parse(read.text(call.arguments)) as { uri: string };
        return readForView(uri, call.content, read) ?? refuse('serverFailed', 'The resource is too large for a view.');
      }
      const end = endForView(db, call, read);
      if (end?.kind === 'result' && call.tool !== readResourceMethod) return end.resultJson;
      const reason = end?.kind === 'cancelled' ? end.reason : 'The resource could not be read.';
      return refuse(call.state === 'denied' ? 'notAllowed' : 'serverFailed', reason);
    },

    say(id, kind, paramsJson) {
      const { origin, chat } = shown(id);
      const content = contentOfWords(paramsJson);
      if (kind === 'message' && content.length === 0) refuse('invalidInput', 'A message of a view is not empty.');
      const leaf = getConversation(db, conversationOfView(origin.id))?.leafId ?? origin.messageId;
      const { untrusted, private: isPrivate } = chatLabels(db, leaf, () => undefined);
      const { id: callId, serverId, serverName, tool } = origin;
      said.say({ callId, kind, chat, serverId, serverName, tool, content, seen: { untrusted, private: isPrivate } });
      return { isEmpty: content.length === 0 };
    },

    words(chat, words) {
      const { attachments, prompt } = said.along(chat, [words]);
      const content = prompt
        ? prompt.messages.flatMap((message) => message.content)
        : blocksOfContents(attachments.flatMap(({ contents }) => contents));
      return shapeResult({ content, hasStructuredContent: false }, createResultStore(deps.blobs, undefined));
    },

    log(id, level, text) {
      const { origin } = shown(id);
      servers.note(origin.serverId, `Its view says (${plainText(level, 20)}): ${plainText(text, 1000)}`);
    },
  };
}

const isShowable = (call: ToolCall): boolean =>
  call.state === 'running' ||
  call.state === 'awaitingInput' ||
  call.state === 'succeeded' ||
  (call.state === 'failed' && call.error.code === 'toolError');

/** Neither what was agreed to nor what is there now may keep it from views. */
const isForViews = ({ agreed, now }: { agreed: ServerTool; now: ServerTool }): boolean =>
  viewOfTool(agreed.ui).forView && viewOfTool(now.ui).forView;

function objectOf(json: string): Record<string, unknown> {
  let value: unknown;
  try {
    value = JSON.parse(json);
  } catch (error) {
    if (error instanceof SyntaxError) return refuse('invalidInput', 'The arguments are no JSON.');
    throw error;
  }
  return isRecord(value) && !isNestedTooDeep(value)
    ? value
    : refuse('invalidInput', 'The arguments are no JSON object, or nested too deep.');
}

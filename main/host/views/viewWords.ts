import type { ConversationId, ServerId } from '../../../preload/contract/ids.ts';
import type { ViewWords } from '../../../preload/contract/views.ts';
import { isRecord } from '../mcp/rawResults.ts';
import type { LabelPair } from '../policy/labels.ts';
import { refuse } from '../refusal.ts';
import type { ReadAttachment } from '../turn/attachments.ts';
import type { ReadPrompt } from '../turn/chosenPrompt.ts';

/** What a view said, until it is sent, replaced or forgotten. */
export interface SaidByView extends ViewWords {
  chat: ConversationId;
  serverId: ServerId;
  serverName: string;
  tool: string;
  /** Content blocks, as they came. */
  content: unknown[];
  seen: LabelPair;
}

/** What views have said and nobody has sent yet. Kept in memory: after a restart a view says it anew. */
export interface SaidWords {
  /** Puts it in the place of what the same view said before; without content it only takes that back. */
  say(said: SaidByView): void;
  /** For a message of this chat. Refuses with `notFound` what is not there any more, so that nothing is sent that the person did not see. */
  along(chat: ConversationId, words: readonly ViewWords[]): { attachments: ReadAttachment[]; prompt: ReadPrompt | undefined };
  forget(words: readonly ViewWords[]): void;
}

/** Longest that a view may say, in characters of JSON. */
const maxWords = 65_536;
const mostSaid = 200;

/**
 * The content of `ui/message` or `ui/update-model-context`: a block or a list of them, and structured content as text. Refuses with
 * `invalidInput`.
 */
export function contentOfWords(paramsJson: string): unknown[] {
  if (paramsJson.length > maxWords) refuse('invalidInput', `A view may say at most ${maxWords} characters at once.`);
  let params: unknown;
  try {
    params = JSON.parse(paramsJson);
  } catch (error) {
    if (error instanceof SyntaxError) return refuse('invalidInput', 'This is no JSON.');
    throw error;
  }
  const { content, structuredContent } = isRecord(params) ? params : {};
  const blocks: unknown[] = content === undefined ? [] : Array.isArray(content) ? content : [content];
  if (!blocks.every((block) => isRecord(block) && (block['type'] === 'text' || block['type'] === 'image')))
    refuse('invalidInput', 'A view says texts and pictures only.');
  return structuredContent === undefined ? blocks : [...blocks, { type: 'text', text: JSON.stringify(structuredContent) }];
}

export function createSaidWords(): SaidWords {
  const kept = new Map<string, SaidByView>();
  const keyOf = ({ callId, kind }: ViewWords): string => `${kind} ${callId}`;
  return {
    say(said) {
      kept.delete(keyOf(said));
      if (said.content.length > 0) kept.set(keyOf(said), said);
      for (const oldest of kept.keys()) {
        if (kept.size <= mostSaid) break;
        kept.delete(oldest);
      }
    },
    along(chat, words) {
      const said = words.map((each) => {
        const found = kept.get(keyOf(each));
        return found?.chat === chat
          ? found
          : refuse('notFound', 'What a view wanted to add is not there any more, so the message was not sent. Take it off and send again.');
      });
      const [message, second] = said.filter(({ kind }) => kind === 'message');
      if (second) refuse('invalidInput', 'One message can carry the words of one view only.');
      return { attachments: said.filter(({ kind }) => kind === 'context').map(asAttachment), prompt: message && asPrompt(message) };
    },
    forget(words) {
      for (const each of words) kept.delete(keyOf(each));
    },
  };
}

/** Stands where an attachment has the address of its resource: no server is ever asked for it. */
const addressOf = (tool: string): string => `view:${encodeURIComponent(tool)}`;

function asAttachment({ serverId, serverName, tool, content, seen }: SaidByView): ReadAttachment {
  const uri = addressOf(tool);
  const contents = content.map((block) => {
    const { type, text, data, mimeType } = block as { type?: unknown; text?: unknown; data?: unknown; mimeType?: unknown };
    return type === 'text' ? { uri, mimeType: 'text/plain', text } : { uri, mimeType, blob: data };
  });
  return { serverId, serverName, uri, title: `What the view of ${tool} shows`, contents, seen };
}

const asPrompt = ({ serverId, serverName, tool, content, seen }: SaidByView): ReadPrompt => ({
  serverId,
  serverName,
  name: addressOf(tool),
  title: `Message of the view of ${tool}`,
  values: {},
  messages: [{ role: 'user', content }],
  seen,
});

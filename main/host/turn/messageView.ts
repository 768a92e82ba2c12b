import type { Message, Part } from '../../../preload/contract/conversations.ts';
import type { Labels } from '../../../preload/contract/content.ts';
import { promptOf } from '../tools/storedPrompt.ts';
import { attachmentOf } from '../tools/storedAttachment.ts';
import type { ToolCall } from '../../../preload/contract/calls.ts';
import type { Db } from '../store/database.ts';
import { callOfPart, type StoredCall } from '../store/calls.ts';
import { partsOf, siblingsOf, type StoredMessage, type StoredPart } from '../store/messages.ts';
import { turnOfAnswer } from '../store/turns.ts';

/** A text part as it crosses the bridge. */
export function textPartView(part: StoredPart): Part {
  const common = { id: part.id, text: part.text, labels: part.labels, open: part.open };
  if (part.kind === 'reasoning')
    return { ...common, kind: 'reasoning', ...(part.durationMs === undefined ? {} : { durationMs: part.durationMs }) };
  return { ...common, kind: 'text' };
}

/** Labels of a call's part: of what its server returned. */
export const labelsOf = ({ call, labels }: StoredCall): Labels => ({
  source: call.serverId === undefined ? { kind: 'host' } : { kind: 'tool', serverId: call.serverId, tool: call.tool, callId: call.id },
  ...labels,
});

export const callPartView = (id: Part['id'], call: ToolCall, labels: Labels): Part => ({ id, kind: 'call', call, labels });

/** A message as it crosses the bridge. */
export function messageView(db: Db, message: StoredMessage): Message {
  const turn = message.role === 'assistant' ? turnOfAnswer(db, message.id) : undefined;
  return {
    id: message.id,
    conversationId: message.conversationId,
    ...(message.parentId === undefined ? {} : { parentId: message.parentId }),
    role: message.role,
    createdAt: message.createdAt,
    ...(turn === undefined ? {} : { turn }),
    parts: partsOf(db, message.id).flatMap((part) => {
      if (part.kind === 'prompt') return [{ id: part.id, kind: 'prompt', ...promptOf(part), labels: part.labels }];
      if (part.kind === 'attachment') return [{ id: part.id, kind: 'attachment', ...attachmentOf(part), labels: part.labels }];
      if (part.kind !== 'call') return [textPartView(part)];
      const stored = callOfPart(db, part.id);
      return stored ? [callPartView(part.id, stored.call, part.labels)] : [];
    }),
    siblings: siblingsOf(db, message),
  };
}

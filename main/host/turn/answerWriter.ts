import type { ConversationId, MessageId, PartId } from '../../../preload/contract/ids.ts';
import type { Labels } from '../../../preload/contract/content.ts';
import type { Clock, Ids } from '../ports.ts';
import type { Events } from '../events.ts';
import type { Db } from '../store/database.ts';
import type { Blobs } from '../store/blobs.ts';
import { storeText } from '../store/longText.ts';
import { getPart, insertPart, updatePart } from '../store/messages.ts';
import { textPartView } from './messageView.ts';

/** Streaming text is saved this often, in milliseconds: at most this much is lost in a crash. */
const saveEveryMs = 1000;

export interface AnswerWriterDeps {
  db: Db;
  blobs: Blobs;
  events: Events;
  clock: Clock;
  ids: Ids;
}

/** Writes the model's streaming text into the parts of one message: saved at part ends and every second. */
export interface AnswerWriter {
  start(kind: 'text' | 'reasoning', step: number, labels: Pick<Labels, 'untrusted' | 'private'>): void;
  append(text: string): void;
  /** Closes the open part, if there is one. */
  end(): void;
  /** Saves what has streamed so far, so that a snapshot of the database is complete. */
  save(): void;
}

export function createAnswerWriter(deps: AnswerWriterDeps, place: { conversationId: ConversationId; messageId: MessageId }): AnswerWriter {
  const { db, events, clock } = deps;
  let open: { id: PartId; kind: 'text' | 'reasoning'; text: string; startedAt: number; saved: number } | undefined;
  let cancelSave: (() => void) | undefined;

  function save(): void {
    cancelSave?.();
    cancelSave = undefined;
    if (!open || open.saved === open.text.length) return;
    // Whole, not as head and blob: the next second may bring more.
    updatePart(db, open.id, { text: { text: open.text, length: open.text.length }, open: true });
    open.saved = open.text.length;
  }

  function emit(id: PartId): void {
    const part = getPart(db, id);
    if (part) events.conversation(place.conversationId, { type: 'part.changed', messageId: place.messageId, part: textPartView(part) });
  }

  function end(): void {
    cancelSave?.();
    cancelSave = undefined;
    if (!open) return;
    const { id, kind, text, startedAt } = open;
    open = undefined;
    updatePart(db, id, {
      text: storeText(deps.blobs, text, place.conversationId),
      open: false,
      durationMs: kind === 'reasoning' ? clock.now() - startedAt : undefined,
    });
    emit(id);
  }

  return {
    start(kind, step, labels) {
      end();
      open = { id: deps.ids() as PartId, kind, text: '', startedAt: clock.now(), saved: 0 };
      insertPart(db, {
        id: open.id,
        messageId: place.messageId,
        step,
        kind,
        text: { text: '', length: 0 },
        open: true,
        durationMs: undefined,
        labels: { source: { kind: 'model' }, ...labels },
      });
      emit(open.id);
    },
    append(text) {
      if (!open) throw new Error('The model sent text outside a part.');
      events.textDelta(place.conversationId, { messageId: place.messageId, partId: open.id, offset: open.text.length, text });
      open.text += text;
      cancelSave ??= clock.after(saveEveryMs, save);
    },
    end,
    save,
  };
}

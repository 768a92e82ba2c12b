import { useState } from 'react';
import type { InputAnswer, SamplingView } from '../../../preload/contract/policy.ts';

/** What the person wrote in the place of texts on the card, by {@link systemText}, {@link messageText} and {@link resultText}. */
export type SamplingDrafts = Readonly<Record<string, string>>;

export const systemText = 'system';
export const messageText = (message: number, block: number): string => `message ${message} ${block}`;
export const resultText = (block: number): string => `result ${block}`;

type Edits = Pick<Extract<InputAnswer, { action: 'accept' }>, 'editedSystemPrompt' | 'editedMessages' | 'editedResult'>;

/** What an answer to this stage has to say of the drafts: only what differs from what the card shows. */
export function editsOf(view: SamplingView, drafts: SamplingDrafts, stage: 'request' | 'result'): Edits {
  const changed = (key: string, shown: string): string | undefined => {
    const draft = drafts[key];
    return draft === undefined || draft === shown ? undefined : draft;
  };
  if (stage === 'result') {
    const editedResult = (view.result?.blocks ?? []).flatMap((block, at) => {
      const text = block.type === 'text' ? changed(resultText(at), block.text.text) : undefined;
      return text === undefined ? [] : [{ block: at, text }];
    });
    return editedResult.length === 0 ? {} : { editedResult };
  }
  const editedSystemPrompt = view.systemPrompt && changed(systemText, view.systemPrompt.text);
  const editedMessages = view.messages.flatMap(({ blocks }, message) =>
    blocks.flatMap((block, at) => {
      const text = block.type === 'text' ? changed(messageText(message, at), block.text.text) : undefined;
      return text === undefined ? [] : [{ message, block: at, text }];
    }),
  );
  return {
    ...(editedSystemPrompt === undefined ? {} : { editedSystemPrompt }),
    ...(editedMessages.length === 0 ? {} : { editedMessages }),
  };
}

/** Drafts live as long as the card: looking away, or a model that fails, loses none. */
export function useSamplingEdits(view: SamplingView | undefined, stage: 'request' | 'result') {
  const [drafts, setDrafts] = useState<SamplingDrafts>({});
  const [editing, setEditing] = useState(false);
  const edits = view === undefined ? {} : editsOf(view, drafts, stage);
  return {
    drafts,
    edits,
    editing,
    setEditing,
    write: (key: string, text: string) => setDrafts((before) => ({ ...before, [key]: text })),
    discard() {
      setDrafts({});
      setEditing(false);
    },
  };
}

import type { ToolCall } from '../../../preload/contract/calls.ts';
import type { Part } from '../../../preload/contract/conversations.ts';

type CallPart = Extract<Part, { kind: 'call' }>;
export type Shown = { kind: 'part'; part: Part } | { kind: 'calls'; parts: readonly CallPart[] };

/** Fewer finished reads than this stand as they are. */
const foldFrom = 3;

const finishedRead = (call: ToolCall) =>
  call.state === 'succeeded' &&
  call.proposedArguments === undefined &&
  call.effects.source !== 'nobody' &&
  call.effects.set.every((effect) => effect === 'reads');

/** Three or more finished reads in a row become one line. Whatever changed, failed, waits, runs or was edited by the person is never folded away. */
export function foldParts(parts: readonly Part[]): Shown[] {
  const shown: Shown[] = [];
  let run: CallPart[] = [];
  const end = () => {
    if (run.length >= foldFrom) shown.push({ kind: 'calls', parts: run });
    else for (const part of run) shown.push({ kind: 'part', part });
    run = [];
  };
  for (const part of parts) {
    if (part.kind === 'call' && finishedRead(part.call)) {
      run.push(part);
      continue;
    }
    // An empty text between two calls is nothing that anybody sees.
    if ((part.kind === 'text' || part.kind === 'reasoning') && part.text.length === 0 && !part.open) continue;
    end();
    shown.push({ kind: 'part', part });
  }
  end();
  return shown;
}

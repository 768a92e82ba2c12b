import workerUrl from './highlight.worker.ts?worker&url';
import type { HighlightAnswer, HighlightRequest, Token } from './highlightMessages.ts';
import { startWorker } from './trustedWorker.ts';

/** Longer code stays plain: it would cost more than its colours tell. */
export const longestHighlighted = 20_000;
/** A grammar that needs longer than this on some code is given up, and the worker with it. */
const limitMs = 3000;

let worker: Worker | null = null;
let lastId = 0;
const waiting = new Map<number, (lines: Token[][] | null) => void>();

function stop() {
  worker?.terminate();
  worker = null;
  for (const answer of waiting.values()) answer(null);
  waiting.clear();
}

function running(): Worker {
  if (worker !== null) return worker;
  worker = startWorker(workerUrl);
  worker.onmessage = (message: MessageEvent<HighlightAnswer>) => {
    waiting.get(message.data.id)?.(message.data.lines);
    waiting.delete(message.data.id);
  };
  worker.onerror = (event) => {
    console.error('The highlighter failed.', event.message);
    stop();
  };
  return worker;
}

/** Coloured lines of code, made beside the page's own thread; null where the code stays plain. */
export function highlight(code: string, language: string): Promise<Token[][] | null> {
  return new Promise((resolve) => {
    lastId += 1;
    const id = lastId;
    const timer = setTimeout(stop, limitMs);
    waiting.set(id, (lines) => {
      clearTimeout(timer);
      resolve(lines);
    });
    running().postMessage({ id, code, language } satisfies HighlightRequest);
  });
}

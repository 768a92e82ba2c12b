import { useEffect, useRef, useState } from 'react';
import type { CommandInput } from '../../preload/contract/commands.ts';
import { useBridge } from './bridgeContext.tsx';

export type CompletionQuery = Omit<CommandInput<'completion.complete'>, 'others'> & { others: Record<string, string> };

const none: { values: readonly string[]; hasMore: boolean } = { values: [], hasMore: false };

/** Long enough that a word typed quickly is one question. */
const pauseMs = 150;

/**
 * What the server suggests for one argument, asked for when the typing rests. Only the answer to the newest question counts, whatever
 * order the answers come in; until it is there the last one stands, so that the list does not flicker. A server that suggests nothing,
 * or fails to, leaves the field as it is. `query` null asks for nothing.
 */
export function useCompletion(query: CompletionQuery | null): { values: readonly string[]; hasMore: boolean } {
  const bridge = useBridge();
  const [found, setFound] = useState(none);
  const key = query === null ? '' : JSON.stringify(query);
  const latest = useRef(query);
  useEffect(() => {
    latest.current = query;
  });
  useEffect(() => {
    if (key === '') return;
    let current = true;
    const timer = setTimeout(() => {
      if (latest.current === null) return;
      void bridge.invoke('completion.complete', latest.current).then((result) => {
        if (!current) return;
        setFound({ values: result.ok ? result.value.values : [], hasMore: result.ok && result.value.hasMore });
      });
    }, pauseMs);
    return () => {
      current = false;
      clearTimeout(timer);
    };
  }, [bridge, key]);
  return key === '' ? none : found;
}

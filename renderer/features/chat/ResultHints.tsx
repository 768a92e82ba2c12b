import { useEffect, useState } from 'react';
import type { CommandOutput } from '../../../preload/contract/commands.ts';
import type { CallId } from '../../../preload/contract/ids.ts';
import { useBridge } from '../../bridge/bridgeContext.tsx';
import { HintList } from '../../ui/HintList.tsx';

type BlockHint = CommandOutput<'result.hints'>['hints'][number];

/** Hints on a result, read once it is looked at. They only point: without them the result is shown all the same. */
export function useResultHints(callId: CallId, wanted: boolean): readonly BlockHint[] {
  const bridge = useBridge();
  const [hints, setHints] = useState<readonly BlockHint[]>([]);
  useEffect(() => {
    if (!wanted) return;
    let current = true;
    void bridge.invoke('result.hints', { callId }).then((result) => {
      if (current && result.ok) setHints(result.value.hints);
    });
    return () => {
      current = false;
    };
  }, [bridge, callId, wanted]);
  return hints;
}

/** Those on one block, above it. */
export const BlockHints = ({ hints, block }: { hints: readonly BlockHint[]; block: number }) => (
  <HintList hints={hints.filter((hint) => hint.block === block)} />
);

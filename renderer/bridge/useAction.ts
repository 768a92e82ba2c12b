import { useCallback, useState } from 'react';
import type { Failure, Result } from '../../preload/contract/result.ts';

export interface Action<Args extends unknown[], Value> {
  run(...args: Args): Promise<Result<Value>>;
  busy: boolean;
  /** What went wrong the last time; gone with the next try. */
  failure: Failure | undefined;
  clear(): void;
}

/** One thing that a control does through the host, with what it needs to show: that it is under way, and how it failed. */
export function useAction<Args extends unknown[], Value>(action: (...args: Args) => Promise<Result<Value>>): Action<Args, Value> {
  const [running, setRunning] = useState(0);
  const [failure, setFailure] = useState<Failure>();
  const run = async (...args: Args) => {
    setRunning((count) => count + 1);
    setFailure(undefined);
    try {
      const result = await action(...args);
      if (!result.ok) setFailure(result.error);
      return result;
    } finally {
      setRunning((count) => count - 1);
    }
  };
  const clear = useCallback(() => setFailure(undefined), []);
  return { run, busy: running > 0, failure, clear };
}

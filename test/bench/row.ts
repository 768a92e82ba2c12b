import { startLoopWatch } from './loopWatch.ts';

/** One line of the table. */
export interface Row {
  name: string;
  unit: string;
  /** The value must not be greater. */
  bound: number;
  run(): Promise<Measured>;
}

export interface Measured {
  value: number;
  /** The longest time for which the host's event loop did not turn meanwhile, as loopWatch.ts measures it. */
  loopDelayMs: number;
  /** The figures behind the value, in words. */
  detail: string;
  /** What was measured along with it and has a bound of its own. */
  more?: readonly Line[];
}

export interface Line {
  name: string;
  value: number;
  unit: string;
  bound: number;
}

/** Watches the event loop of this process, in which the host runs, while `work` runs. */
export async function watchLoop<Value>(work: () => Promise<Value>): Promise<{ value: Value; loopDelayMs: number }> {
  const watch = startLoopWatch();
  try {
    const value = await work();
    return { value, loopDelayMs: watch.end() };
  } finally {
    watch.end();
  }
}

export function median(values: readonly number[]): number {
  if (values.length === 0) throw new Error('Nothing was measured.');
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  const [low = 0, high = 0] = [sorted[middle - 1 + (sorted.length % 2)], sorted[middle]];
  return (low + high) / 2;
}

/** Runs in reverse order what was put on it, however the row ends. */
export async function withCleanUp<Value>(work: (later: (undo: () => unknown) => void) => Promise<Value>): Promise<Value> {
  const undos: (() => unknown)[] = [];
  try {
    return await work((undo) => undos.push(undo));
  } finally {
    for (let undo = undos.pop(); undo; undo = undos.pop()) await undo();
  }
}

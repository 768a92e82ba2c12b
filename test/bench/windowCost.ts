import type { Page } from 'playwright-core';
import { startWebShell } from '../../main/web/webShell.ts';
import { launchBrowser } from '../doubles/browser.ts';
import type { BenchHost } from './benchHost.ts';
import { fileURLToPath } from 'node:url';
import { nodePorts } from '../../main/host/nodePorts.ts';
import type { Line, Measured } from './row.ts';
import { watchLoop } from './row.ts';

const rendererDir = fileURLToPath(new URL('../../dist/renderer', import.meta.url));
export const taskBoundMs = 100;
const keystrokeBoundMs = 50;
const heapBoundMb = 600;
/** How often a key is pressed meanwhile, as a quick writer does. */
const keyEveryMs = 120;

export interface BenchWindow {
  page: Page;
  /** What the window's main thread did while `work` ran and somebody wrote into the message field. */
  measure(work: () => Promise<void>): Promise<WindowCost>;
}

export interface WindowCost {
  /**
   * The longest task of the main thread in milliseconds: the time in which the thread ran, so that what the thread waited for a
   * processor because other programs had all of them does not count. And the longest by the clock on the wall.
   */
  longestTaskMs: number;
  longestByClockMs: number;
  tasksOverBound: number;
  /** From a key to the next paint by the clock on the wall, in milliseconds, rounded to 8 by the browser: the median, and the longest. */
  keystrokeMs: number;
  longestKeystrokeMs: number;
  /** JavaScript heap and the page's elements after a collection. */
  heapMb: number;
  loopDelayMs: number;
}

interface TraceEvent {
  name: string;
  ph: string;
  pid: number;
  tid: number;
  dur?: number;
  tdur?: number;
  args?: { name?: string };
}

/** A real browser on the web shell of a bench host, with the window's own build. */
export async function openBenchWindow(
  { host }: BenchHost,
  dataDir: string,
  later: (undo: () => unknown) => void,
  pageDir: string = rendererDir,
): Promise<BenchWindow> {
  const { log } = nodePorts({ dataDir, env: {} });
  const shell = await startWebShell({ host, port: 0, rendererDir: pageDir, log });
  later(() => shell.close());
  const browser = await launchBrowser();
  later(() => browser.close());
  const page = await browser.newPage({ viewport: { width: 1280, height: 860 }, locale: 'en' });
  await page.goto(shell.createLink());
  await page.locator('#composer textarea').waitFor();
  return {
    page,
    async measure(work) {
      const field = page.locator('#composer textarea');
      await field.focus();
      await watchKeystrokes(page);
      await browser.startTracing(page, { categories: ['toplevel', '__metadata'] });
      const { loopDelayMs } = await watchLoop(async () => {
        const finished = new AbortController();
        const typing = (async () => {
          while (!finished.signal.aborted) {
            await page.keyboard.press('x');
            await page.waitForTimeout(keyEveryMs);
          }
        })();
        try {
          await work();
        } finally {
          finished.abort();
          await typing;
        }
      });
      const trace = JSON.parse((await browser.stopTracing()).toString()) as { traceEvents: TraceEvent[] };
      const keystrokes = await readKeystrokes(page);
      return { ...tasksOf(trace.traceEvents), ...keystrokes, heapMb: await heapOf(page), loopDelayMs };
    },
  };
}

function tasksOf(events: readonly TraceEvent[]): Pick<WindowCost, 'longestTaskMs' | 'longestByClockMs' | 'tasksOverBound'> {
  const mainThreads = new Set(
    events.flatMap(({ ph, name, args, pid, tid }) =>
      ph === 'M' && name === 'thread_name' && args?.name === 'CrRendererMain' ? [`${pid} ${tid}`] : [],
    ),
  );
  const tasks = events.filter(({ name, pid, tid }) => name === 'ThreadControllerImpl::RunTask' && mainThreads.has(`${pid} ${tid}`));
  if (tasks.length === 0) throw new Error('The browser told of no task of the window.');
  const times = tasks.map(({ dur = 0, tdur = dur }) => tdur / 1000);
  return {
    longestTaskMs: Math.max(...times),
    longestByClockMs: Math.max(...tasks.map(({ dur = 0 }) => dur / 1000)),
    tasksOverBound: times.filter((ms) => ms > taskBoundMs).length,
  };
}

/** Begins to note how long every key waits for its paint. The browser leaves out what was faster than 16 ms. */
function watchKeystrokes(page: Page): Promise<void> {
  return page.evaluate(() => {
    const found: number[] = [];
    const observer = new PerformanceObserver((list) => {
      for (const entry of list.getEntries()) if (entry.name === 'keydown') found.push(entry.duration);
    });
    const options = { type: 'event', durationThreshold: 16 };
    observer.observe(options);
    Object.assign(window, { benchKeystrokes: found });
  });
}

async function readKeystrokes(page: Page): Promise<Pick<WindowCost, 'keystrokeMs' | 'longestKeystrokeMs'>> {
  const times = await page.evaluate(() => {
    const found = 'benchKeystrokes' in window && Array.isArray(window.benchKeystrokes) ? window.benchKeystrokes : [];
    return found.filter((each): each is number => typeof each === 'number').sort((a, b) => a - b);
  });
  return { keystrokeMs: times[times.length >> 1] ?? 16, longestKeystrokeMs: times.at(-1) ?? 16 };
}

async function heapOf(page: Page): Promise<number> {
  const session = await page.context().newCDPSession(page);
  await session.send('HeapProfiler.collectGarbage');
  const { metrics } = await session.send('Performance.enable').then(() => session.send('Performance.getMetrics'));
  await session.detach();
  return (metrics.find(({ name }) => name === 'JSHeapTotalSize')?.value ?? 0) / 1e6;
}

/** The longest task as the row's value; keystrokes and memory as lines of their own. */
export function measuredOf(name: string, cost: WindowCost): Measured {
  const more: Line[] = [
    { name: `${name}: keystroke to paint, median`, value: cost.keystrokeMs, unit: 'ms', bound: keystrokeBoundMs },
    { name: `${name}: memory of the window`, value: cost.heapMb, unit: 'MB', bound: heapBoundMb },
  ];
  return {
    value: cost.longestTaskMs,
    loopDelayMs: cost.loopDelayMs,
    detail: `${cost.tasksOverBound} tasks over ${taskBoundMs} ms; by the clock ${cost.longestByClockMs.toFixed(0)} ms; slowest keystroke ${cost.longestKeystrokeMs} ms`,
    more,
  };
}

import { readFileSync } from 'node:fs';
import writeFileAtomic from 'write-file-atomic';
import type { Log } from '../host/ports.ts';
import { messageOf } from '../host/refusal.ts';
import { minimumSize } from './windowOptions.ts';

export interface Rectangle {
  x: number;
  y: number;
  width: number;
  height: number;
}

/** How the window was left. `bounds` are those it has when it is not maximised. */
export interface WindowState {
  bounds: Rectangle;
  maximized: boolean;
}

const firstSize = { width: 1120, height: 760 };
/** So much of the title bar must lie on a display that the window can be seen and dragged. */
const visible = { width: 120, height: 32 };

/**
 * Where the window opens: where it was left, as long as a display shows enough of it; else centred (no x and y) at its
 * old size. `workAreas` are those of the displays there are now.
 */
export function restoredBounds(
  saved: WindowState | null,
  workAreas: readonly Rectangle[],
): { bounds: { x?: number; y?: number; width: number; height: number }; maximized: boolean } {
  if (saved === null) return { bounds: firstSize, maximized: false };
  const size = {
    width: Math.max(minimumSize.width, saved.bounds.width),
    height: Math.max(minimumSize.height, saved.bounds.height),
  };
  const { x, y } = saved.bounds;
  const area = workAreas.find(
    (candidate) =>
      Math.min(x + size.width, candidate.x + candidate.width) - Math.max(x, candidate.x) >= visible.width &&
      y >= candidate.y &&
      y + visible.height <= candidate.y + candidate.height,
  );
  return { bounds: area === undefined ? size : { x, y, ...size }, maximized: saved.maximized };
}

/** Reads a saved state; null when it is not one, whatever stands there. */
export function parseWindowState(text: string): WindowState | null {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    if (error instanceof SyntaxError) return null;
    throw error;
  }
  if (typeof value !== 'object' || value === null || !('bounds' in value) || !('maximized' in value)) return null;
  const { bounds, maximized } = value;
  if (typeof bounds !== 'object' || bounds === null || typeof maximized !== 'boolean') return null;
  if (!('x' in bounds) || !('y' in bounds) || !('width' in bounds) || !('height' in bounds)) return null;
  const { x, y, width, height } = bounds;
  if (!isPixels(x) || !isPixels(y) || !isPixels(width) || !isPixels(height)) return null;
  return { bounds: { x, y, width, height }, maximized };
}

const isPixels = (value: unknown): value is number => Number.isInteger(value) && Math.abs(Number(value)) < 100_000;

export function loadWindowState(file: string, log: Log): WindowState | null {
  try {
    return parseWindowState(readFileSync(file, 'utf8'));
  } catch (error) {
    // No file is the ordinary first start; anything else costs the position of a window, not more.
    if (!(error instanceof Error && 'code' in error && error.code === 'ENOENT')) {
      log.warn('The position of the window could not be read.', { error: messageOf(error) });
    }
    return null;
  }
}

export function saveWindowState(file: string, state: WindowState, log: Log): void {
  try {
    writeFileAtomic.sync(file, JSON.stringify(state));
  } catch (error) {
    log.warn('The position of the window could not be saved.', { error: messageOf(error) });
  }
}

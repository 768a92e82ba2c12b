/** Before a view has said anything, in pixels. */
export const firstHeight = 160;
const least = 40;
const most = 640;

/**
 * The height of a view's frame, from what the view says of its size. Its width is that of the column, whatever the view says: it changes with
 * the window. What is no finite number changes nothing.
 */
export function frameHeight(said: unknown, now: number): number {
  if (typeof said !== 'number' || !Number.isFinite(said)) return now;
  return Math.min(most, Math.max(least, Math.ceil(said)));
}

/** What a view is told of its room. */
export const roomOf = (width: number) => ({ width: Math.round(width), maxHeight: most });

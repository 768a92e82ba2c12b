/** Levels of objects and lists that are taken from servers and models: what walks a value level by level would run out of stack in a deeper one. */
export const maxNesting = 500;

/** Whether a value of JSON is nested deeper than {@link maxNesting} levels. Takes time in proportion to the value, and no stack. */
export function isNestedTooDeep(value: unknown): boolean {
  let level: unknown[] = [value];
  for (let depth = 0; level.length > 0; depth += 1) {
    if (depth > maxNesting) return true;
    const next: unknown[] = [];
    for (const each of level) {
      if (typeof each !== 'object' || each === null) continue;
      for (const inner of Array.isArray(each) ? each : Object.values(each))
        if (typeof inner === 'object' && inner !== null) next.push(inner);
    }
    level = next;
  }
  return false;
}

/**
 * What stands at a JSON Pointer (RFC 6901) in a JSON value; a step `*` stands for every element of an array. Empty where nothing does.
 */
export function valuesAt(value: unknown, pointer: string): unknown[] {
  const steps = pointer
    .split('/')
    .slice(1)
    .map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'));
  let found: unknown[] = [value];
  for (const step of steps) {
    found = found.flatMap((each): unknown[] => {
      if (Array.isArray(each)) return step === '*' ? each : /^\d+$/.test(step) && Number(step) < each.length ? [each[Number(step)]] : [];
      if (typeof each !== 'object' || each === null || !Object.hasOwn(each, step)) return [];
      return [(each as Record<string, unknown>)[step]];
    });
  }
  return found;
}

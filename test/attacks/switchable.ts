/**
 * How an attack switches off one guard and no other: each module of the host on which safety rests is replaced by itself, with its exported
 * functions asked through here. The product knows nothing of it.
 */
type AnyFunction = (...args: never[]) => unknown;

const replaced = new Map<string, AnyFunction>();

/** The module with every exported function switchable by its name. For `vi.mock`. */
export function switchable<Module extends object>(module: Module): Module {
  const entries = Object.entries(module).map(([name, value]) => [
    name,
    typeof value === 'function' && !/^class\b/.test(Function.prototype.toString.call(value))
      ? (...args: never[]) => (replaced.get(name) ?? (value as AnyFunction))(...args)
      : value,
  ]);
  return Object.fromEntries(entries) as Module;
}

/** Runs with these functions in the place of the guards of the same names. */
export async function without<Value>(guards: Readonly<Record<string, AnyFunction>>, run: () => Promise<Value>): Promise<Value> {
  for (const [name, instead] of Object.entries(guards)) replaced.set(name, instead);
  try {
    return await run();
  } finally {
    replaced.clear();
  }
}

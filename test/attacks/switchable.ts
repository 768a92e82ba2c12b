/**
 * How an attack switches off one guard and no other: each module of the host on which safety rests is replaced by itself, with its exported
 * functions asked through here. The product knows nothing of it.
 */
type AnyFunction = (...args: never[]) => unknown;

const replaced = new Map<string, AnyFunction>();

/** The module with every exported function and class switchable by its name. For `vi.mock`. What stands for a class makes its objects. */
export function switchable<Module extends object>(module: Module): Module {
  const entries = Object.entries(module).map(([name, value]) => [name, typeof value === 'function' ? switchedBy(name, value) : value]);
  return Object.fromEntries(entries) as Module;
}

function switchedBy(name: string, value: AnyFunction): unknown {
  if (!/^class\b/.test(Function.prototype.toString.call(value))) return (...args: never[]) => (replaced.get(name) ?? value)(...args);
  return new Proxy(value, {
    construct(target, args: never[], newTarget) {
      const instead = replaced.get(name);
      return instead ? (instead(...args) as object) : Reflect.construct(target, args, newTarget);
    },
  });
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

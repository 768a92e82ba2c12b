import type { ArgumentText } from '../policy/originMarks.ts';
import { pointerTo } from '../policy/patterns.ts';

/** UTF-16 units of arguments that are searched. */
const maxSearched = 4 * 1024 * 1024;

/** The strings of arguments in their order, numbers among them if wanted, and behind them the names of members. `whole`: nothing was cut off. */
export function argumentTexts(
  values: Readonly<Record<string, unknown>>,
  { numbers = false } = {},
): { strings: ArgumentText[]; whole: boolean } {
  let whole = true;
  const strings: ArgumentText[] = [];
  let left = maxSearched;
  for (const each of [...textsOf(values, numbers ? 'scalars' : 'values'), ...textsOf(values, 'names')]) {
    if (each.text.length > left) whole = false;
    const text = each.text.slice(0, left);
    left -= text.length;
    strings.push({ ...each, text });
  }
  return { strings, whole };
}

function textsOf(value: unknown, what: 'values' | 'scalars' | 'names', at = ''): ArgumentText[] {
  if (typeof value === 'string') return what === 'names' ? [] : [{ at, text: value }];
  if (typeof value === 'number') return what === 'scalars' ? [{ at, text: JSON.stringify(value) }] : [];
  if (typeof value !== 'object' || value === null) return [];
  if (Array.isArray(value)) return value.flatMap((element, index) => textsOf(element, what, pointerTo(at, index)));
  return Object.entries(value).flatMap(([name, member]) => {
    const inside = textsOf(member, what, pointerTo(at, name));
    return what === 'names' ? [{ at: pointerTo(at, name), text: name, isName: true }, ...inside] : inside;
  });
}

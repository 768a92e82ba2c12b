import { recognisableTools, scanText } from '../policy/scanText.ts';
import type { Jobs } from './jobs.ts';

/** Characters of all texts together that are looked through. */
const maxCharacters = 4_000_000;

/** Hints for many texts at once; `row` is handed back as it came. */
export function scan({ texts, otherTools, ownNames }: Jobs['scan']['input']): Jobs['scan']['output'] {
  const recognised = recognisableTools(otherTools, new Set(ownNames));
  let left = maxCharacters;
  return texts.flatMap(({ row, at, text }) => {
    const hints = left > 0 ? scanText(at, text, recognised, left) : [];
    left -= text.length;
    return hints.map((hint) => ({ ...hint, row }));
  });
}

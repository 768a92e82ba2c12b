import type { ArgumentPattern } from '../../preload/contract/policy.ts';

/** How a person chooses what an argument must be. A folder is the glob for everything in it. */
export type PatternKind = 'exact' | 'prefix' | 'folder' | 'glob' | 'host' | 'range';

/** A pattern while it is written. Numbers are text until they are taken. */
export interface PatternDraft {
  at: string;
  kind: PatternKind;
  value: string;
  min: string;
  max: string;
  /** An exact value that is no text: `value` is its JSON. */
  isJson: boolean;
}

/** The folder that a glob stands for, if it is everything in one folder and nothing else. */
function folderOfGlob(glob: string): string | undefined {
  const folder = glob.endsWith('/**') ? glob.slice(0, -3) : undefined;
  // `[*]` stands for the character itself.
  const plain = folder?.replaceAll(/\[([*?[])\]/g, '$1');
  return plain !== undefined && globOfFolder(plain) === glob ? plain : undefined;
}

const globOfFolder = (folder: string): string => `${folder.replace(/[/\\]+$/, '').replaceAll(/[*?[]/g, '[$&]')}/**`;

export function draftOf({ at, match }: ArgumentPattern): PatternDraft {
  const draft = { at, value: '', min: '', max: '', isJson: false };
  switch (match.kind) {
    case 'exact':
      return typeof match.value === 'string'
        ? { ...draft, kind: 'exact', value: match.value }
        : { ...draft, kind: 'exact', value: JSON.stringify(match.value), isJson: true };
    case 'glob': {
      const folder = folderOfGlob(match.value);
      return folder === undefined ? { ...draft, kind: 'glob', value: match.value } : { ...draft, kind: 'folder', value: folder };
    }
    case 'prefix':
    case 'host':
      return { ...draft, kind: match.kind, value: match.value };
    case 'range':
      return { ...draft, kind: 'range', min: String(match.min ?? ''), max: String(match.max ?? '') };
  }
}

/** The pattern, or undefined while something is missing or is no number. What else may be wrong with it the host says. */
export function patternOf(draft: PatternDraft): ArgumentPattern | undefined {
  const at = draft.at.trim();
  if (at === '') return undefined;
  switch (draft.kind) {
    case 'exact': {
      if (!draft.isJson) return { at, match: { kind: 'exact', value: draft.value } };
      const value = scalarOf(draft.value);
      return value === undefined ? undefined : { at, match: { kind: 'exact', value } };
    }
    case 'folder':
      return draft.value.trim() === '' ? undefined : { at, match: { kind: 'glob', value: globOfFolder(draft.value.trim()) } };
    case 'prefix':
    case 'glob':
    case 'host':
      return draft.value === '' ? undefined : { at, match: { kind: draft.kind, value: draft.value } };
    case 'range': {
      const min = numberOf(draft.min);
      const max = numberOf(draft.max);
      if (min === null || max === null || (min === undefined && max === undefined)) return undefined;
      return { at, match: { kind: 'range', ...(min === undefined ? {} : { min }), ...(max === undefined ? {} : { max }) } };
    }
  }
}

function scalarOf(json: string): number | boolean | null | undefined {
  if (json === 'true' || json === 'false') return json === 'true';
  if (json === 'null') return null;
  return numberOf(json) ?? undefined;
}

/** Undefined: left empty. Null: no number. */
function numberOf(text: string): number | null | undefined {
  if (text.trim() === '') return undefined;
  const number = Number(text);
  return Number.isFinite(number) ? number : null;
}

/** What a pattern of a card may become: the same, or something that it holds already. */
export function narrowerKinds({ match }: ArgumentPattern): PatternKind[] {
  switch (match.kind) {
    case 'exact':
      return ['exact'];
    case 'glob':
      return [folderOfGlob(match.value) === undefined ? 'glob' : 'folder', 'exact'];
    case 'prefix':
    case 'host':
    case 'range':
      return [match.kind, 'exact'];
  }
}

/** `/filter/paths/*` as a person reads it: `filter › paths › each`. */
export function argumentName(at: string, each: string): string {
  return at
    .split('/')
    .slice(1)
    .map((step) => (step === '*' ? each : step.replaceAll('~1', '/').replaceAll('~0', '~')))
    .join(' › ');
}

import type { FoundSecret } from './findSecrets.ts';

/** The text without these secrets: each is replaced by a word for the model. `secrets` are in order and do not overlap. Pure. */
export function leaveOut(text: string, secrets: readonly Pick<FoundSecret, 'kind' | 'from' | 'to'>[]): string {
  let left = '';
  let at = 0;
  for (const { kind, from, to } of secrets) {
    left += `${text.slice(at, from)}[${kind} left out by the user]`;
    at = to;
  }
  return left + text.slice(at);
}

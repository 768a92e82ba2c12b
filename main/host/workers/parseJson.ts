import type { Jobs } from './jobs.ts';

/**
 * In UTF-16 code units. A text of `[[],[],…]` takes many times its length in memory, and a worker that runs out of it inside JSON.parse
 * ends the whole process, whatever its own limit. What is parsed must also be copied to the host's thread.
 */
export const maxJsonLength = 8_388_608;

/** Throws a SyntaxError for what is no JSON, a RangeError for what is longer than {@link maxJsonLength}. */
export function parseJson({ text }: Jobs['parseJson']['input']): Jobs['parseJson']['output'] {
  if (text.length > maxJsonLength)
    throw new RangeError(`This JSON is too long: ${text.length} characters, at most ${maxJsonLength} are read.`);
  return { value: JSON.parse(text) };
}

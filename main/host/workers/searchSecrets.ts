import { findSecrets } from '../policy/findSecrets.ts';
import type { Jobs } from './jobs.ts';

/** {@link findSecrets} for each text. */
export async function searchSecrets({ texts, now }: Jobs['secrets']['input']): Promise<Jobs['secrets']['output']> {
  const found = [];
  for (const text of texts) found.push(await findSecrets(text, now));
  return found;
}

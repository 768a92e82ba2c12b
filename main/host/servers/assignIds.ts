import type { ServerId } from '../../../preload/contract/ids.ts';

/** What is known of the entries of a file before they have ids. `configHash` is missing where the entry cannot be read. */
export interface Claim {
  id: string | undefined;
  configHash: string | undefined;
}

/**
 * Which entries keep the id that is written in them; the others (undefined) get new ones and inherit nothing. Permissions
 * hang on the id, so an id that nobody gave out, or that was copied into another entry, must not bring them along: among
 * entries with the same id only the one whose configuration was agreed to keeps it.
 */
export function keptIds(
  claims: readonly Claim[],
  known: (id: string) => boolean,
  consentedHash: (id: string) => string | undefined,
): (ServerId | undefined)[] {
  const owners = new Map<string, number>();
  claims.forEach(({ id, configHash }, index) => {
    if (id === undefined || !known(id) || owners.has(id)) return;
    const alone = claims.filter((other) => other.id === id).length === 1;
    if (alone || (configHash !== undefined && configHash === consentedHash(id))) owners.set(id, index);
  });
  return claims.map(({ id }, index) => (id !== undefined && owners.get(id) === index ? (id as ServerId) : undefined));
}

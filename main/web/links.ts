import { createHash, randomBytes } from 'node:crypto';

/**
 * Who may speak to the web shell. A token lets one tab in, once: it is exchanged for a session, which that tab keeps.
 * Only hashes are held here, so looking one up tells nothing by its time.
 */
export interface Links {
  /** A new token, for one use. */
  createToken(): string;
  /** The session that a token is worth; null when it is unknown or was used. */
  exchange(token: string): string | null;
  isSession(session: string): boolean;
}

export function createLinks(): Links {
  const tokens = new Set<string>();
  const sessions = new Set<string>();
  const secret = (): string => randomBytes(32).toString('base64url');
  const hash = (text: string): string => createHash('sha256').update(text).digest('base64url');
  return {
    createToken() {
      const token = secret();
      tokens.add(hash(token));
      return token;
    },
    exchange(token) {
      if (!tokens.delete(hash(token))) return null;
      const session = secret();
      sessions.add(hash(session));
      return session;
    },
    isSession: (session) => sessions.has(hash(session)),
  };
}

import { type AuthorizationServerMetadata, DpopSession, generateDpopKeyPair } from '@modelcontextprotocol/client';
import type { Grant } from './authRecords.ts';

/** Signs proofs for tokens that are bound to a pair of keys (RFC 9449). */
export interface DpopKeys {
  /** A fresh pair where the authorization server says that it binds tokens; undefined elsewhere. */
  make(metadata: AuthorizationServerMetadata | undefined): Promise<{ session: DpopSession; kept: NonNullable<Grant['dpop']> } | undefined>;
  /** The pair of a stored grant, always the same object, because it remembers what servers demand of the next proof. */
  sessionOf(grant: Grant): Promise<DpopSession | undefined>;
}

const algorithm = 'ES256';
const curve = { name: 'ECDSA', namedCurve: 'P-256' };

export function createDpopKeys(): DpopKeys {
  const sessions = new Map<string, DpopSession>();
  return {
    async make(metadata) {
      const supported: unknown = metadata && Reflect.get(metadata, 'dpop_signing_alg_values_supported');
      if (!Array.isArray(supported) || !supported.includes(algorithm)) return undefined;
      // It has to outlive this run of the host, sealed like the token that is worthless without it.
      const keyPair = await generateDpopKeyPair({ alg: algorithm, extractable: true });
      const session = await DpopSession.create({ keyPair });
      const privateJwk = await crypto.subtle.exportKey('jwk', keyPair.privateKey);
      sessions.set(keyPair.thumbprint, session);
      return { session, kept: { privateJwk: { ...privateJwk }, publicJwk: { ...keyPair.publicJwk }, thumbprint: keyPair.thumbprint } };
    },
    async sessionOf({ dpop }) {
      if (!dpop) return undefined;
      const known = sessions.get(dpop.thumbprint);
      if (known) return known;
      const { privateJwk, publicJwk, thumbprint } = dpop;
      const privateKey = await crypto.subtle.importKey('jwk', privateJwk, curve, false, ['sign']);
      const publicKey = await crypto.subtle.importKey('jwk', publicJwk, curve, true, ['verify']);
      const session = await DpopSession.create({ keyPair: { privateKey, publicKey, publicJwk, thumbprint, alg: algorithm } });
      sessions.set(thumbprint, session);
      return session;
    },
  };
}

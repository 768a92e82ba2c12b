import { createLocalJWKSet, errors, type JSONWebKeySet, type JWTPayload, jwtVerify } from 'jose';
import { AuthFailure } from './authFailure.ts';

/** Who an identity provider says has signed in, and until when (seconds of the token as milliseconds since 1970). */
export interface IdTokenClaims {
  subject: string;
  expiresAt: number;
}

/** What the token has to fit. All of it is our own or the person's word. */
export interface IdTokenExpectation {
  issuer: string;
  clientId: string;
  /** Of the authorization request. A renewed token may leave it out (OpenID Connect Core §12.2). */
  nonce: { value: string; mayBeAbsent: boolean };
  /** A renewed token speaks of the same person. */
  subject?: string;
  keys: JSONWebKeySet;
  /** Milliseconds since 1970. */
  now: number;
}

/** No key that both sides share, and never `none`: whoever knows the client's secret could make a token otherwise. */
const algorithms = ['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512', 'ES256', 'ES384', 'ES512', 'EdDSA', 'Ed25519'];
const clockToleranceSeconds = 60;

/**
 * Holds an ID token against what was asked for (OpenID Connect Core §3.1.3.7): signature, `iss`, `aud`, `azp`, `exp`, `nonce`.
 * Rejects with {@link AuthFailure}.
 */
export async function checkIdToken(token: string, expected: IdTokenExpectation): Promise<IdTokenClaims> {
  const { issuer, clientId, nonce, subject } = expected;
  const refused = (why: string, detail?: string): AuthFailure =>
    new AuthFailure(
      `${new URL(issuer).host} answered with a sign-in that ${why}, so it was not taken.`,
      detail === undefined ? {} : { detail },
    );
  let payload: JWTPayload;
  try {
    ({ payload } = await jwtVerify(token, createLocalJWKSet(expected.keys), {
      issuer,
      audience: clientId,
      algorithms,
      requiredClaims: ['sub', 'exp', 'iat'],
      currentDate: new Date(expected.now),
      clockTolerance: clockToleranceSeconds,
    }));
  } catch (error) {
    if (error instanceof errors.JOSEError) throw refused(reasonOf(error), `${error.code}: ${error.message.slice(0, 500)}`);
    throw error;
  }
  const { aud, azp, sub, exp } = payload;
  const authorizedParty = azp ?? (Array.isArray(aud) && aud.length > 1 ? 'nobody by name' : clientId);
  if (authorizedParty !== clientId) throw refused('is meant for another application');
  if (payload['nonce'] !== nonce.value && !(nonce.mayBeAbsent && payload['nonce'] === undefined))
    throw refused('does not belong to what was asked for');
  if (sub === undefined || exp === undefined) throw refused('cannot be read');
  if (subject !== undefined && subject !== sub) throw refused('is that of somebody else');
  return { subject: sub, expiresAt: exp * 1000 };
}

function reasonOf(error: errors.JOSEError): string {
  if (error instanceof errors.JWTExpired) return 'has ended already (is the clock of this computer right?)';
  if (error instanceof errors.JWTClaimValidationFailed) {
    if (error.claim === 'iss') return 'is in the name of somebody else';
    if (error.claim === 'aud') return 'is meant for another application';
    return 'is not complete';
  }
  if (error instanceof errors.JWSSignatureVerificationFailed || error instanceof errors.JWKSNoMatchingKey)
    return 'it has not signed itself';
  return 'cannot be checked';
}

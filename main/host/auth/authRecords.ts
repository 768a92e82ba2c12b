import { z } from 'zod';
import { SignInClient } from '../../../preload/contract/signIn.ts';
import type { Log } from '../ports.ts';
import type { Secrets } from '../store/secrets.ts';

/** How this application is known to one authorization server: told by the person, or registered by itself. */
export const ClientRecord = z.union([
  SignInClient,
  z.strictObject({
    kind: z.literal('registered'),
    clientId: z.string(),
    clientSecret: z.string().optional(),
    authMethod: z.string().optional(),
    /** Exactly as registered; another one is another registration. */
    redirectUri: z.string(),
    /** Milliseconds since 1970. */
    secretExpiresAt: z.number().optional(),
  }),
  /** The client's id is the address of a document about it. */
  z.strictObject({ kind: z.literal('document'), clientId: z.string() }),
]);
export type ClientRecord = z.infer<typeof ClientRecord>;

/** Tokens of one server from one authorization server, and all that using them needs. */
export const Grant = z.strictObject({
  /** One sign-in of one person, through all its renewals. */
  signInId: z.string(),
  issuer: z.string(),
  /** The server's address when it was given: a server that has moved does not get it. */
  serverUrl: z.string(),
  resource: z.string().optional(),
  accessToken: z.string(),
  tokenType: z.string(),
  refreshToken: z.string().optional(),
  scope: z.string().optional(),
  /** Milliseconds since 1970. */
  expiresAt: z.number().optional(),
  client: ClientRecord,
  /** The pair of keys that a token of RFC 9449 is bound to, as JSON Web Keys. */
  dpop: z
    .strictObject({ privateJwk: z.record(z.string(), z.unknown()), publicJwk: z.record(z.string(), z.unknown()), thumbprint: z.string() })
    .optional(),
});
export type Grant = z.infer<typeof Grant>;

/** The sign-ins of one server, as sealed secrets under its id and the issuer. */
export interface AuthRecords {
  /** The grant in use. */
  grant(): Promise<Grant | undefined>;
  keepGrant(grant: Grant): Promise<void>;
  forgetGrant(): Promise<void>;
  client(issuer: string): Promise<ClientRecord | undefined>;
  /** `issuer` undefined: for the first one that this server names. */
  keepClient(issuer: string | undefined, client: ClientRecord | null): Promise<void>;
}

// Names of secrets that people write never hold a space.
const issuerName = 'oauth issuer';
const grantName = (issuer: string): string => `oauth grant ${issuer}`;
const clientName = (issuer: string): string => `oauth client ${issuer}`;
const anyClientName = 'oauth client';

/** The port that the redirect address of this client was made known with. */
export function redirectPortOf(client: ClientRecord | undefined): number | undefined {
  if (client?.kind === 'person' || client?.kind === 'organization') return client.redirectPort;
  return client?.kind === 'registered' ? Number(new URL(client.redirectUri).port) : undefined;
}

export function authRecords(secrets: Secrets, owner: string, log: Log): AuthRecords {
  const read = async <Value>(name: string, schema: z.ZodType<Value>): Promise<Value | undefined> => {
    const text = await secrets.get(owner, name);
    if (text === undefined) return undefined;
    const parsed = schema.safeParse(JSON.parse(text));
    if (!parsed.success) log.warn('A record of a sign-in cannot be read and is left out.', { owner });
    return parsed.data;
  };
  /** What stands inside a record is struck out of logs by itself too. */
  const redact = (...texts: (string | undefined)[]): void => {
    for (const text of texts) if (text !== undefined && text !== '') log.redact?.(text);
  };
  const redactClient = (client: ClientRecord): void => {
    if ('clientSecret' in client) redact(client.clientSecret);
    if (client.kind === 'machine') redact(client.proof.kind === 'secret' ? client.proof.secret : client.proof.privateKey);
    if (client.kind === 'organization') redact(client.idToken, client.idpClientSecret);
  };

  return {
    async grant() {
      const issuer = await secrets.get(owner, issuerName);
      const grant = issuer === undefined ? undefined : await read(grantName(issuer), Grant);
      if (grant) redact(grant.accessToken, grant.refreshToken);
      if (grant) redactClient(grant.client);
      return grant;
    },
    async keepGrant(grant) {
      redact(grant.accessToken, grant.refreshToken);
      redactClient(grant.client);
      await secrets.set(owner, grantName(grant.issuer), JSON.stringify(grant));
      // One at a time: what was signed in elsewhere before is not used any more.
      const before = await secrets.get(owner, issuerName);
      if (before !== undefined && before !== grant.issuer) secrets.remove(owner, grantName(before));
      await secrets.set(owner, issuerName, grant.issuer);
    },
    async forgetGrant() {
      const issuer = await secrets.get(owner, issuerName);
      if (issuer !== undefined) secrets.remove(owner, grantName(issuer));
      secrets.remove(owner, issuerName);
    },
    async client(issuer) {
      const known = await read(clientName(issuer), ClientRecord);
      if (known) {
        redactClient(known);
        return known;
      }
      const unbound = await read(anyClientName, ClientRecord);
      if (!unbound) return undefined;
      redactClient(unbound);
      // From now on it belongs to this issuer: another one never gets to see it.
      await secrets.set(owner, clientName(issuer), JSON.stringify(unbound));
      secrets.remove(owner, anyClientName);
      return unbound;
    },
    async keepClient(issuer, client) {
      const name = issuer === undefined ? anyClientName : clientName(issuer);
      if (client === null) return secrets.remove(owner, name);
      redactClient(client);
      await secrets.set(owner, name, JSON.stringify(client));
    },
  };
}

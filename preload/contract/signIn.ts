import { z } from 'zod';

/** What the person is about to agree to when he signs in to a server. All but `words` comes from outside: data. */
export const SignInRequest = z.strictObject({
  /** Who asks for the password: the authorization server's issuer (RFC 8414). Only its host is worth showing. */
  issuer: z.string(),
  /**
   * Set where an organization decides: issuer of its identity provider, which asks for the password instead of `issuer`
   * (enterprise-managed authorization).
   */
  identityProvider: z.string().optional(),
  /**
   * Set where the page that opens is not one of `issuer`: the host of the page, and the host that gets what is allowed there. Whoever
   * makes up an authorization server can name the page of another one.
   */
  page: z.strictObject({ host: z.string(), receiver: z.string() }).optional(),
  /** Set when the server names several; `server.signIn` takes one of them. */
  issuers: z.array(z.string()).optional(),
  /** Names of the permissions that are asked for; empty when the server leaves the choice to its authorization server. */
  scopes: z.array(z.string()),
  /** The address the permission is for (RFC 8707), exactly as the server advertises it. */
  resource: z.string().optional(),
  /** The same in sentences: what is asked for, and why now. */
  words: z.string(),
  /** Why the last attempt failed, or why no sign-in is possible before something else is done. */
  problem: z.string().optional(),
  /** The authorization server knows no way to make this application known to it: `server.setClient` first. */
  needsClient: z.boolean().optional(),
});
export type SignInRequest = z.infer<typeof SignInRequest>;

/** Who the person is for a server: no name, since a token does not tell one, but where he signed in and what he allowed. */
export const ServerAccount = z.strictObject({
  signedIn: z.boolean(),
  issuer: z.string(),
  scopes: z.array(z.string()),
  /** Issuer of the identity provider that vouched, where an organization decides. */
  identityProvider: z.string().optional(),
});
export type ServerAccount = z.infer<typeof ServerAccount>;

/**
 * How this application is known to an authorization server that does not find out by itself. `person`: a client made there by hand.
 * `machine`: no browser, the client itself is who signs in (client credentials). `organization`: the person signs in at the company's
 * identity provider, which decides (enterprise-managed authorization). Secrets go in and never come out.
 */
export const SignInClient = z.discriminatedUnion('kind', [
  z.strictObject({
    kind: z.literal('person'),
    clientId: z.string().min(1).max(2000),
    clientSecret: z.string().min(1).max(16_384).optional(),
    /** The port of the registered redirect address, where the authorization server compares it. */
    redirectPort: z.number().int().min(1024).max(65_535).optional(),
  }),
  z.strictObject({
    kind: z.literal('machine'),
    clientId: z.string().min(1).max(2000),
    proof: z.discriminatedUnion('kind', [
      z.strictObject({ kind: z.literal('secret'), secret: z.string().min(1).max(16_384) }),
      /** A private key as PEM (PKCS #8), and the algorithm its signatures are made with. */
      z.strictObject({ kind: z.literal('key'), privateKey: z.string().min(1).max(32_768), algorithm: z.string().max(20) }),
    ]),
  }),
  z.strictObject({
    kind: z.literal('organization'),
    clientId: z.string().min(1).max(2000),
    clientSecret: z.string().min(1).max(16_384),
    /** Of the identity provider, to the letter (OpenID Connect Discovery). */
    idpIssuer: z.string().min(1).max(8192),
    idpClientId: z.string().min(1).max(2000),
    idpClientSecret: z.string().min(1).max(16_384).optional(),
    /** The port of the redirect address that is registered at the identity provider, where it compares it. */
    redirectPort: z.number().int().min(1024).max(65_535).optional(),
    /** An ID token that was got in another way, used until it ends. Nobody has to sign in for as long. */
    idToken: z.string().min(1).max(65_536).optional(),
    /** Where `idToken`, and nothing else, is taken to, for identity providers that do not say it themselves. */
    idpTokenEndpoint: z.string().min(1).max(8192).optional(),
  }),
]);
export type SignInClient = z.infer<typeof SignInClient>;

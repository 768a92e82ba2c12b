import { z } from 'zod';
import type { Clock, Log } from '../ports.ts';
import { messageOf } from '../refusal.ts';
import type { Secrets } from '../store/secrets.ts';
import {
  exchangeIdToken,
  hostOfIssuer,
  type IdentityClient,
  isTokenRefused,
  type OrganizationClient,
  type PermissionRequest,
  type ProvenIdentity,
  renewIdentity,
  revokeIdentity,
} from './identityProvider.ts';

/** One server at one address: under another address it has to be agreed to anew. */
export interface IdentityUser {
  /** Owner of the server's secrets. */
  owner: string;
  origin: string;
}

/**
 * The person's sign-ins at identity providers. One serves every server whose sign-in settings name the same provider and client, once
 * the person has said so at that server, and no other.
 */
export interface Identities {
  /** Whether the person is signed in there, for whichever server. */
  isSignedIn(client: IdentityClient): Promise<boolean>;
  /** Keeps what a sign-in in the browser proved, for this server and for others of the same person that share it. */
  keep(client: IdentityClient, user: IdentityUser, identity: ProvenIdentity): Promise<void>;
  /**
   * An assertion of the identity provider for an authorization server (ID-JAG), with an ID token that is renewed where that is needed.
   * Undefined when the person has to sign in there first. `agreed`: the person has just said that this server may use the sign-in.
   * Rejects with {@link AuthFailure}.
   */
  assertionFor(
    client: OrganizationClient,
    user: IdentityUser,
    wanted: PermissionRequest & { agreed: boolean },
  ): Promise<{ assertion: string; signInId: string } | undefined>;
  /** The server does not use any sign-in from now on; one that nobody uses any more is revoked and forgotten. */
  leave(owner: string): Promise<void>;
}

const KeptIdentity = z.strictObject({
  client: z.strictObject({ idpIssuer: z.string(), idpClientId: z.string(), idpClientSecret: z.string().optional() }),
  users: z.array(z.strictObject({ owner: z.string(), origin: z.string() })),
  signInId: z.string(),
  subject: z.string(),
  nonce: z.string(),
  idToken: z.string(),
  expiresAt: z.number(),
  refreshToken: z.string().optional(),
});
type KeptIdentity = z.infer<typeof KeptIdentity>;

const secretOwner = 'identities';
const secretName = 'list';
/** An ID token that ends within so many milliseconds is renewed before it is used. */
const renewalMarginMs = 30_000;

const isOf = ({ idpIssuer, idpClientId }: IdentityClient, kept: KeptIdentity): boolean =>
  kept.client.idpIssuer === idpIssuer && kept.client.idpClientId === idpClientId;
const isUser = (user: IdentityUser, { users }: KeptIdentity): boolean =>
  users.some(({ owner, origin }) => owner === user.owner && origin === user.origin);

export function createIdentities({ secrets, clock, log }: { secrets: Secrets; clock: Clock; log: Log }): Identities {
  let list: readonly KeptIdentity[] = [];
  let loading: Promise<void> | undefined;
  /** Refresh tokens may be good for one use: what concerns one client at one provider happens one after the other. */
  const tails = new Map<string, Promise<unknown>>();

  // On first use: a keychain that asks for its password must not hold up whoever has no organization.
  const loaded = (): Promise<void> => (loading ??= load());

  async function load(): Promise<void> {
    const text = await secrets.get(secretOwner, secretName);
    if (text === undefined) return;
    const parsed = z.array(KeptIdentity).safeParse(JSON.parse(text));
    if (!parsed.success) return log.warn('The sign-ins at identity providers cannot be read and are left out.');
    list = parsed.data;
    for (const identity of list) redact(identity);
  }

  /** What stands inside a record is struck out of logs by itself too. */
  function redact({ client, idToken, refreshToken }: KeptIdentity): void {
    for (const text of [client.idpClientSecret, idToken, refreshToken]) if (text !== undefined) log.redact?.(text);
  }

  const exclusive = <Value>({ idpIssuer, idpClientId }: IdentityClient, run: () => Promise<Value>): Promise<Value> => {
    const key = JSON.stringify([idpIssuer, idpClientId]);
    const done = (tails.get(key) ?? Promise.resolve()).then(loaded).then(run);
    tails.set(
      key,
      done.catch(() => undefined),
    );
    return done;
  };

  const found = (client: IdentityClient): KeptIdentity | undefined => list.find((kept) => isOf(client, kept));

  async function put(client: IdentityClient, identity: KeptIdentity | undefined): Promise<void> {
    list = [...list.filter((kept) => !isOf(client, kept)), ...(identity ? [identity] : [])];
    if (identity) redact(identity);
    if (list.length === 0) secrets.remove(secretOwner, secretName);
    else await secrets.set(secretOwner, secretName, JSON.stringify(list));
  }

  async function renewed(client: IdentityClient, kept: KeptIdentity): Promise<KeptIdentity | undefined> {
    const fresh = await renewIdentity(client, kept, clock);
    const next = fresh && { ...kept, ...fresh };
    await put(client, next);
    return next;
  }

  async function exchanged(
    client: IdentityClient,
    kept: KeptIdentity,
    wanted: PermissionRequest,
  ): Promise<{ kept: KeptIdentity; assertion: string } | undefined> {
    // What cannot be renewed is good until its end.
    const isFresh = kept.expiresAt - clock.now() > (kept.refreshToken === undefined ? 0 : renewalMarginMs);
    const first = isFresh ? kept : await renewed(client, kept);
    if (!first) return undefined;
    try {
      // Never to an endpoint that somebody typed: the provider's own metadata says where its tokens may go.
      return { kept: first, assertion: await exchangeIdToken(client, first.idToken, wanted, undefined) };
    } catch (error) {
      if (!isFresh || !isTokenRefused(error)) throw error;
      // Ended there before its time: a fresh one may do.
      const second = await renewed(client, first);
      return second && { kept: second, assertion: await exchangeIdToken(client, second.idToken, wanted, undefined) };
    }
  }

  return {
    async isSignedIn(client) {
      await loaded();
      const kept = found(client);
      return kept !== undefined && (kept.refreshToken !== undefined || kept.expiresAt > clock.now());
    },

    keep: (client, user, identity) =>
      exclusive(client, async () => {
        const before = found(client);
        // Another person: what was agreed to for the one before does not hold for him.
        const others = before?.subject === identity.subject ? before.users.filter(({ owner }) => owner !== user.owner) : [];
        const { idpIssuer, idpClientId, idpClientSecret } = client;
        const known = { idpIssuer, idpClientId, ...(idpClientSecret === undefined ? {} : { idpClientSecret }) };
        await put(client, { ...identity, client: known, users: [...others, user] });
      }),

    assertionFor: (client, user, { agreed, ...wanted }) =>
      exclusive(client, async () => {
        const kept = found(client);
        if (kept && (agreed || isUser(user, kept))) {
          const done = await exchanged(client, kept, wanted);
          if (!done) return undefined;
          log.redact?.(done.assertion);
          if (!isUser(user, done.kept)) await put(client, { ...done.kept, users: [...done.kept.users, user] });
          return { assertion: done.assertion, signInId: done.kept.signInId };
        }
        if (client.idToken === undefined) return undefined;
        try {
          const assertion = await exchangeIdToken(client, client.idToken, wanted, client.idpTokenEndpoint);
          log.redact?.(assertion);
          return { assertion, signInId: `organization ${client.clientId}` };
        } catch (error) {
          // It was brought along once and has ended; the person can sign in like anybody else.
          if (isTokenRefused(error)) return undefined;
          throw error;
        }
      }),

    async leave(owner) {
      await loaded();
      const used = list.filter(({ users }) => users.some((user) => user.owner === owner));
      await Promise.all(used.map(({ client }) => exclusive(client, () => left(client, owner))));
    },
  };

  async function left(client: IdentityClient, owner: string): Promise<void> {
    const kept = found(client);
    if (!kept) return;
    const users = kept.users.filter((user) => user.owner !== owner);
    await put(client, users.length === 0 ? undefined : { ...kept, users });
    if (users.length > 0) return;
    try {
      await revokeIdentity(kept.client, kept);
    } catch (error) {
      log.warn('A sign-in at an identity provider was forgotten here but could not be revoked.', {
        host: hostOfIssuer(kept.client.idpIssuer),
        reason: messageOf(error),
      });
    }
  }
}

import { computeScopeUnion, refreshAuthorization, withDpop } from '@modelcontextprotocol/client';
import type { Server } from '../../../preload/contract/servers.ts';
import type { ServerAccount, SignInClient, SignInRequest } from '../../../preload/contract/signIn.ts';
import { typedHostOf } from '../net/addressPolicy.ts';
import { createGuardedFetch, type GuardedFetch } from '../net/guardedFetch.ts';
import type { Clock, Log } from '../ports.ts';
import { messageOf } from '../refusal.ts';
import type { Secrets } from '../store/secrets.ts';
import { asAuthFailure, AuthFailure } from './authFailure.ts';
import { authRecords, type Grant, redirectPortOf } from './authRecords.ts';
import { asksForSignIn, type AuthChallenge, challengeOf } from './challenge.ts';
import { prepareCodeGrant } from './codeGrant.ts';
import { type Authority, discoverAuthority, firstScope } from './discovery.ts';
import { createDpopKeys } from './dpopKeys.ts';
import type { Identities } from './identities.ts';
import { machineTokens } from './machineGrant.ts';
import { organizationGrant, type OrganizationRequest, prepareOrganizationSignIn } from './organizationGrant.ts';
import { clientInformation } from './registration.ts';
import { revokeGrant } from './revocation.ts';
import { createSignInFlow } from './signInFlow.ts';
import { signInRequest } from './signInWords.ts';
import { grantOf, scopesOf } from './tokens.ts';

/** A call on whose behalf a request goes out. */
export interface WaitingCall {
  /** Runs `work` while the call's clock stands. */
  hold<Value>(work: () => Promise<Value>): Promise<Value>;
  /** Asks the person whether to sign in. Resolves to false when he declines or `signal` ends the question. */
  ask(request: SignInRequest, signal: AbortSignal): Promise<boolean>;
  signal: AbortSignal;
}

/** Finds the call by the body of its request; undefined for what no call waits for. */
export type CallOfRequest = (body: unknown) => WaitingCall | undefined;

/** The sign-in of one server: tokens, their renewal, and what happens when the server wants one. */
export interface ServerAuth {
  account(): ServerAccount | undefined;
  /** Names the sign-in that is in use, through all its renewals; empty when there is none. No secret. */
  authorizationKey(): string;
  signingIn(): Server['signingIn'];
  /** What the server wanted last and did not get. */
  wanted(): Partial<SignInRequest> | undefined;
  /**
   * `fetch` for requests to the server at `serverUrl`: with its token, to its origin only. A 401, and a 403 of missing permissions,
   * is answered by a renewal, or by asking the person where a call waits, which rejects with {@link AuthFailure} when that does not help.
   * Where no call waits the answer comes back as it is, and {@link wanted} tells of it.
   */
  authorize(base: typeof fetch, serverUrl: string, callOf: CallOfRequest): typeof fetch;
  /** Opens the browser and returns without waiting for the end. Rejects with {@link AuthFailure}. */
  signIn(serverUrl: string, issuer: string | undefined): Promise<SignInRequest>;
  cancelSignIn(): void;
  signOut(): Promise<void>;
  setClient(issuer: string | undefined, client: SignInClient | null): Promise<void>;
  /** Gives a sign-in up that is open in the browser. */
  close(): void;
}

export interface ServerAuthDeps {
  /** Owner of the secrets of this server. */
  owner: string;
  serverName(): string;
  secrets: Secrets;
  /** The person's sign-ins at identity providers, which several servers may share. */
  identities: Identities;
  clock: Clock;
  log: Log;
  openUrl(url: string): Promise<void>;
  /** Stands for our own document about this application and is known to be published. */
  clientMetadataUrl: string | undefined;
  onChange(): void;
  /** The person signed in on his own, outside a call. */
  onSignedIn(): void;
  /** A sign-in was given or taken back, wherever it was asked for; not for renewals. Throws where it cannot be kept. */
  onAccount(change: 'signedIn' | 'signedOut', issuer: string): void;
}

/** A token that ends within so many milliseconds is renewed before it is used. */
const renewalMarginMs = 30_000;
/** So often is one request repeated after another answer to its challenge. */
const maxAttempts = 3;
/** What was tried for one request, so that nothing goes round: a renewal and a sign-in for its 401, and how often it was made again. */
interface Tried {
  times: number;
  renewed: boolean;
  asked: boolean;
}

export function createServerAuth(deps: ServerAuthDeps): ServerAuth {
  const { clock, identities, log, owner, secrets } = deps;
  const records = authRecords(secrets, owner, log);
  const dpopKeys = createDpopKeys();
  const flow = createSignInFlow(deps);
  let current: Grant | undefined;
  /** What the server does not take any more: who signs in again is asked for the same. */
  let former: Grant | undefined;
  let account: ServerAccount | undefined;
  let wanted: Partial<SignInRequest> | undefined;
  let lastChallenge: AuthChallenge | undefined;
  /** Questions that were answered with no, and permissions that were given in vain: not asked again by themselves. */
  const settled = new Set<string>();
  /** Aborted whenever the grant changes: what waits for one looks again. */
  let change = new AbortController();
  // A keychain that asks for its password must not hold up servers that never had a sign-in.
  const loaded = secrets.has(owner, 'oauth issuer') === 'missing' ? Promise.resolve() : load();
  let tail: Promise<unknown> = loaded;

  async function load(): Promise<void> {
    try {
      current = await records.grant();
      if (current) account = accountOf(current);
    } catch (error) {
      log.error('A sign-in could not be read and is left out.', { owner, reason: messageOf(error) });
    }
    deps.onChange();
  }

  const exclusive = <Value>(run: () => Promise<Value>): Promise<Value> => {
    const done = tail.then(run);
    tail = done.catch(() => undefined);
    return done;
  };

  const told = (): void => {
    change.abort();
    change = new AbortController();
    deps.onChange();
  };

  async function keep(grant: Grant): Promise<void> {
    current = grant;
    former = undefined;
    account = accountOf(grant);
    wanted = undefined;
    await records.keepGrant(grant);
    told();
  }

  async function forget(): Promise<void> {
    if (account) account = { ...account, signedIn: false };
    former = current;
    current = undefined;
    await records.forgetGrant();
    told();
  }

  const guarded = (serverUrl: string): GuardedFetch => createGuardedFetch({ typed: typedHostOf(serverUrl) });

  const discover = (serverUrl: string, challenge: AuthChallenge | undefined, preferred: string | undefined): Promise<Authority> =>
    discoverAuthority(serverUrl, challenge, { fetch: guarded(serverUrl), preferredIssuer: preferred });

  /** The grant, unless it was given for another address than the server has now. */
  const grantFor = (serverUrl: string): Grant | undefined =>
    current && new URL(current.serverUrl).origin === new URL(serverUrl).origin ? current : undefined;

  /** What the person is asked, in words that fit who will ask him. */
  async function describe(
    authority: Pick<Authority, 'issuer' | 'issuers' | 'resource' | 'page'>,
    scope: string | undefined,
    challenge: AuthChallenge | undefined,
    wasSignedIn: boolean,
  ): Promise<SignInRequest> {
    const client = await records.client(authority.issuer);
    const organization =
      client?.kind === 'organization' ? { idpIssuer: client.idpIssuer, isSignedIn: await identities.isSignedIn(client) } : undefined;
    // A client of its own needs no page.
    return signInRequest(client?.kind === 'machine' ? { ...authority, page: undefined } : authority, scope, {
      serverName: deps.serverName(),
      challenge,
      wasSignedIn,
      organization,
    });
  }

  const organizationRequest = (authority: Authority, scope: string | undefined, serverUrl: string): OrganizationRequest => ({
    authority,
    scope,
    serverUrl,
    owner,
    identities,
    fetch: guarded(serverUrl),
    clock,
  });

  function fail(failure: AuthFailure, request: SignInRequest | undefined): void {
    log.warn('A sign-in failed.', { owner, reason: failure.message, detail: failure.detail });
    wanted = {
      ...request,
      problem: failure.message,
      ...(failure.needsClient ? { needsClient: true } : {}),
    };
    deps.onChange();
  }

  /** Renews without the person. Resolves to false when only he can help. Rejects with AuthFailure when it may work later. */
  async function renew(grant: Grant | undefined, authority: Authority, scope: string | undefined, serverUrl: string): Promise<boolean> {
    const fetch = guarded(serverUrl);
    const about = { authority, serverUrl, scope, now: clock.now() };
    const client = await records.client(authority.issuer);
    if (client?.kind === 'organization') {
      const given = await organizationGrant(client, organizationRequest(authority, scope, serverUrl), false);
      if (given) await keep(given);
      return given !== undefined;
    }
    if (client?.kind === 'machine') {
      const tokens = await machineTokens(client, authority, scope, fetch);
      await keep(grantOf(tokens, { ...about, signInId: `${client.kind} ${client.clientId}`, client, dpop: undefined }));
      return true;
    }
    if (grant?.refreshToken === undefined || grant.issuer !== authority.issuer) return false;
    const session = await dpopKeys.sessionOf(grant);
    const tokens = await refreshAuthorization(grant.issuer, {
      ...(authority.metadata ? { metadata: authority.metadata } : {}),
      clientInformation: clientInformation(grant.client, grant.issuer),
      refreshToken: grant.refreshToken,
      ...(grant.resource === undefined ? {} : { resource: grant.resource }),
      ...(session ? { dpop: session } : {}),
      fetchFn: fetch,
    }).catch((error: unknown) => {
      const failure = asAuthFailure(error, `Renewing the sign-in at ${new URL(grant.issuer).host}`);
      if (failure.code === 'invalid_grant' || failure.code === 'invalid_client' || failure.code === 'unauthorized_client') return undefined;
      throw failure;
    });
    if (!tokens) return false;
    await keep(grantOf(tokens, { ...about, signInId: grant.signInId, scope: grant.scope, client: grant.client, dpop: grant.dpop }));
    return true;
  }

  /** Renews a token that is about to end; a failure shows with the answer to the request. */
  async function fresh(serverUrl: string): Promise<Grant | undefined> {
    await loaded;
    const grant = grantFor(serverUrl);
    const renewable =
      grant && (grant.refreshToken !== undefined || grant.client.kind === 'machine' || grant.client.kind === 'organization');
    if (!renewable || grant.expiresAt === undefined || grant.expiresAt - clock.now() > renewalMarginMs) return grant;
    return exclusive(async () => {
      if (grantFor(serverUrl) !== grant) return grantFor(serverUrl);
      try {
        const authority = await discover(serverUrl, undefined, grant.issuer);
        if (authority.issuer === grant.issuer) await renew(grant, authority, grant.scope, serverUrl);
      } catch (error) {
        log.warn('A token could not be renewed before its end.', { owner, reason: messageOf(error) });
      }
      return grantFor(serverUrl);
    });
  }

  /** Undefined when the request is worth repeating, else why not. One at a time: of several that are refused together one renews, the others follow. */
  function answerChallenge(
    challenge: AuthChallenge,
    used: Grant | undefined,
    tried: Tried,
    call: WaitingCall | undefined,
    serverUrl: string,
  ): Promise<AuthFailure | undefined> {
    const name = `"${deps.serverName()}"`;
    return exclusive(async () => {
      // Another request was refused before and has seen to it; or it could not, and nobody has asked the person yet.
      const now = grantFor(serverUrl);
      if (now && now !== used) return undefined;
      lastChallenge = challenge;
      // A token that the person has just signed in for, and that is refused as well, is no matter of signing in.
      if (tried.times >= maxAttempts || (challenge.status === 401 && tried.asked))
        return new AuthFailure(`${name} asks for a sign-in again and again, so it was given up.`);
      let request: SignInRequest | undefined;
      try {
        const before = used ?? former;
        const authority = await discover(serverUrl, challenge, before?.issuer);
        const scope = scopeToAsk(authority, challenge, before);
        request = await describe(authority, scope, challenge, before !== undefined);
        if (used && challenge.status === 403 && scopesOf(scope).every((each) => scopesOf(used.scope).includes(each)))
          throw new AuthFailure(`${name} refuses this although you have given it the permissions it asks for.`);
        const mayRenew = used?.client.kind === 'machine' || (challenge.status === 401 && !tried.renewed);
        if (mayRenew && (await renew(now, authority, scope, serverUrl))) {
          tried.renewed = true;
          return undefined;
        }
        // The server does not take it any more, or another authorization server is in charge: it is never sent again.
        if (challenge.status === 401 && now) await forget();
        // Anew: trying to renew may have shown that the sign-in at an identity provider is over too.
        request = await describe(authority, scope, challenge, before !== undefined);
        wanted = request;
        const question = JSON.stringify([authority.issuer, [...request.scopes].sort()]);
        if (!call || settled.has(question)) {
          deps.onChange();
          return new AuthFailure(`${name} wants a sign-in first, which you declined before. Sign in on its page.`, { declined: true });
        }
        const waiting = grantFor(serverUrl);
        const agreed = await call.ask(request, AbortSignal.any([call.signal, change.signal]));
        if (grantFor(serverUrl) !== waiting) return undefined;
        if (!agreed) {
          if (!call.signal.aborted) settled.add(question);
          deps.onChange();
          return new AuthFailure(`${name} wants a sign-in first, which you declined.`, { declined: true });
        }
        tried.asked = true;
        await (
          await begin(authority, scope, serverUrl, request)
        ).done;
        return undefined;
      } catch (error) {
        const failure = asAuthFailure(error, 'The sign-in');
        fail(failure, request);
        return failure;
      }
    });
  }

  async function begin(
    authority: Authority,
    scope: string | undefined,
    serverUrl: string,
    request: SignInRequest,
  ): Promise<{ done: Promise<void> }> {
    wanted = request;
    const keepNew = async (grant: Grant): Promise<void> => {
      deps.onAccount('signedIn', grant.issuer);
      await keep(grant);
    };
    const known = await records.client(authority.issuer);
    if (known?.kind === 'organization') {
      const wish = organizationRequest(authority, scope, serverUrl);
      const given = await organizationGrant(known, wish, true);
      // The person is signed in there already, so no page is needed.
      if (given) return { done: keepNew(given) };
      return flow.begin({
        issuer: known.idpIssuer,
        port: redirectPortOf(known),
        prepare: (listener) => prepareOrganizationSignIn(listener, known, wish, keepNew),
      });
    }
    const about = { authority, scope, serverUrl, known, fetch: guarded(serverUrl), keep: keepNew };
    const { clientMetadataUrl } = deps;
    return flow.begin({
      issuer: authority.issuer,
      port: redirectPortOf(known),
      prepare: (listener) => prepareCodeGrant(listener, about, { records, dpopKeys, clock, clientMetadataUrl }),
    });
  }

  return {
    account: () => account,
    authorizationKey: () => (current ? `${current.issuer} ${current.signInId}` : ''),
    signingIn: flow.view,
    wanted: () => wanted,

    authorize(base, serverUrl, callOf) {
      const { origin } = new URL(serverUrl);
      return async (input, init) => {
        if (new URL(input instanceof Request ? input.url : input).origin !== origin) return base(input, init);
        for (const tried: Tried = { times: 0, renewed: false, asked: false }; ; tried.times += 1) {
          const grant = await fresh(serverUrl);
          const response = await send(base, input, init, grant);
          const challenge = challengeOf(response);
          if (!challenge || !asksForSignIn(challenge)) return response;
          const call = callOf(init?.body);
          const answered = () => answerChallenge(challenge, grant, tried, call, serverUrl);
          const failure = await (call ? call.hold(answered) : answered());
          init?.signal?.throwIfAborted();
          if (failure && !call) return response;
          await response.body?.cancel();
          if (failure) throw failure;
        }
      };
    },

    async signIn(serverUrl, issuer) {
      await loaded;
      settled.clear();
      const before = grantFor(serverUrl) ?? former;
      const authority = await discover(serverUrl, lastChallenge, issuer ?? before?.issuer);
      const scope = scopeToAsk(authority, lastChallenge, before);
      const request = await describe(authority, scope, lastChallenge, false);
      const client = await records.client(authority.issuer);
      // It was asked for anew: what the person has read may have been another page.
      if (request.page && (request.page.host !== wanted?.page?.host || request.page.receiver !== wanted.page.receiver)) {
        wanted = request;
        deps.onChange();
        throw new AuthFailure(`${request.words} Nothing was opened yet: sign in once more if that is what you want.`);
      }
      if (client?.kind === 'machine') {
        await renew(undefined, authority, scope, serverUrl);
        deps.onAccount('signedIn', authority.issuer);
        deps.onSignedIn();
        return request;
      }
      const { done } = await begin(authority, scope, serverUrl, request);
      void done.then(deps.onSignedIn, (error: unknown) => fail(asAuthFailure(error, 'The sign-in'), request));
      return request;
    },

    cancelSignIn: () => flow.cancel('The sign-in was cancelled.'),

    async signOut() {
      flow.cancel('The sign-in was cancelled.');
      await loaded;
      const grant = current;
      if (grant) deps.onAccount('signedOut', grant.issuer);
      await forget();
      former = undefined;
      account = undefined;
      wanted = undefined;
      settled.clear();
      deps.onChange();
      await identities.leave(owner);
      if (!grant) return;
      try {
        await revokeGrant(grant, await discover(grant.serverUrl, undefined, grant.issuer), guarded(grant.serverUrl));
      } catch (error) {
        log.warn('A token was forgotten here but could not be revoked.', { owner, reason: messageOf(error) });
      }
    },

    async setClient(issuer, client) {
      await records.keepClient(issuer, client);
      // What was agreed to under other settings does not hold under these.
      await identities.leave(owner);
      if (wanted?.issuer !== undefined) {
        const { issuer: asked, issuers = [asked], resource, page, scopes = [] } = wanted;
        wanted = await describe({ issuer: asked, issuers, resource, page }, scopes.join(' '), lastChallenge, former !== undefined);
      } else if (wanted) {
        const { problem: _problem, needsClient: _needsClient, ...asked } = wanted;
        wanted = asked;
      }
      settled.clear();
      deps.onChange();
    },

    close: () => flow.cancel('The server was switched off.'),
  };

  async function send(
    base: typeof fetch,
    input: string | URL | Request,
    init: RequestInit | undefined,
    grant: Grant | undefined,
  ): Promise<Response> {
    if (!grant) return base(input, init);
    const session = grant.tokenType.toLowerCase() === 'dpop' ? await dpopKeys.sessionOf(grant) : undefined;
    if (session) return withDpop(session, async () => grant.accessToken)(base)(input instanceof Request ? input.url : input, init);
    const headers = new Headers(init?.headers);
    headers.set('authorization', `Bearer ${grant.accessToken}`);
    return base(input, { ...init, headers });
  }
}

/** What is missing, together with what was given before by the same authorization server. */
function scopeToAsk(authority: Authority, challenge: AuthChallenge | undefined, before: Grant | undefined): string | undefined {
  const first = firstScope(authority, challenge);
  return before?.issuer === authority.issuer ? computeScopeUnion(before.scope, first) : first;
}

const accountOf = ({ issuer, scope, client }: Grant): ServerAccount => ({
  signedIn: true,
  issuer,
  scopes: scopesOf(scope),
  ...(client.kind === 'organization' ? { identityProvider: client.idpIssuer } : {}),
});

import type { SignInRequest } from '../../../preload/contract/signIn.ts';
import type { AuthChallenge } from './challenge.ts';
import type { Authority } from './discovery.ts';
import { hostOfIssuer } from './identityProvider.ts';
import { scopesOf } from './tokens.ts';

/** Permissions whose meaning is fixed by a standard; all others are a server's own names. */
const knownScopes: Readonly<Record<string, string>> = {
  openid: 'know who you are',
  profile: 'see your name and picture',
  email: 'see your e-mail address',
  phone: 'see your telephone number',
  address: 'see your postal address',
  offline_access: 'stay signed in while you are away',
};

/** What a sign-in will ask for, before the browser opens (S70, S71). `wasSignedIn`: an earlier sign-in does not count any more. */
export function signInRequest(
  authority: Pick<Authority, 'issuer' | 'issuers' | 'resource' | 'page'>,
  scope: string | undefined,
  about: {
    serverName: string;
    challenge: AuthChallenge | undefined;
    wasSignedIn: boolean;
    /** Where an organization decides: its identity provider, and whether the person is signed in there. */
    organization: { idpIssuer: string; isSignedIn: boolean } | undefined;
  },
): SignInRequest {
  const { issuer, issuers, resource } = authority;
  const { organization } = about;
  const page = organization ? undefined : authority.page;
  const scopes = scopesOf(scope);
  const host = new URL(issuer).host;
  const server = `"${about.serverName}"`;
  const why =
    about.challenge?.status === 403
      ? `${server} needs a further permission for this. `
      : about.wasSignedIn
        ? `Your sign-in for ${server} has ended. `
        : '';
  const what = scopes.map((each) => (knownScopes[each] === undefined ? `“${each}”` : `${knownScopes[each]} (${each})`)).join(', ');
  return {
    issuer,
    ...(page ? { page } : {}),
    ...(issuers.length > 1 ? { issuers } : {}),
    scopes,
    ...(resource === undefined ? {} : { resource }),
    ...(organization ? { identityProvider: organization.idpIssuer } : {}),
    words:
      why +
      (organization
        ? organizationWords(organization, { host, server, what })
        : `${page?.host ?? host} will ask you to sign in${scopes.length === 0 ? ` for ${server}.` : ` and to allow ${server}: ${what}.`}`) +
      (page ? elsewhereWords(page, host) : ''),
  };
}

const elsewhereWords = ({ host, receiver }: NonNullable<SignInRequest['page']>, named: string): string =>
  receiver === host
    ? ` The server named ${named} for this, which sends you on to ${host}.`
    : ` The server named ${named} for this, which sends you on to ${host}: what you allow there is handed to ${receiver}, so go on only if you trust ${receiver} with it.`;

/** No further page asks for consent there, so what will be given has to be said here. */
function organizationWords(
  { idpIssuer, isSignedIn }: { idpIssuer: string; isSignedIn: boolean },
  { host, server, what }: { host: string; server: string; what: string },
): string {
  const provider = hostOfIssuer(idpIssuer);
  const first = isSignedIn
    ? `You are signed in with your organization at ${provider} already; its page opens only if that has ended.`
    : `${provider} will ask you to sign in with your organization.`;
  return `${first} It is then asked to let you use ${server}, whose access ${host} gives out${what === '' ? '' : `: ${what}`}.`;
}

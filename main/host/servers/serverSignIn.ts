import type { ServerConfig } from '../../../preload/contract/servers.ts';
import type { SignInRequest } from '../../../preload/contract/signIn.ts';
import { AuthFailure } from '../auth/authFailure.ts';
import type { ServerAuth } from '../auth/serverAuth.ts';
import type { Target } from '../mcp/target.ts';
import { isUnencrypted } from '../net/addressPolicy.ts';
import { refuse } from '../refusal.ts';

/** Where and whether one configured server may be signed in to. */
export interface ServerSignIn {
  /** The target with the sign-in on its requests, where one may be sent. */
  authorized(target: Target): Target;
  /** Opens the browser for a sign-in and returns what is asked for there. Refuses with `wrongState`, `notAllowed`, `serverFailed`. */
  signIn(issuer: string | undefined): Promise<SignInRequest>;
}

const hasOwnAuthorization = (headers: Readonly<Record<string, string>>): boolean =>
  Object.keys(headers).some((name) => name.toLowerCase() === 'authorization');

export function createServerSignIn(options: {
  name(): string;
  auth: Pick<ServerAuth, 'authorize' | 'signIn'>;
  config(): ServerConfig | undefined;
  /** Whether it is switched on and agreed to. */
  runnable(): boolean;
  target(config: ServerConfig): Promise<Target>;
}): ServerSignIn {
  const { auth } = options;

  /** Where signing in would be for. Refuses where it is not possible. */
  const signInUrl = async (): Promise<string> => {
    const name = options.name();
    const config = options.config();
    if (!config || !('url' in config)) return refuse('wrongState', `"${name}" has no sign-in.`);
    if (!options.runnable()) return refuse('wrongState', `"${name}" is switched off or waits for your consent.`);
    const target = await options.target(config);
    if (target.kind !== 'http') return refuse('wrongState', `"${name}" has no sign-in.`);
    if (isUnencrypted(target.url))
      return refuse(
        'notAllowed',
        `"${name}" is not encrypted: its address begins with http://. Signing in would give your access away. Use https://.`,
      );
    if (hasOwnAuthorization(target.headers))
      return refuse('wrongState', `"${name}" gets the Authorization header of its settings. Remove that to sign in instead.`);
    return target.url;
  };

  return {
    authorized(target) {
      // A key that the person wrote into the headers is his sign-in, and an open line carries none.
      if (target.kind !== 'http' || isUnencrypted(target.url) || hasOwnAuthorization(target.headers)) return target;
      return { ...target, authorize: (base, callOf) => auth.authorize(base, target.url, callOf) };
    },

    async signIn(issuer) {
      const url = await signInUrl();
      try {
        return await auth.signIn(url, issuer);
      } catch (error) {
        if (!(error instanceof AuthFailure)) throw error;
        return refuse('serverFailed', error.message, error.detail === undefined ? {} : { detail: error.detail });
      }
    },
  };
}

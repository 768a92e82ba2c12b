import type { Server } from '../../../preload/contract/servers.ts';
import type { Clock, Log } from '../ports.ts';
import { messageOf } from '../refusal.ts';
import { asAuthFailure, AuthFailure } from './authFailure.ts';
import { type LoopbackListener, listenOnLoopback } from './loopbackListener.ts';

/** A sign-in that is ready for the browser. */
export interface SignInAttempt {
  /** The page to open. */
  url: string;
  /** Waits for the person and keeps what came of it; called before the page is opened. Rejects with AuthFailure or the signal's reason. */
  finish(signal: AbortSignal): Promise<void>;
}

/** The one sign-in of a server that may be open in the browser. Another one takes its place. */
export interface SignInFlow {
  view(): Server['signingIn'];
  /**
   * Opens the browser. `issuer` asks for the password; `port` is that of the way back, where it has to be a certain one. `done` follows
   * the attempt, and rejects with AuthFailure. Rejects with AuthFailure when nothing could be opened.
   */
  begin(about: {
    issuer: string;
    port: number | undefined;
    prepare(listener: LoopbackListener): Promise<SignInAttempt>;
  }): Promise<{ done: Promise<void> }>;
  /** `why` is a sentence. */
  cancel(why: string): void;
}

export interface SignInFlowDeps {
  clock: Clock;
  log: Log;
  openUrl(url: string): Promise<void>;
  onChange(): void;
}

/** A person may have to find a password, a telephone, or another person. In milliseconds. */
const signInMs = 600_000;

export function createSignInFlow(deps: SignInFlowDeps): SignInFlow {
  const { clock, log } = deps;
  let open: { stop: AbortController; view: NonNullable<Server['signingIn']> } | undefined;
  const cancel = (why: string): void => open?.stop.abort(new AuthFailure(why));

  return {
    view: () => open?.view,
    cancel,

    async begin({ issuer, port, prepare }) {
      cancel('Another sign-in was begun instead.');
      const stop = new AbortController();
      const listener = await listenOnLoopback(port);
      const end = (): void => {
        listener.close();
        if (open?.stop === stop) open = undefined;
        deps.onChange();
      };
      try {
        const attempt = await prepare(listener);
        open = { stop, view: { since: clock.now(), issuer, url: attempt.url } };
        const cancelBound = clock.after(signInMs, () =>
          stop.abort(new AuthFailure(`Nobody finished the sign-in at ${new URL(issuer).host}. Begin it again when you are ready.`)),
        );
        const done = attempt
          .finish(stop.signal)
          .catch((error: unknown) => {
            throw asAuthFailure(error, 'The sign-in');
          })
          .finally(() => {
            cancelBound();
            end();
          });
        deps.onChange();
        deps.openUrl(attempt.url).catch((error: unknown) => {
          // The address is shown for copying, so the sign-in can go on without.
          log.warn('The browser for a sign-in could not be opened.', { issuer, reason: messageOf(error) });
        });
        return { done };
      } catch (error) {
        end();
        throw asAuthFailure(error, 'Preparing the sign-in');
      }
    },
  };
}

import { OAuthError } from '@modelcontextprotocol/client';
import { GuardRefusal } from '../net/guardedFetch.ts';
import { messageOf } from '../refusal.ts';

/** A sign-in that did not come about. The message is a sentence for the person; `detail` holds words of others. */
export class AuthFailure extends Error {
  readonly detail: string | undefined;
  /** Only the person can help: by naming a client of his own. */
  readonly needsClient: boolean;
  /** The authorization server's own code (RFC 6749 §5.2), where there is one. */
  readonly code: string | undefined;

  /** Nothing went wrong: the person did not want it. */
  readonly declined: boolean;

  constructor(message: string, more: { detail?: string; needsClient?: boolean; code?: string; declined?: boolean } = {}) {
    super(message);
    this.name = 'AuthFailure';
    this.detail = more.detail;
    this.needsClient = more.needsClient ?? false;
    this.code = more.code;
    this.declined = more.declined ?? false;
  }
}

const maxDetail = 2000;

/** What went wrong while `doing` something with `place`, as a failure; failures pass as they are. */
export function asAuthFailure(error: unknown, doing: string): AuthFailure {
  if (error instanceof AuthFailure) return error;
  if (error instanceof GuardRefusal) return new AuthFailure(`${doing} failed: ${error.message}`);
  if (error instanceof OAuthError)
    return new AuthFailure(`${doing} failed: it was refused (${error.code}).`, {
      code: error.code,
      detail: error.message.slice(0, maxDetail),
    });
  return new AuthFailure(`${doing} failed. Try again later; the detail says what went wrong.`, {
    detail: messageOf(error).slice(0, maxDetail),
  });
}

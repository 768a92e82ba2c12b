/** What a server demands with 401 or 403 (RFC 6750 §3, RFC 9449 §7.1, RFC 9728 §5.1). All of it is the server's word. */
export interface AuthChallenge {
  status: 401 | 403;
  resourceMetadata?: string;
  scope?: string;
  error?: string;
}

interface ParsedChallenge {
  scheme: string;
  params: Map<string, string>;
}

const tokenAt = /[!#$%&'*+.^_`|~0-9A-Za-z-]+/y;
const token68At = /[A-Za-z0-9\-._~+/]+=*(?=\s*(?:,|$))/y;
const quotedAt = /"((?:[^"\\]|\\.)*)"/y;
const bareAt = /[^\s,]*/y;
const spacesAt = /\s*/y;
const gapAt = /[\s,]*/y;

/**
 * The challenges of a `WWW-Authenticate` header, in order, names in lower case (RFC 9110 §11.6.1): several may stand in one header,
 * parted by the same comma that parts their parameters. What cannot be read ends the list.
 */
export function parseChallenges(header: string): ParsedChallenge[] {
  const found: ParsedChallenge[] = [];
  let at = 0;
  const take = (pattern: RegExp): RegExpExecArray | null => {
    pattern.lastIndex = at;
    const match = pattern.exec(header);
    if (match) at = pattern.lastIndex;
    return match;
  };

  for (;;) {
    take(gapAt);
    const name = take(tokenAt)?.[0].toLowerCase();
    if (name === undefined) return found;
    const afterName = at;
    take(spacesAt);
    const current = found.at(-1);
    if (header[at] === '=' && current) {
      at += 1;
      take(spacesAt);
      const quoted = take(quotedAt);
      const value = quoted ? (quoted[1] ?? '').replace(/\\(.)/g, '$1') : (take(bareAt)?.[0] ?? '');
      if (!current.params.has(name)) current.params.set(name, value);
      continue;
    }
    found.push({ scheme: name, params: new Map() });
    if (at > afterName) take(token68At);
  }
}

/** The challenge of an answer, undefined where the answer is none. A 401 without a header is one all the same. */
export function challengeOf(response: Response): AuthChallenge | undefined {
  const { status } = response;
  if (status !== 401 && status !== 403) return undefined;
  const known = parseChallenges(response.headers.get('www-authenticate') ?? '').filter(
    ({ scheme }) => scheme === 'bearer' || scheme === 'dpop',
  );
  const told = known.find(({ params }) => params.has('resource_metadata')) ?? known[0];
  const value = (name: string): string | undefined => told?.params.get(name) || undefined;
  const resourceMetadata = value('resource_metadata');
  const scope = value('scope');
  const error = value('error');
  return {
    status,
    ...(resourceMetadata === undefined ? {} : { resourceMetadata }),
    ...(scope === undefined ? {} : { scope }),
    ...(error === undefined ? {} : { error }),
  };
}

/** Whether a sign-in can help: every 401, and of 403 only that of missing permissions (RFC 6750 §3.1). */
export function asksForSignIn(challenge: AuthChallenge): boolean {
  return challenge.status === 401 || challenge.error === 'insufficient_scope';
}

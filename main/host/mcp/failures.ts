import {
  InsufficientScopeError,
  ProtocolError,
  SdkError,
  SdkErrorCode,
  SdkHttpError,
  SseError,
  UnauthorizedError,
  UnsupportedProtocolVersionError,
} from '@modelcontextprotocol/client';
import type { ServerFailure } from '../../../preload/contract/servers.ts';
import type { Exit } from '../ports.ts';
import { messageOf } from '../refusal.ts';
import { BrokenDiscovery, ModernRefusal } from './modernRefusal.ts';
import { noMessage, problemOfAnswer } from './messageProblem.ts';
import { TooBusy } from './retryAfter.ts';
import { SpawnFailure } from './childProgram.ts';
import { describeExit, type StdioEnd } from './stdioTransport.ts';

/**
 * A connection that did not come about. `failure` is what the person reads. `busy`: the server takes no more requests for now, so that another
 * start may help without anybody changing anything.
 */
export class StartFailure extends Error {
  readonly failure: ServerFailure;
  readonly busy: TooBusy | undefined;
  constructor(failure: ServerFailure, busy?: TooBusy) {
    super(failure.message);
    this.name = 'StartFailure';
    this.failure = failure;
    this.busy = busy;
  }
}

/** The server answered 401 or 403: nothing is wrong with it, but it wants a sign-in first. */
export class SignInNeeded extends Error {
  constructor() {
    super('The server wants a sign-in.');
    this.name = 'SignInNeeded';
  }
}

const maxDetail = 8000;
/** Details hold the server's own words: bounded, and left out where there are none. */
export function detailOf(...parts: (string | undefined)[]): { detail?: string } {
  const text = parts.filter((part) => part !== undefined && part !== '').join('\n');
  if (text === '') return {};
  return { detail: text.length > maxDetail ? `${text.slice(0, maxDetail)}…` : text };
}

/** Scheme, host and path: query and user info may hold a secret. */
export function placeOf(url: string): string {
  if (!URL.canParse(url)) return url;
  const { origin, pathname } = new URL(url);
  return origin + pathname;
}

export function notStarted(name: string, thrown: unknown): ServerFailure {
  if (!(thrown instanceof SpawnFailure)) {
    return {
      code: 'internal',
      message: `"${name}" could not be started. Try to restart it; the detail says what went wrong.`,
      ...detailOf(messageOf(thrown)),
    };
  }
  const detail = detailOf(`${thrown.code}: ${thrown.message}`);
  if (thrown.missingFolder !== undefined) {
    return {
      code: 'configurationInvalid',
      message: `"${name}" could not be started: its working folder ${thrown.missingFolder} does not exist. Create the folder or change it in the server's settings.`,
      ...detail,
    };
  }
  if (thrown.code === 'ENOENT') {
    const finder = process.platform === 'win32' ? 'where' : 'which';
    return {
      code: 'commandNotFound',
      message: `"${name}" could not be started: the program ${thrown.command} was not found. Install it, or find its full path with "${finder} ${thrown.command}" in a terminal and put that into the server's settings.`,
      ...detail,
    };
  }
  if (thrown.code === 'EACCES' || thrown.code === 'EPERM') {
    return {
      code: 'commandNotFound',
      message: `"${name}" could not be started: ${thrown.command} may not be run as a program. Check that it is one and that you may run it.`,
      ...detail,
    };
  }
  return {
    code: 'internal',
    message: `"${name}" could not be started: the system refused it (${thrown.code}). Check the command and its arguments.`,
    ...detail,
  };
}

/** Why a program's connection ended. `starting`: it had never been ready. Undefined when we ended it. */
export function programEnded(name: string, end: StdioEnd, starting: boolean, stderr: string): ServerFailure | undefined {
  switch (end.kind) {
    case 'closed':
      return undefined;
    case 'notStarted':
      return notStarted(name, end.failure);
    case 'exited':
      return starting ? exitedAtStart(name, end.exit, stderr) : exited(name, end.exit, stderr);
    case 'lineTooLong':
      return {
        code: 'protocolError',
        message: `"${name}" was stopped: it sent a message of more than ${Math.round(end.limit / 1_048_576)} MiB, which is more than can be taken. Ask the server for less at a time.`,
        ...detailOf(stderr),
      };
    case 'outputClosed':
      return {
        code: starting ? 'exitedAtStart' : 'exited',
        message: `"${name}" was stopped: it closed its output, so that no answer could come any more. Restart it; its last words are in the detail.`,
        ...detailOf(stderr),
      };
  }
}

function exitedAtStart(name: string, exit: Exit, stderr: string): ServerFailure {
  return {
    code: 'exitedAtStart',
    message: `"${name}" ended before it was ready (${describeExit(exit)}). ${stderr === '' ? 'It gave no reason; check its command and arguments.' : 'Its last words are in the detail; check its command, arguments and environment.'}`,
    ...detailOf(describeExit(exit), stderr),
  };
}

function exited(name: string, exit: Exit, stderr: string): ServerFailure {
  return {
    code: 'exited',
    message: `"${name}" ended unexpectedly (${describeExit(exit)}).${stderr === '' ? '' : ' Its last words are in the detail.'}`,
    ...detailOf(describeExit(exit), stderr),
  };
}

/** `strange`: what a program wrote to its output that was no message; else, over HTTP, `url` says where. */
export function noAnswer(name: string, ms: number, said: { stderr: string; strange: string }, url?: string): ServerFailure {
  const strange =
    said.strange === '' ? '' : ' What it wrote to its output is in the detail: a message of the protocol is one JSON object on one line.';
  const message =
    url === undefined
      ? `"${name}" was started but did not answer within ${seconds(ms)}.${strange} Check that its command starts an MCP server, then restart it.`
      : `"${name}" did not answer at ${placeOf(url)} within ${seconds(ms)}. Check the address and that the server runs, then restart it.`;
  return { code: 'noAnswer', message, ...detailOf(said.strange, said.stderr) };
}

export function crashLoop(name: string, starts: number, ms: number, last: ServerFailure): ServerFailure {
  return {
    code: 'crashLoop',
    message: `"${name}" ended ${starts} times within ${seconds(ms)} and is not started again by itself. Mend what the detail says, then restart it.`,
    ...detailOf(last.message, last.detail),
  };
}

export function seconds(ms: number): string {
  const value = Math.round(ms / 1000);
  return value === 1 ? '1 second' : `${value} seconds`;
}

/** The revisions that a server names, none of which is spoken here; undefined where something else went wrong. */
function strangeRevisions(thrown: unknown): string | undefined {
  if (thrown instanceof UnsupportedProtocolVersionError) return thrown.supported.join(', ');
  // Of before 2026-07-28 the client says it in words alone.
  return thrown instanceof Error ? /^Server's protocol version is not supported: (.*)$/s.exec(thrown.message)?.[1] : undefined;
}

/** What the client has put an error of its own around, where it has. */
const causeOf = (thrown: unknown): unknown => (thrown instanceof SdkError && thrown.cause !== undefined ? thrown.cause : thrown);

/** Why a handshake failed that neither the program's end nor a time-out explains. `url` is absent for programs. */
export function handshakeFailure(name: string, thrown: unknown, stderr: string, url?: string): ServerFailure | 'signIn' {
  const status = httpStatusOf(thrown);
  // Of 403 only the one about missing permissions: a sign-in changes nothing about the others.
  if (thrown instanceof UnauthorizedError || thrown instanceof InsufficientScopeError || status === 401) return 'signIn';
  const revisions = strangeRevisions(thrown);
  if (revisions !== undefined) {
    return {
      code: 'protocolError',
      message: `"${name}" does not speak a revision of the protocol that Maitre speaks. It names these: ${revisions.slice(0, 200)}.`,
      ...detailOf(thrown instanceof ProtocolError ? `${thrown.code}: ${thrown.message}` : messageOf(thrown), stderr),
    };
  }
  const elsewhere =
    thrown instanceof Error ? /^Endpoint origin does not match connection origin: (.*)$/s.exec(thrown.message)?.[1] : undefined;
  if (elsewhere !== undefined) {
    return {
      code: 'protocolError',
      message: `"${name}" wants its messages sent to another origin than its own (${elsewhere.slice(0, 200)}), which is refused: who is there could be anybody. Nothing was sent there. Check the address in its settings.`,
    };
  }
  const isSaid = thrown instanceof BrokenDiscovery || (thrown instanceof ProtocolError && thrown.data === noMessage);
  const problem = isSaid ? thrown.message : problemOfAnswer(causeOf(thrown));
  if (problem !== undefined) {
    return {
      code: 'protocolError',
      message: `"${name}" answered, but not as an MCP server does: ${problem}. Check that ${url === undefined ? 'its command starts' : 'its address is that of'} an MCP server.`,
      ...detailOf(stderr),
    };
  }
  if (thrown instanceof ProtocolError || thrown instanceof ModernRefusal) {
    return {
      code: 'protocolError',
      message: `"${name}" refused the connection with an error of its own. The detail holds its words.`,
      ...detailOf(`${thrown.code}: ${thrown.message}`, stderr),
    };
  }
  const busy = busyBehind(thrown);
  if (busy) {
    return {
      code: 'httpError',
      message: `"${name}" takes no more requests at present (HTTP status ${busy.status}). It is tried again by itself.`,
    };
  }
  if (url !== undefined && status !== undefined) return httpFailure(name, url, status, thrown);
  if (url !== undefined) {
    const cause = networkErrorOf(thrown);
    if (cause) return connectionRefused(name, url, cause);
    if (thrown instanceof SdkError && thrown.code === SdkErrorCode.RequestTimeout) {
      return { code: 'noAnswer', message: `"${name}" did not answer at ${placeOf(url)}. Check the address and that the server runs.` };
    }
  }
  return {
    code: 'protocolError',
    message: `"${name}" answered, but not as an MCP server does. Check that ${url === undefined ? 'its command starts' : 'its address is that of'} an MCP server.`,
    ...detailOf(messageOf(thrown), stderr),
  };
}

/** As what a start over HTTP failed, after the handshake too: then its first requests are refused. Everything else stays what it is. */
export function httpStartFailure(name: string, thrown: unknown, url: string): unknown {
  if (httpStatusOf(thrown) === undefined && !networkErrorOf(thrown) && !busyBehind(thrown)) return thrown;
  return failedHandshake(name, thrown, url);
}

/** What a handshake over HTTP is to reject with. */
export function failedHandshake(name: string, thrown: unknown, url: string): SignInNeeded | StartFailure {
  const failure = handshakeFailure(name, thrown, '', url);
  return failure === 'signIn' ? new SignInNeeded() : new StartFailure(failure, busyBehind(thrown));
}

/** The refusal of a busy server, also where the client has put an error of its own around it. */
export function busyBehind(thrown: unknown): TooBusy | undefined {
  for (let error: unknown = thrown; error instanceof Error; error = error.cause) if (error instanceof TooBusy) return error;
  return undefined;
}

export function connectionRefused(name: string, url: string, cause: unknown): ServerFailure {
  return {
    code: 'connectionRefused',
    message: `"${name}" could not be reached at ${placeOf(url)}. Check that the server runs and that the address is right.`,
    ...detailOf(networkWords(cause)),
  };
}

export function httpFailure(name: string, url: string, status: number, thrown: unknown): ServerFailure {
  const advice =
    status >= 500
      ? 'The server itself has a fault; try again later.'
      : status === 404
        ? 'Check the address: nothing answers there.'
        : status === 403
          ? 'It does not let you in. Ask who runs it, or check the headers in its settings.'
          : status < 400
            ? 'It sends you to another address, which is not followed: if it is the right one, put it into its settings.'
            : 'Check the address and the headers in its settings.';
  const text = thrown instanceof SdkHttpError ? thrown.data.text : undefined;
  return {
    code: 'httpError',
    message: `"${name}" answered with HTTP status ${status} at ${placeOf(url)}. ${advice}`,
    ...detailOf(typeof text === 'string' && (text !== '' || status >= 400) ? text.slice(0, 2000) : messageOf(thrown)),
  };
}

/** The HTTP status that a client's error stands for. */
export function httpStatusOf(thrown: unknown): number | undefined {
  if (thrown instanceof SdkHttpError) return thrown.status;
  if (thrown instanceof SseError) return thrown.code;
  if (thrown instanceof InsufficientScopeError) return 403;
  // Over the older transport the client says it in words alone.
  const status = thrown instanceof Error ? /^Error POSTing to endpoint \(HTTP (\d{3})\)/.exec(thrown.message)?.[1] : undefined;
  return status === undefined ? undefined : Number(status);
}

/** Codes of the system, of the HTTP client and of TLS; the MCP client's own ones must not match. */
const networkCode =
  /^(E[A-Z0-9]+|EAI_[A-Z]+|UND_ERR_[A-Z_]+|CERT_[A-Z_]+|ERR_(TLS|SSL)_[A-Z_]+|DEPTH_ZERO_SELF_SIGNED_CERT|SELF_SIGNED_CERT_IN_CHAIN|UNABLE_TO_[A-Z_]+)$/;

/** The system's own error below a failed fetch: refused, no such host, reset, certificate... */
export function networkErrorOf(thrown: unknown): Error | undefined {
  for (let error: unknown = thrown; error instanceof Error; error = error.cause) {
    if ('code' in error && typeof error.code === 'string' && networkCode.test(error.code)) return error;
    if (error instanceof TypeError && error.message === 'fetch failed') return error.cause instanceof Error ? error.cause : error;
  }
  return undefined;
}

function networkWords(cause: unknown): string {
  if (cause instanceof AggregateError) return cause.errors.map(messageOf).join('\n');
  return messageOf(cause);
}

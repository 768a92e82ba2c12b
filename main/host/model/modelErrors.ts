import { createRedactor } from '../redact.ts';
import { plainText } from '../tools/plainText.ts';
import { ModelFailure } from './model.ts';
import type { ModelFailureCode } from './model.ts';

/** What is known of a failed request, gathered from whatever was thrown. */
export interface RequestFacts {
  /** HTTP status, or what the provider says would be its equal. */
  status?: number | undefined;
  /** The provider's own type or code (`insufficient_quota`, `overloaded_error`). */
  kind?: string | undefined;
  /** The provider's own words. */
  message?: string | undefined;
  /** The system's code of a network error (`ECONNREFUSED`). */
  networkCode?: string | undefined;
  retryAfter?: string | undefined;
  /** The stream had begun: bytes were received before it failed. */
  begun: boolean;
}

/** Whom the request went to, in words for the person. */
export interface RequestTarget {
  providerName: string;
  modelName: string;
  /** The base address. */
  address: string;
  local: boolean;
  hasKey: boolean;
  /** Struck out wherever a provider repeats them. */
  secrets: readonly string[];
}

const maxProviderWords = 500;

const unreachable = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'ENETUNREACH',
  'EHOSTUNREACH',
  'ENETDOWN',
  'ECONNABORTED',
  'ETIMEDOUT',
  'UND_ERR_CONNECT_TIMEOUT',
]);

/** The sentence and code for a failed request. Pure; the facts come from {@link factsOf}. */
export function modelFailureOf(facts: RequestFacts, target: RequestTarget): ModelFailure {
  const redactor = createRedactor();
  for (const secret of target.secrets) redactor.add(secret);
  // Struck out before it is cut: half a key would not be known any more.
  const safe = (text: string, maxLength: number): string => plainText(redactor.text(text), maxLength);
  const words = safe(facts.message ?? '', maxProviderWords);
  const said = words === '' ? '' : ` It says: “${words}”`;
  const name = target.providerName;
  const detail = [
    facts.status === undefined ? '' : `HTTP ${facts.status}`,
    facts.kind === undefined ? '' : safe(facts.kind, 100),
    facts.networkCode ?? '',
    facts.retryAfter === undefined ? '' : `Retry-After: ${plainText(facts.retryAfter, 100)}`,
    `Address: ${target.address}`,
    words === '' ? '' : `Message: ${words}`,
  ]
    .filter((line) => line !== '')
    .join('\n');
  const failure = (code: ModelFailureCode, message: string, retryable = false): ModelFailure =>
    new ModelFailure(code, message, { retryable, detail });
  const kind = (facts.kind ?? '').toLowerCase();
  const text = `${kind} ${words.toLowerCase()}`;
  const { status } = facts;

  if (facts.networkCode !== undefined && status === undefined) {
    if (facts.begun || !unreachable.has(facts.networkCode)) {
      return failure('disconnected', `The connection to ${name} broke off in the middle of the answer. Try again.`, true);
    }
    return failure(
      'offline',
      target.local
        ? `${name} does not answer at ${target.address}. Start it, then try again.`
        : `${name} cannot be reached at ${target.address}. Check the internet connection, then try again.`,
      true,
    );
  }
  if (
    status === 401 ||
    status === 403 ||
    /invalid_api_key|authentication_error|permission_error|invalid x-api-key|api key not valid/.test(text)
  ) {
    return target.hasKey
      ? failure('keyWrong', `${name} did not accept the key. Check it in Settings, Models.${status === 403 ? said : ''}`)
      : failure('keyMissing', `${name} needs a key. Add it in Settings, Models.`);
  }
  if (
    status === 402 ||
    /insufficient_quota|insufficient balance|insufficient_balance|credit balance|billing|exceeded your current quota|insufficient credits/.test(
      text,
    )
  ) {
    return failure('quota', `The account at ${name} has no quota or credit left. Add some there, or choose another model.${said}`);
  }
  if (status === 429 || /rate_limit|resource_exhausted/.test(text)) {
    const wait = waitOf(facts.retryAfter);
    return failure(
      'rateLimited',
      `${name} takes no more requests for the moment. ${wait === undefined ? 'Wait a little' : `Wait ${wait}`}, then try again.`,
      true,
    );
  }
  if (
    /context_length|context length|context window|maximum context|prompt is too long|input is too long|too many tokens|exceeds the maximum number of tokens|request_too_large/.test(
      text,
    ) ||
    status === 413
  ) {
    return failure(
      'contextTooLong',
      `The conversation is longer than ${target.modelName} can read. Start a new chat, or choose a model that reads more.`,
    );
  }
  if (status === 404 || /model_not_found|not_found_error/.test(text)) {
    return failure('modelGone', `${name} has no model “${target.modelName}” (any more). Choose another one.${said}`);
  }
  if (status !== undefined && status >= 400 && status < 500 && status !== 408) {
    return failure('refusedRequest', `${name} refused the request.${said}`);
  }
  if (status !== undefined || facts.kind !== undefined || words !== '') {
    const overloaded = status === 503 || status === 529 || /overloaded|unavailable/.test(text);
    return failure(
      'providerError',
      overloaded ? `${name} is overloaded. Try again in a moment.` : `${name} failed while it answered. Try again.${said}`,
      true,
    );
  }
  return failure('disconnected', `The connection to ${name} broke off in the middle of the answer. Try again.`, true);
}

/** Gathers what a thrown value says, through its causes. Reads members only, so that it serves every library's errors. */
export function factsOf(thrown: unknown, begun: boolean): RequestFacts {
  const facts: RequestFacts = { begun };
  const seen = new Set<unknown>();
  for (let at: unknown = thrown; isRecord(at) && !seen.has(at); at = at['lastError'] ?? at['cause']) {
    seen.add(at);
    // A stream that broke off carries the 200 it began with.
    if (typeof at['statusCode'] === 'number' && at['statusCode'] >= 400) facts.status ??= at['statusCode'];
    const headers = at['responseHeaders'];
    if (isRecord(headers) && typeof headers['retry-after'] === 'string') facts.retryAfter ??= headers['retry-after'];
    const provider = providerError(at['data']) ?? providerError(parsed(at['responseBody']));
    facts.message ??= provider?.message;
    facts.kind ??= provider?.kind ?? (typeof at['type'] === 'string' && typeof at['isRetryable'] === 'boolean' ? at['type'] : undefined);
    if (typeof at['code'] === 'string' && /^(E[A-Z_]+|UND_ERR_[A-Z_]+)$/.test(at['code'])) facts.networkCode ??= at['code'];
    if (at instanceof AggregateError) for (const inner of at.errors) facts.networkCode ??= factsOf(inner, begun).networkCode;
  }
  if (facts.message === undefined && facts.networkCode === undefined && thrown instanceof Error) facts.message = thrown.message;
  return facts;
}

/** The error object that providers send: `{error: {message, type | code | status}}`, or flat, or in a list (Gemini). */
function providerError(body: unknown): { message: string | undefined; kind: string | undefined } | undefined {
  const outer = Array.isArray(body) ? body[0] : body;
  if (!isRecord(outer)) return undefined;
  const error = isRecord(outer['error'])
    ? outer['error']
    : isRecord(outer['response']) && isRecord(outer['response']['error'])
      ? outer['response']['error']
      : outer;
  const message = typeof error['message'] === 'string' ? error['message'] : typeof outer['error'] === 'string' ? outer['error'] : undefined;
  const kinds = [error['code'], error['type'], error['status']].filter((kind) => typeof kind === 'string' && kind !== 'error');
  return message === undefined && kinds.length === 0 ? undefined : { message, kind: kinds.length === 0 ? undefined : kinds.join(' ') };
}

function parsed(body: unknown): unknown {
  if (typeof body !== 'string' || !/^\s*[[{]/.test(body)) return undefined;
  try {
    return JSON.parse(body);
  } catch (error) {
    // A body that is no JSON (a proxy's page) says nothing; the status speaks for itself.
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

function waitOf(retryAfter: string | undefined): string | undefined {
  const seconds = Number(retryAfter);
  if (retryAfter === undefined || !Number.isFinite(seconds) || seconds <= 0) return undefined;
  return seconds < 120 ? `${Math.ceil(seconds)} s` : `${Math.ceil(seconds / 60)} min`;
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

import { describe, expect, test } from 'vitest';
import { factsOf, modelFailureOf } from '../../../main/host/model/modelErrors.ts';
import type { RequestFacts } from '../../../main/host/model/modelErrors.ts';
import type { ModelFailureCode } from '../../../main/host/model/model.ts';

const key = 'sk-live-abcdefghijklmnop';
const target = {
  providerName: 'OpenAI',
  modelName: 'gpt-x',
  address: 'https://api.openai.com/v1',
  local: false,
  hasKey: true,
  secrets: [key],
};
const local = { ...target, providerName: 'Ollama', address: 'http://127.0.0.1:11434/v1', local: true, hasKey: false, secrets: [] };

const cases: [string, Partial<RequestFacts>, ModelFailureCode, boolean, string][] = [
  ['a wrong key', { status: 401, kind: 'invalid_api_key' }, 'keyWrong', false, 'did not accept the key'],
  ['a key without rights', { status: 403, message: 'Country not supported' }, 'keyWrong', false, 'Country not supported'],
  [
    'Gemini’s wrong key, which is a 400',
    { status: 400, message: 'API key not valid. Please pass a valid API key.' },
    'keyWrong',
    false,
    'did not accept the key',
  ],
  ['an account without money', { status: 402, message: 'Insufficient Balance' }, 'quota', false, 'no quota or credit'],
  ['a quota used up, which is a 429', { status: 429, kind: 'insufficient_quota' }, 'quota', false, 'no quota or credit'],
  [
    'Anthropic’s empty account, which is a 400',
    { status: 400, message: 'Your credit balance is too low' },
    'quota',
    false,
    'no quota or credit',
  ],
  ['too many requests', { status: 429, retryAfter: '7' }, 'rateLimited', true, 'Wait 7 s'],
  ['too many requests, without a time', { status: 429 }, 'rateLimited', true, 'Wait a little'],
  ['a model that is gone', { status: 404, kind: 'model_not_found' }, 'modelGone', false, 'gpt-x'],
  ['a conversation too long', { status: 400, kind: 'context_length_exceeded' }, 'contextTooLong', false, 'Start a new chat'],
  [
    'a prompt too long, in Anthropic’s words',
    { status: 400, message: 'prompt is too long: 210000 tokens > 200000 maximum' },
    'contextTooLong',
    false,
    'Start a new chat',
  ],
  ['a refused request', { status: 400, message: 'tools.0.name: invalid' }, 'refusedRequest', false, 'tools.0.name: invalid'],
  ['a server error', { status: 500, message: 'oops' }, 'providerError', true, 'failed while it answered'],
  ['an overloaded provider', { status: 529, kind: 'overloaded_error' }, 'providerError', true, 'overloaded'],
  ['no network', { networkCode: 'ENOTFOUND' }, 'offline', true, 'https://api.openai.com/v1'],
  ['nobody listening', { networkCode: 'ECONNREFUSED' }, 'offline', true, 'internet connection'],
  ['a broken connection', { networkCode: 'ECONNRESET' }, 'disconnected', true, 'broke off'],
  ['a connection broken in the middle', { networkCode: 'ETIMEDOUT', begun: true }, 'disconnected', true, 'broke off'],
  ['nothing known at all', {}, 'disconnected', true, 'broke off'],
];

describe('a failed request in words', () => {
  test.each(cases)('%s', (_name, facts, code, retryable, words) => {
    const failure = modelFailureOf({ begun: false, ...facts }, target);
    expect(failure).toMatchObject({ code, retryable });
    expect(failure.message).toContain(words);
  });

  test('without a key, the answer 401 asks for one', () =>
    expect(modelFailureOf({ status: 401, begun: false }, { ...target, hasKey: false }).code).toBe('keyMissing'));

  test('a local runtime that does not run is to be started', () => {
    const failure = modelFailureOf({ networkCode: 'ECONNREFUSED', begun: false }, local);
    expect(failure.message).toBe('Ollama does not answer at http://127.0.0.1:11434/v1. Start it, then try again.');
  });

  test('Retry-After stands in the detail', () =>
    expect(modelFailureOf({ status: 429, retryAfter: '7', begun: false }, target).detail).toContain('Retry-After: 7'));

  test('the provider’s words are bounded and hold no key, also where the bound would have cut it in two', () => {
    for (const before of [0, 480, 490]) {
      const message = `${'x '.repeat(before / 2)}${key} Bearer abcdefghijkl ${'x'.repeat(5000)}`;
      const failure = modelFailureOf({ status: 400, message, begun: false }, target);
      for (const text of [failure.message, failure.detail ?? '']) {
        expect(text.length).toBeLessThan(1500);
        expect(text).not.toMatch(/sk-live|abcdefgh/);
      }
    }
  });

  test('a key of no known form is struck out too', () => {
    const failure = modelFailureOf({ status: 400, message: 'the key 4f9a2c77 is odd', begun: false }, { ...target, secrets: ['4f9a2c77'] });
    expect(failure.message).toContain('the key [removed] is odd');
  });
});

describe('what is read from thrown values', () => {
  test('status, words and kind from a body, in each provider’s form', () => {
    const body = (responseBody: unknown) =>
      factsOf({ statusCode: 400, responseBody: JSON.stringify(responseBody), responseHeaders: { 'retry-after': '3' } }, false);
    expect(body({ error: { message: 'm', type: 't', code: 'c' } })).toMatchObject({
      status: 400,
      message: 'm',
      kind: 'c t',
      retryAfter: '3',
    });
    expect(body({ type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } })).toMatchObject({
      message: 'Overloaded',
      kind: 'overloaded_error',
    });
    expect(body([{ error: { code: 429, message: 'Quota', status: 'RESOURCE_EXHAUSTED' } }])).toMatchObject({
      message: 'Quota',
      kind: 'RESOURCE_EXHAUSTED',
    });
    expect(body({ error: 'model "x" not found' })).toMatchObject({ message: 'model "x" not found' });
  });

  test('a network code from deep inside, also of several addresses tried', () => {
    const refused = Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' });
    expect(factsOf(new TypeError('fetch failed', { cause: refused }), false).networkCode).toBe('ECONNREFUSED');
    expect(factsOf(new TypeError('fetch failed', { cause: new AggregateError([refused]) }), false).networkCode).toBe('ECONNREFUSED');
  });

  test('a page that is no JSON, and causes in a circle, do no harm', () => {
    expect(factsOf({ statusCode: 502, responseBody: '<html>Bad gateway</html>' }, false)).toMatchObject({
      status: 502,
      message: undefined,
    });
    const circle = new Error('round');
    circle.cause = circle;
    expect(factsOf(circle, false).message).toBe('round');
  });
});

import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createRedactor } from '../../../main/host/redact.ts';
import { redactHeaders, redactUrl } from '../../../main/host/trace/redactEnvelope.ts';
import { redactMessage } from '../../../main/host/trace/redactMessage.ts';

const nothingKnown = createRedactor();

test.each([
  ['a telling name', '{"password": "x", "n": 1}', '{"password": "[removed]", "n": 1}'],
  ['a number under a telling name', '{"api_key":1234,"b":2}', '{"api_key":"[removed]","b":2}'],
  ['an object under a telling name is looked into', '{"token":{"type":"string","value":"v"}}', '{"token":{"type":"string","value":"v"}}'],
  [
    'the state of a round',
    '{"result":{"requestState":"abc","inputRequests":{}}}',
    '{"result":{"requestState":"[removed]","inputRequests":{}}}',
  ],
  ['the handle of a task, wherever it stands', '{"params":{"taskId":"t-1"}}', '{"params":{"taskId":"[removed]"}}'],
  ['a bearer token in a text', '{"text":"say Bearer abcdefgh12 to it"}', '{"text":"say Bearer [removed] to it"}'],
  ['a name and a value inside a text with JSON', '{"text":"{\\"token\\":\\"abcdef\\"}"}', '{"text":"{\\"token\\":\\"[removed]\\"}"}'],
  ['a message that breaks off in the secret', '{"access_token":"half a secr', '{"access_token":"[removed]'],
  ['a line that is no JSON', 'starting with token=abcdefgh', 'starting with token=[removed]'],
  ['a progress token only counts', '{"_meta":{"progressToken":4}}', '{"_meta":{"progressToken":4}}'],
  ['a code of the protocol', '{"error":{"code":-32601,"message":"no"}}', '{"error":{"code":-32601,"message":"no"}}'],
  ['blanks and order stay', '{ "b" : [ 1 , "x" ],\n"a":null }', '{ "b" : [ 1 , "x" ],\n"a":null }'],
])('a message loses its secrets and nothing else: %s', (_what, message, expected) => {
  expect(redactMessage(message, nothingKnown)).toBe(expected);
});

test('what was told to be secret goes wherever it stands and however it is escaped, and the message stays JSON', () => {
  fc.assert(
    fc.property(
      fc.string({ minLength: 6, unit: 'binary' }).filter((secret) => secret.trim().length >= 6 && secret.isWellFormed()),
      fc.json(),
      (secret, around) => {
        const redactor = createRedactor();
        redactor.add(secret);
        const message = JSON.stringify({ text: `before ${secret} after`, [`key ${secret}`]: JSON.parse(around) });
        const redacted: unknown = JSON.parse(redactMessage(message, redactor));
        expect(JSON.stringify(redacted)).not.toContain(JSON.stringify(secret).slice(1, -1));
      },
    ),
    { numRuns: 200 },
  );
});

test.each([
  ['what was told to be secret', '{"text":"it is ca\\u006eary-of-the-key"}'],
  ['what looks like a secret', '{"text":"\\u0073k-canary-of-the-key"}'],
  ['a password in an address', '{"text":"https:\\/\\/ada:canary-of-the-key@a.example"}'],
  ['a telling name', '{"pass\\u0077ord":"canary-of-the-key"}'],
  ['a handle of the protocol', '{"request\\u0053tate":"canary-of-the-key"}'],
])('a server that escapes what needs no escape hides nothing behind it: %s', (_what, message) => {
  const redactor = createRedactor();
  redactor.add('it is canary-of-the-key');
  const shown = redactMessage(message, redactor);
  expect(JSON.stringify(JSON.parse(shown))).not.toContain('canary');
});

test('a message without secrets comes out to the character', () => {
  fc.assert(
    fc.property(fc.array(fc.oneof(fc.integer(), fc.boolean(), fc.constant(null), fc.string({ maxLength: 7 }))), (values) => {
      const message = JSON.stringify({ jsonrpc: '2.0', id: 1, result: { values } });
      expect(redactMessage(message, nothingKnown)).toBe(message);
    }),
    { numRuns: 200 },
  );
});

test('of headers only what tells about the exchange is kept; of addresses nothing that could be a key', () => {
  const headers = new Headers({
    Accept: 'application/json',
    Authorization: 'Bearer abc',
    'X-Api-Key': 'k',
    'Mcp-Session-Id': 's',
    'Mcp-Method': 'tools/call',
    'Mcp-Name': 'echo',
    Location: 'https://a.example/cb?code=1',
  });
  expect(Object.fromEntries(redactHeaders(headers, nothingKnown))).toEqual({
    accept: 'application/json',
    authorization: '[removed]',
    'x-api-key': '[removed]',
    'mcp-session-id': '[removed]',
    'mcp-method': 'tools/call',
    'mcp-name': 'echo',
    location: 'https://a.example/cb?code=[removed]',
  });
  expect(
    Object.fromEntries(redactHeaders(new Headers({ 'Mcp-Method': 'tasks/get', 'Mcp-Name': 'task-1' }), nothingKnown))['mcp-name'],
  ).toBe('[removed]');
  expect(redactUrl('https://name:word@a.example:1/mcp?key=abc&b=2#frag', nothingKnown)).toBe(
    'https://a.example:1/mcp?key=[removed]&b=[removed]',
  );
});

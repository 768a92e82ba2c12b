import { expect, test } from 'vitest';
import { asksForSignIn, challengeOf, parseChallenges } from '../../../main/host/auth/challenge.ts';

const parsed = (header: string) => parseChallenges(header).map(({ scheme, params }) => [scheme, Object.fromEntries(params)]);

// A1: several challenges, quoted strings, any case, in one header (RFC 9110 §11.6.1).
test.each([
  ['Bearer', [['bearer', {}]]],
  [
    'Bearer, DPoP',
    [
      ['bearer', {}],
      ['dpop', {}],
    ],
  ],
  ['Bearer realm="x"', [['bearer', { realm: 'x' }]]],
  ['BEARER Realm = "a, b" , SCOPE="one two"', [['bearer', { realm: 'a, b', scope: 'one two' }]]],
  [String.raw`Bearer error_description="say \"hi\", then \\ go"`, [['bearer', { error_description: String.raw`say "hi", then \ go` }]]],
  [
    'Basic realm="x", Bearer scope=one, error=invalid_token',
    [
      ['basic', { realm: 'x' }],
      ['bearer', { scope: 'one', error: 'invalid_token' }],
    ],
  ],
  [
    'Negotiate dG9rZW4=, Bearer scope="a"',
    [
      ['negotiate', {}],
      ['bearer', { scope: 'a' }],
    ],
  ],
  [
    'Bearer resource_metadata=https://a.example/.well-known/x?y=1',
    [['bearer', { resource_metadata: 'https://a.example/.well-known/x?y=1' }]],
  ],
  ['Bearer scope="first", scope="second"', [['bearer', { scope: 'first' }]]],
  ['', []],
  [',,,', []],
  ['"nonsense', []],
])('the challenges of %s are read', (header, expected) => {
  expect(parsed(header)).toEqual(expected);
});

const answer = (status: number, header?: string) =>
  new Response(null, { status, ...(header === undefined ? {} : { headers: { 'www-authenticate': header } }) });

test('of several challenges the one with an address of metadata counts, whatever its place', () => {
  expect(challengeOf(answer(401, 'Basic realm="x", Bearer scope="a", DPoP resource_metadata="https://b.example/"'))).toEqual({
    status: 401,
    resourceMetadata: 'https://b.example/',
  });
});

test('every 401 asks for a sign-in, a 403 only for missing permissions, nothing else does', () => {
  const asks = (response: Response) => {
    const challenge = challengeOf(response);
    return challenge !== undefined && asksForSignIn(challenge);
  };
  expect(asks(answer(401))).toBe(true);
  expect(asks(answer(403))).toBe(false);
  expect(asks(answer(403, 'Bearer error="invalid_token"'))).toBe(false);
  expect(asks(answer(403, 'Bearer error="insufficient_scope", scope="a"'))).toBe(true);
  expect(asks(answer(200, 'Bearer error="insufficient_scope"'))).toBe(false);
});

import { expect, test } from 'vitest';
import { Grant } from '../../../main/host/auth/authRecords.ts';
import { createDpopKeys } from '../../../main/host/auth/dpopKeys.ts';

const metadata = (algorithms?: string[]) => ({
  issuer: 'https://auth.example.com',
  authorization_endpoint: 'https://auth.example.com/authorize',
  token_endpoint: 'https://auth.example.com/token',
  response_types_supported: ['code'],
  ...(algorithms ? { dpop_signing_alg_values_supported: algorithms } : {}),
});

test('a pair of keys is made only where the authorization server binds tokens with it', async () => {
  expect(await createDpopKeys().make(undefined)).toBeUndefined();
  expect(await createDpopKeys().make(metadata())).toBeUndefined();
  expect(await createDpopKeys().make(metadata(['RS256']))).toBeUndefined();
  expect(await createDpopKeys().make(metadata(['ES256']))).toBeDefined();
});

test('a pair of keys that was kept signs for the same key after a restart (RFC 9449)', async () => {
  const made = await createDpopKeys().make(metadata(['ES256']));
  const grant = Grant.parse(
    JSON.parse(
      JSON.stringify({
        signInId: '1',
        issuer: 'https://auth.example.com',
        serverUrl: 'https://mcp.example.com/mcp',
        accessToken: 'x',
        tokenType: 'DPoP',
        client: { kind: 'document', clientId: 'https://maitre.example/client.json' },
        dpop: made?.kept,
      }),
    ),
  );
  const keys = createDpopKeys();
  const session = await keys.sessionOf(grant);
  expect(session?.thumbprint).toBe(made?.session.thumbprint);
  expect(await keys.sessionOf(grant)).toBe(session);
  const proof = (await session?.buildProof({ htm: 'POST', htu: 'https://mcp.example.com/mcp', accessToken: 'x' })) ?? '';
  const [header = '', payload = '', signature = ''] = proof.split('.');
  const publicKey = await crypto.subtle.importKey('jwk', { ...made?.kept.publicJwk }, { name: 'ECDSA', namedCurve: 'P-256' }, false, [
    'verify',
  ]);
  const valid = await crypto.subtle.verify(
    { name: 'ECDSA', hash: 'SHA-256' },
    publicKey,
    Buffer.from(signature, 'base64url'),
    Buffer.from(`${header}.${payload}`),
  );
  expect(valid).toBe(true);
});

import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import type { ClientRecord } from '../../../main/host/auth/authRecords.ts';
import { discoverAuthority } from '../../../main/host/auth/discovery.ts';
import { callbackPath } from '../../../main/host/auth/loopbackListener.ts';
import { clientFor, clientName } from '../../../main/host/auth/registration.ts';
import { typedHostOf } from '../../../main/host/net/addressPolicy.ts';
import { createGuardedFetch } from '../../../main/host/net/guardedFetch.ts';
import type { AuthServerOptions } from '../../servers/authServer.ts';
import { authServer, protectedServer } from './signInWorld.ts';

const redirectUri = 'http://127.0.0.1:1234/callback';
const ours = 'https://maitre.example/client.json';
const takesDocuments = () => ({ client_id_metadata_document_supported: true });

async function clientAt(options: AuthServerOptions, known?: ClientRecord, documentUrl: string | undefined = ours) {
  const auth = await authServer(options);
  const server = await protectedServer(auth);
  const fetch = createGuardedFetch({ typed: typedHostOf(server.url) });
  const authority = await discoverAuthority(server.url, undefined, { fetch, preferredIssuer: undefined });
  const client = clientFor(authority, {
    known,
    documentUrl,
    redirectUri,
    scope: 'a b',
    fetch,
    now: 1_000_000,
  });
  return { client, auth };
}

const registered = (more: Partial<Extract<ClientRecord, { kind: 'registered' }>> = {}): ClientRecord => ({
  kind: 'registered',
  clientId: 'old',
  redirectUri,
  ...more,
});

test('what is known is used, then the document, then a registration, and the person is asked last (3.2)', async () => {
  const person: ClientRecord = { kind: 'person', clientId: 'mine' };
  expect(await (await clientAt({ metadata: takesDocuments }, person)).client).toBe(person);

  const document = await clientAt({ metadata: takesDocuments });
  expect(await document.client).toEqual({ kind: 'document', clientId: ours });
  expect(document.auth.at('/register')).toEqual([]);

  const dynamic = await clientAt({});
  expect(await dynamic.client).toMatchObject({ kind: 'registered', redirectUri });
  expect(JSON.parse(dynamic.auth.at('/register')[0]?.body ?? '{}')).toMatchObject({
    client_name: clientName,
    application_type: 'native',
    redirect_uris: [redirectUri],
    grant_types: ['authorization_code', 'refresh_token'],
    scope: 'a b',
  });

  await expect((await clientAt({ registration: 'none' })).client).rejects.toMatchObject({ needsClient: true });
});

test('without a published document, an authorization server that would take one gets a registration', async () => {
  const auth = await authServer({ metadata: takesDocuments });
  const server = await protectedServer(auth);
  const fetch = createGuardedFetch({ typed: typedHostOf(server.url) });
  const authority = await discoverAuthority(server.url, undefined, { fetch, preferredIssuer: undefined });
  const client = await clientFor(authority, {
    known: undefined,
    documentUrl: undefined,
    redirectUri,
    scope: undefined,
    fetch,
    now: 0,
  });
  expect(client.kind).toBe('registered');
});

test('a registration is used again for the same redirect address as long as its secret holds', async () => {
  const fresh = registered({ secretExpiresAt: 2_000_000 });
  expect(await (await clientAt({}, fresh)).client).toBe(fresh);
  const elsewhere = registered({ redirectUri: 'http://127.0.0.1:9/callback' });
  expect(await (await clientAt({}, elsewhere)).client).not.toMatchObject({ clientId: 'old' });
  const ended = registered({ secretExpiresAt: 1_000_001 });
  expect(await (await clientAt({}, ended)).client).not.toMatchObject({ clientId: 'old' });
});

test('a refused registration says what to do', async () => {
  await expect((await clientAt({ registration: 'refused' })).client).rejects.toMatchObject({
    needsClient: true,
    message: expect.stringMatching(/refused to register Maitre \(HTTP status 400\)\. Make a client for it there/),
    detail: expect.stringContaining('invalid_redirect_uri'),
  });
});

test('the document about this application says what it does', () => {
  const document: unknown = JSON.parse(readFileSync(new URL('../../../docs/client-metadata.json', import.meta.url), 'utf8'));
  expect(document).toMatchObject({
    client_name: clientName,
    application_type: 'native',
    redirect_uris: [`http://127.0.0.1${callbackPath}`],
    grant_types: ['authorization_code', 'refresh_token'],
    token_endpoint_auth_method: 'none',
  });
});

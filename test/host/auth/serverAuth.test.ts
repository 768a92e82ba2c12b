import { expect, onTestFinished, test } from 'vitest';
import { authRecords, type Grant } from '../../../main/host/auth/authRecords.ts';
import { createIdentities } from '../../../main/host/auth/identities.ts';
import { createServerAuth } from '../../../main/host/auth/serverAuth.ts';
import { createSecrets, type Secrets } from '../../../main/host/store/secrets.ts';
import { handClock, memoryKeychain, rememberingLog, tempDatabase } from '../../doubles/hostParts.ts';

const url = 'https://mcp.example.com/mcp';
const grant: Grant = {
  signInId: '1',
  issuer: 'https://auth.example.com',
  serverUrl: url,
  accessToken: 'canary-token',
  tokenType: 'Bearer',
  client: { kind: 'document', clientId: 'https://maitre.example/client.json' },
};

async function secretsWith(owner: string): Promise<Secrets> {
  const log = rememberingLog();
  const secrets = createSecrets(tempDatabase().db, memoryKeychain(), { ids: () => 'key', clock: handClock(), log });
  await authRecords(secrets, owner, log).keepGrant(grant);
  return secrets;
}

function authOf(owner: string, secrets: Secrets) {
  const auth = createServerAuth({
    owner,
    serverName: () => 'Server',
    secrets,
    identities: createIdentities({ secrets, clock: handClock(), log: rememberingLog() }),
    clock: handClock(),
    log: rememberingLog(),
    onAccount: () => undefined,
    openUrl: async () => undefined,
    clientMetadataUrl: undefined,
    onChange: () => undefined,
    onSignedIn: () => undefined,
  });
  onTestFinished(() => auth.close());
  return auth;
}

/** What the requests to these addresses carry. */
async function tokensTo(auth: ReturnType<typeof authOf>, serverUrl: string, ...addresses: string[]): Promise<(string | null)[]> {
  const seen: (string | null)[] = [];
  const base: typeof fetch = async (_input, init) => {
    seen.push(new Headers(init?.headers).get('authorization'));
    return new Response('{}');
  };
  const authorized = auth.authorize(base, serverUrl, () => undefined);
  for (const address of addresses) await authorized(address);
  return seen;
}

test('a token goes to the origin of its server and to no other (A13, S1)', async () => {
  const secrets = await secretsWith('server:1');
  const others = [
    'https://mcp.example.com:8443/mcp',
    'http://mcp.example.com/mcp',
    'https://evil.example/mcp',
    'https://mcp.example.com.evil.example/',
  ];
  expect(await tokensTo(authOf('server:1', secrets), url, `${url}/x`, ...others)).toEqual(['Bearer canary-token', null, null, null, null]);
});

test('a server that was given another address does not get the token of the old one, nor does another server', async () => {
  const secrets = await secretsWith('server:1');
  const moved = 'https://moved.example.com/mcp';
  expect(await tokensTo(authOf('server:1', secrets), moved, moved)).toEqual([null]);
  expect(await tokensTo(authOf('server:2', secrets), url, url)).toEqual([null]);
});

/**
 * An authorization server that names the page of another one, which knows the person already and sends no `iss`: the code that this one
 * gives ends at the token endpoint of the first, which can trade it for what the person has elsewhere (mix-up, RFC 9207 §1).
 */
import { expect, test } from 'vitest';
import type { Server } from '../../../preload/contract/servers.ts';
import { authServer, isReady, protectedServer, signInWorld, wantsSignIn } from './signInWorld.ts';

const wordsOf = ({ status }: Server): string => (status.state === 'needsSignIn' ? (status.words ?? '') : status.state);

async function twoPlaces() {
  const honest = await authServer();
  let page = 'honest';
  const thief = await authServer({
    metadata: (origin) => ({ authorization_endpoint: `${page === 'honest' ? honest.origin : origin}/authorize` }),
  });
  const server = await protectedServer(thief);
  const world = await signInWorld();
  return { honest, thief, server, world, show: (which: 'honest' | 'own') => (page = which) };
}

const hostOf = ({ origin }: { origin: string }): string => new URL(origin).host;

test('where the page belongs to another place than the server named, both are told before it opens, and who gets what is allowed there', async () => {
  const { honest, thief, server, world } = await twoPlaces();
  const id = await world.add(server.url);
  const waiting = await world.when(id, wantsSignIn);
  expect(wordsOf(waiting)).toBe(
    `${hostOf(honest)} will ask you to sign in for "Server ${server.url.split(':').at(-1)}". The server named ` +
      `${hostOf(thief)} for this, which sends you on to ${hostOf(honest)}: what you allow there is handed to ${hostOf(thief)}, so go on only if you trust ${hostOf(thief)} with it.`,
  );
  expect(waiting.status).toMatchObject({ issuer: thief.issuer, page: { host: hostOf(honest), receiver: hostOf(thief) } });
  expect(world.opened).toEqual([]);
  // What the person would have lost without knowing: the code of the honest place.
  await world.host.run('server.signIn', { serverId: id });
  await expect.poll(() => thief.at('/token').some(({ body }) => honest.secrets.some((secret) => body.includes(secret)))).toBe(true);
});

test('a page that became another one after the words were read is not opened before these are told anew', async () => {
  const { honest, server, world, show } = await twoPlaces();
  show('own');
  const id = await world.add(server.url);
  expect((await world.when(id, wantsSignIn)).status).not.toHaveProperty('page');
  show('honest');
  const refused = await world.host.refused('server.signIn', { serverId: id });
  expect(refused).toMatchObject({ code: 'serverFailed', message: expect.stringContaining(`sends you on to ${hostOf(honest)}`) });
  expect(world.opened).toEqual([]);
  expect(wordsOf(await world.when(id, wantsSignIn))).toContain(`sends you on to ${hostOf(honest)}`);
  show('own');
  await world.host.run('server.signIn', { serverId: id });
  await world.when(id, isReady);
});

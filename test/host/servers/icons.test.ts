import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import type { EventMessage } from '../../../preload/contract/events.ts';
import type { ServerId } from '../../../preload/contract/ids.ts';
import type { ServerDetails } from '../../../preload/contract/servers.ts';
import { serveHttps } from '../../doubles/httpsServer.ts';
import { dataUrl, gif, jpeg, png, svg, webp } from '../../doubles/pictures.ts';
import type { TestHost } from '../../doubles/testHost.ts';
import { pictured, type Pictures } from '../../servers/pictures.ts';
import { addLocal, addRemote, featureWorld } from '../featureWorld.ts';
import { folder, testServer } from '../mcp/harness.ts';

/** Agrees to all that it defines. */
async function agree(host: TestHost, serverId: ServerId): Promise<void> {
  const { toReview } = (await detailsOf(host, serverId)).server;
  if (toReview) await host.run('definition.accept', { serverId, seen: toReview.seen });
}
const detailsOf = async (host: TestHost, serverId: ServerId): Promise<ServerDetails> =>
  (await host.run('server.details', { serverId })).details;
const read = async (host: TestHost, serverId: ServerId, icon: string | undefined, theme: 'light' | 'dark' = 'light') =>
  icon === undefined ? undefined : (await host.run('server.icon', { serverId, icon, theme })).dataUrl;
const iconOf = (details: ServerDetails, tool: string) => details.tools.find(({ name }) => name === tool)?.icon;
const bytesOf = (shown: string | undefined) => Buffer.from(shown?.split(',')[1] ?? '', 'base64');
const written = (pictures: Pictures): string => {
  const file = path.join(folder(), 'pictures.json');
  writeFileSync(file, JSON.stringify(pictures));
  return file;
};

const drawing = svg('<path d="M0 0h24v24z"/>');
const offered: Pictures = {
  // As early drafts had it: one string.
  server: [{ src: dataUrl('image/png', png(48)), mimeType: 'image/png', sizes: '48x48' }],
  tools: {
    themed: [
      { src: dataUrl('image/webp', webp.lossy), theme: 'light' },
      { src: dataUrl('image/jpeg', jpeg), theme: 'dark' },
    ],
    drawn: [{ src: `data:image/svg+xml,${encodeURIComponent(drawing)}`, sizes: ['any'] }],
    secondBest: [{ src: dataUrl('image/gif', gif), sizes: ['48x48'] }, { src: dataUrl('image/png', png(9)) }],
    remote: [{ src: 'https://icons.example/i.png' }],
    alsoRemote: [{ src: 'https://icons.example/j.png' }],
    script: [{ src: 'javascript:alert(1)' }],
    living: [{ src: dataUrl('image/svg+xml', svg('<script>alert(1)</script>')) }],
    nonsense: { src: 'no list' },
    wrong: [42, { href: 'x' }],
    plain: null,
  },
  prompt: [{ src: dataUrl('image/png', png(10)) }],
  resource: [{ src: dataUrl('image/png', png(11)) }],
  template: [{ src: dataUrl('image/png', png(12)) }],
};

test.each(['legacy', 'modern'] as const)(
  'a program, %s: icons of all five kinds are shown from what it says; a bad one costs nothing but itself and is a warning (§2.14)',
  async (era) => {
    const host = await featureWorld().start();
    const serverId = await addLocal(host, 'Kitchen', [testServer('pictures'), written(offered), era]);
    await agree(host, serverId);
    const details = await detailsOf(host, serverId);
    expect(details.server).toMatchObject({ reported: { name: 'pictured' }, protocol: { era } });
    expect(details.tools.map(({ name }) => name)).toEqual(Object.keys(offered.tools ?? {}));
    expect(JSON.stringify([details, host.events])).not.toContain('base64');

    expect(bytesOf(await read(host, serverId, details.server.icon))).toEqual(png(48));
    expect(await read(host, serverId, iconOf(details, 'themed'), 'light')).toBe(dataUrl('image/webp', webp.lossy));
    expect(await read(host, serverId, iconOf(details, 'themed'), 'dark')).toBe(dataUrl('image/jpeg', jpeg));
    expect(await read(host, serverId, iconOf(details, 'drawn'))).toBe(dataUrl('image/svg+xml;charset=utf-8', drawing));
    expect(bytesOf(await read(host, serverId, iconOf(details, 'secondBest')))).toEqual(png(9));
    expect(bytesOf(await read(host, serverId, details.prompts[0]?.icon))).toEqual(png(10));
    expect(bytesOf(await read(host, serverId, details.resources[0]?.icon))).toEqual(png(11));
    expect(bytesOf(await read(host, serverId, details.templates?.[0]?.icon))).toEqual(png(12));

    // What is never read has no key; what proved bad has none to show for it.
    for (const tool of ['remote', 'script', 'nonsense', 'wrong', 'plain']) expect(iconOf(details, tool)).toBeUndefined();
    const before = host.events.length;
    expect(await read(host, serverId, iconOf(details, 'living'))).toBeUndefined();
    expect(await read(host, serverId, 'no such key')).toBeUndefined();
    const { warnings } = await detailsOf(host, serverId);
    expect(warnings).toEqual([
      expect.stringMatching(/^The icons of the tool remote and 1 more cannot be shown: it lies at https:\/\/icons\.example, and a program/),
      expect.stringMatching(/^The icon of the tool script cannot be shown: it lies at an address that begins with javascript:/),
      'The icon of the tool living cannot be shown: it is an SVG with the part "script", which is not shown.',
      'The icon of the tool wrong cannot be shown: it is described in a form that is not allowed.',
    ]);
    // Whoever shows the server hears that there is something new to be seen.
    const isChange = (message: EventMessage) => message.topic === 'servers' && message.event.type === 'server.changed';
    await expect.poll(() => host.events.slice(before).some(isChange)).toBe(true);
  },
);

/** A modern server over https, and what was asked of it, MCP aside. */
async function overHttps(pictures: (origin: string) => Pictures): Promise<{ origin: string; asked: string[] }> {
  const asked: string[] = [];
  const origin: string = await serveHttps((request, response) => {
    if (request.method === 'GET' && request.url !== '/mcp') {
      asked.push(`${request.url} ${request.headers.authorization ?? request.headers.cookie ?? 'plain'}`);
      const body = request.url === '/broken.png' ? Buffer.from('<html>') : png(request.url?.startsWith('/tool.png') ? 24 : 32);
      return void response.writeHead(200, { 'content-type': 'image/png' }).end(body);
    }
    let text = '';
    request.on('data', (chunk: Buffer) => (text += chunk.toString()));
    request.on('end', () => {
      if (request.method !== 'POST') return void response.writeHead(405).end();
      const { id, method } = JSON.parse(text);
      const result = pictured(pictures(origin), 'modern', method);
      response
        .writeHead(result ? 200 : 404, { 'content-type': 'application/json' })
        .end(JSON.stringify({ jsonrpc: '2.0', id, ...(result ? { result } : { error: { code: -32601, message: 'Method not found' } }) }));
    });
  });
  return { origin, asked };
}

test('over https: a picture is read when it is first shown, without what the server is sent, is noted, and is kept (§2.14)', async () => {
  const { origin, asked } = await overHttps((own) => ({
    server: [{ src: `${own}/server.png` }],
    tools: {
      own: [{ src: `${own}/tool.png` }],
      bad: [{ src: `${own}/broken.png` }],
      late: [{ src: `${own}/tool.png?late` }],
      foreign: [{ src: 'https://elsewhere.example/i.png' }],
      open: [{ src: own.replace('https:', 'http:') }],
    },
  }));
  const world = featureWorld();
  const host = await world.start();
  const serverId = await addRemote(host, 'Kitchen', `${origin}/mcp`, { headers: { Authorization: 'Bearer of-the-person' } });
  const details = await detailsOf(host, serverId);
  const { icon } = details.server;
  // Nothing is asked for before somebody looks.
  expect(asked).toEqual([]);

  const twice = await Promise.all([read(host, serverId, icon), read(host, serverId, icon)]);
  expect(twice.map((shown) => bytesOf(shown).equals(png(32)))).toEqual([true, true]);
  expect(bytesOf(await read(host, serverId, iconOf(details, 'own')))).toEqual(png(24));
  expect(await read(host, serverId, iconOf(details, 'bad'))).toBeUndefined();
  expect(await read(host, serverId, iconOf(details, 'bad'))).toBeUndefined();
  expect(asked).toEqual(['/server.png plain', '/tool.png plain', '/broken.png plain']);
  const { warnings, log } = await detailsOf(host, serverId);
  expect(warnings).toEqual([
    expect.stringContaining('The icon of the tool bad cannot be shown: '),
    expect.stringContaining(
      'The icon of the tool foreign cannot be shown: it lies at https://elsewhere.example, which is not where the server is',
    ),
    expect.stringContaining('The icon of the tool open cannot be shown: it lies at an address that begins with http:'),
  ]);
  expect(log.map(({ text }) => text)).toEqual(
    expect.arrayContaining([
      `A picture was read from ${origin}/server.png (image/png, 32 × 32, 1 kB).`,
      expect.stringContaining(`A picture at ${origin}/broken.png was asked for and is not shown: `),
    ]),
  );

  // Off, and at the next start before it is connected, the kept one is shown and nothing is asked for.
  await host.run('server.setEnabled', { serverId, enabled: false });
  expect(bytesOf(await read(host, serverId, icon))).toEqual(png(32));
  expect(await read(host, serverId, iconOf(details, 'late'))).toBeUndefined();
  await host.close();
  const again = await world.start();
  expect((await detailsOf(again, serverId)).server.icon).toBe(icon);
  expect(bytesOf(await read(again, serverId, icon))).toEqual(png(32));
  expect(await read(again, serverId, iconOf(details, 'bad'))).toBeUndefined();
  expect(asked).toHaveLength(3);
  await again.run('server.setEnabled', { serverId, enabled: true });
  await again.serversReady();
  expect(bytesOf(await read(again, serverId, iconOf(details, 'late')))).toEqual(png(24));
});

test('before the person has agreed to a server, and for a server that is gone, there is no picture', async () => {
  const { origin, asked } = await overHttps((own) => ({ server: [{ src: `${own}/server.png` }] }));
  const host = await featureWorld().start();
  const { server } = await host.run('server.add', { name: 'Kitchen', config: { url: `${origin}/mcp` } });
  expect(server.icon).toBeUndefined();
  expect(await read(host, server.id, 'any')).toBeUndefined();
  await host.run('server.remove', { serverId: server.id });
  expect(await host.refused('server.icon', { serverId: server.id, icon: 'any', theme: 'light' })).toMatchObject({ code: 'notFound' });
  expect(asked).toEqual([]);
});

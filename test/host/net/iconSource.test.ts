import type { IncomingHttpHeaders, OutgoingHttpHeaders } from 'node:http';
import { expect, test } from 'vitest';
import { typedHostOf } from '../../../main/host/net/addressPolicy.ts';
import { createGuardedFetch } from '../../../main/host/net/guardedFetch.ts';
import { maxIconBytes } from '../../../main/host/net/iconPicture.ts';
import { byFitness, type DeclaredIcon, declaredIcons, readIcon, sourceProblem } from '../../../main/host/net/iconSource.ts';
import { serveHttps } from '../../doubles/httpsServer.ts';
import { dataUrl, gif, png, svg } from '../../doubles/pictures.ts';

const icon = (src: string, mimeType?: string): DeclaredIcon => ({ src, mimeType, sides: [] });
const never = new AbortController().signal;

test('icons are read as declared, sizes also as one string; what is none costs the others nothing (§2.14)', () => {
  const declared = declaredIcons([
    { src: 'a', sizes: ['48x48', '96X96'], theme: 'dark', mimeType: 'image/png' },
    { src: 'b', sizes: '16x16 32x24' },
    { src: 'c', sizes: ['any', 7, 'huge', '1e3x9'], theme: 'sepia', mimeType: 5 },
    { src: 7 },
    'data:image/png;base64,',
    null,
  ]);
  expect(declared).toEqual([
    { src: 'a', sides: [48, 96], theme: 'dark', mimeType: 'image/png' },
    { src: 'b', sides: [16, 24] },
    { src: 'c', sides: ['any'] },
  ]);
  expect(declaredIcons(Array.from({ length: 100 }, () => ({ src: 'a' })))).toHaveLength(16);
});

test('the icon for the theme comes first, then one that fits any; of those the smallest that is large enough (§2.14)', () => {
  const icons = declaredIcons([
    { src: 'dark', theme: 'dark' },
    { src: 'small', sizes: ['16x16'] },
    { src: 'large', sizes: ['512x512'] },
    { src: 'unknown' },
    { src: 'right', sizes: ['64x64'] },
    { src: 'light small', theme: 'light', sizes: ['32x32'] },
    { src: 'light any', theme: 'light', sizes: 'any' },
  ]);
  const order = (theme: 'light' | 'dark') => byFitness(icons, theme, 48).map(({ src }) => src);
  expect(order('light')).toEqual(['light any', 'light small', 'right', 'large', 'unknown', 'small', 'dark']);
  expect(order('dark')[0]).toBe('dark');
  expect(order('dark').slice(-2)).toEqual(['light any', 'light small']);
});

test.each([
  ['data:image/png;base64,AAAA', true],
  ['DATA:image/png,AAAA', true],
  ['https://kitchen.example/i.png', true],
  ['https://KITCHEN.example:443/i.png', true],
  ['https://cdn.kitchen.example/i.png', false],
  ['https://kitchen.example:8443/i.png', false],
  ['http://kitchen.example/i.png', false],
  ['https://user:pass@kitchen.example/i.png', false],
  ['//kitchen.example/i.png', false],
  ['/i.png', false],
  ['javascript:alert(1)', false],
  ['file:///etc/passwd', false],
  ['ftp://kitchen.example/i.png', false],
  ['wss://kitchen.example/i.png', false],
  ['blob:https://kitchen.example/1', false],
  ['app://maitre/i.png', false],
  [`data:image/png;base64,${'A'.repeat(400_000)}`, false],
  [`https://kitchen.example/${'a'.repeat(3000)}`, false],
])('of a server at https://kitchen.example, %s is read: %s (§2.14)', (src, isRead) => {
  expect(sourceProblem(src, 'https://kitchen.example') === undefined).toBe(isRead);
});

test('a program has no origin: only what it says itself is its picture (§2.14)', () => {
  expect(sourceProblem(dataUrl('image/png', png()), undefined)).toBeUndefined();
  expect(sourceProblem('https://kitchen.example/i.png', undefined)).toContain('data:');
});

test.each([
  ['base64', dataUrl('image/png', png()), undefined],
  [
    'base64 in percent signs',
    encodeURI(dataUrl('image/png', png())).replaceAll('+', '%2B').replaceAll('/', '%2F').replace('image%2Fpng', 'image/png'),
    undefined,
  ],
  ['percent signs', `data:image/svg+xml,${encodeURIComponent(svg('<g/>'))}`, undefined],
  ['plain text', `data:image/svg+xml;charset=utf-8,${svg('<g/>').replaceAll('#', '%23')}`, undefined],
  ['the usual wrong name of JPEG is another matter', dataUrl('image/jpg', png()), 'image/jpeg'],
  ['the type of another picture', dataUrl('image/webp', png()), 'image/webp'],
  ['a page that is a picture', dataUrl('text/html', png()), 'text/html'],
  ['no comma', 'data:image/png;base64', 'damaged'],
  ['a GIF', dataUrl('image/gif', gif), 'no picture of a kind'],
])('data: with %s', async (_name, src, problem) => {
  const read = readIcon(icon(src), undefined, never);
  if (problem === undefined) expect(await read).toMatchObject({ bytes: expect.anything() });
  else await expect(read).rejects.toThrow(problem);
});

test('what the declaration says must be what it is (§2.14)', async () => {
  const src = dataUrl('image/png', png());
  expect(await readIcon(icon(src, 'image/png'), undefined, never)).toMatchObject({ mimeType: 'image/png', width: 8 });
  await expect(readIcon(icon(src, 'image/svg+xml'), undefined, never)).rejects.toThrow('it calls itself image/svg+xml and is image/png');
});

test('over https: nothing but the address goes out, redirects stay in the origin, and bytes are bounded (§2.14, S12, S15)', async () => {
  const heard: { path: string; headers: IncomingHttpHeaders }[] = [];
  const elsewhere = await serveHttps((request, response) => {
    heard.push({ path: `elsewhere ${request.url}`, headers: request.headers });
    response.end(png());
  });
  const answers: Record<string, { status?: number; headers?: OutgoingHttpHeaders; body?: Buffer }> = {
    '/good.png': { headers: { 'content-type': 'image/png', 'set-cookie': 'a=1; Path=/' }, body: png(16) },
    '/moved.png': { status: 302, headers: { location: '/good.png', 'set-cookie': 'b=2; Path=/' } },
    '/away.png': { status: 302, headers: { location: `${elsewhere}/i.png` } },
    '/inside.png': { status: 302, headers: { location: 'http://169.254.169.254/latest' } },
    '/loop.png': { status: 307, headers: { location: '/loop.png' } },
    '/lies.png': { headers: { 'content-type': 'text/html' }, body: png() },
    '/huge.png': { headers: { 'content-type': 'image/png' }, body: png(8, { padding: maxIconBytes }) },
    '/none.png': { status: 404 },
  };
  const origin = await serveHttps((request, response) => {
    heard.push({ path: request.url ?? '', headers: request.headers });
    const { status = 200, headers = {}, body } = answers[request.url ?? ''] ?? { status: 404 };
    response.writeHead(status, headers).end(body);
  });
  const fetch = createGuardedFetch({ typed: typedHostOf(`${origin}/mcp`), maxBytes: maxIconBytes });
  const read = (path: string) => readIcon(icon(`${origin}${path}`), fetch, never);

  expect(await read('/good.png')).toMatchObject({ mimeType: 'image/png', width: 16, height: 16 });
  expect(await read('/moved.png')).toMatchObject({ width: 16 });
  await expect(read('/away.png')).rejects.toThrow('redirects to another place');
  await expect(read('/inside.png')).rejects.toThrow('redirects to another place');
  await expect(read('/loop.png')).rejects.toThrow('redirects more than 3 times');
  await expect(read('/lies.png')).rejects.toThrow('it calls itself text/html and is image/png');
  await expect(read('/huge.png')).rejects.toThrow('more than 256 kB');
  await expect(read('/none.png')).rejects.toThrow('HTTP status 404');

  expect(heard.filter(({ path }) => path.startsWith('elsewhere'))).toEqual([]);
  const names = new Set(heard.flatMap(({ headers }) => Object.keys(headers)));
  for (const name of ['cookie', 'authorization', 'referer', 'origin', 'dpop']) expect(names).not.toContain(name);
});

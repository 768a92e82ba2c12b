import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { answerPage, contentSecurityPolicy, pageFile } from '../../main/host/pageFiles.ts';

const root = path.resolve('/srv/renderer');

describe('Which file a path names', () => {
  test.each([
    ['/', 'index.html'],
    ['/index.html', 'index.html'],
    ['/assets/a%20b.js', 'assets/a b.js'],
    ['/assets/../index.html', 'index.html'],
    ['/assets/style.css', 'assets/style.css'],
  ])('%s is served', (pathname, file) => {
    expect(pageFile(root, pathname)?.file).toBe(path.join(root, file));
  });

  test.each([
    ['/../renderer-secrets/x.js', 'a neighbour whose name only begins like the root'],
    ['/../../etc/passwd.json', 'a folder above'],
    ['/%2e%2e/secret.json', 'encoded dots'],
    ['/..%2fsecret.json', 'an encoded slash'],
    ['/..\\secret.json', 'a backslash'],
    ['/..%5csecret.json', 'an encoded backslash'],
    ['/a%00.js', 'a NUL'],
    ['/%', 'a broken escape'],
    ['index.js', 'no leading slash'],
    ['', 'nothing'],
    ['/assets', 'a folder'],
    ['/server.node', 'an unknown kind'],
    ['/app.js.map', 'a source map'],
    ['/.env', 'a hidden file'],
  ])('%s is refused: %s', (pathname) => {
    expect(pageFile(root, pathname)).toBeNull();
  });
});

describe('The policy', () => {
  test('is exactly this, and names addresses only where the shell has some', () => {
    expect(contentSecurityPolicy('abc', [])).toBe(
      "default-src 'none'; script-src 'self'; worker-src 'self'; style-src 'self' 'nonce-abc'; img-src 'self' data: blob:; font-src 'self'; " +
        "connect-src 'none'; frame-src 'none'; object-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; " +
        "require-trusted-types-for 'script'; trusted-types maitre",
    );
    expect(contentSecurityPolicy('abc', ['ws://127.0.0.1:1/socket'])).toContain('; connect-src ws://127.0.0.1:1/socket; ');
    expect(contentSecurityPolicy('abc', [], ['http://127.0.0.1:2'])).toContain('; frame-src http://127.0.0.1:2; ');
  });
});

describe('The answer', () => {
  let dir: string;
  beforeAll(async () => {
    dir = await mkdtemp(path.join(tmpdir(), 'page-files-'));
    await mkdir(path.join(dir, 'renderer/folder.js'), { recursive: true });
    await writeFile(path.join(dir, 'renderer/index.html'), '<!doctype html><html><head lang="en"><title>x</title></head></html>');
    await writeFile(path.join(dir, 'renderer/a.js'), 'run()');
    await writeFile(path.join(dir, 'secret.json'), '{}');
  });
  afterAll(() => rm(dir, { recursive: true }));
  const answer = (pathname: string) => answerPage(path.join(dir, 'renderer'), pathname, { nonce: 'n0nce', connect: [], frames: [] });

  test('of the index page carries the nonce of its own policy', async () => {
    const page = await answer('/');
    expect(Buffer.from(page.body).toString()).toContain('<head lang="en"><meta name="nonce" content="n0nce"><title>');
    expect(page.headers['content-security-policy']).toContain("'nonce-n0nce'");
    expect(page.headers['content-type']).toBe('text/html; charset=utf-8');
  });

  test.each(['/missing.js', '/../secret.json', '/folder.js', '/a.js/b.js', `/${'x'.repeat(300)}.js`])(
    'to %s is 404 and carries the policy all the same',
    async (pathname) => {
      const page = await answer(pathname);
      expect(page.status).toBe(404);
      expect(page.headers['content-security-policy']).toContain("default-src 'none'");
      expect(page.headers['x-content-type-options']).toBe('nosniff');
    },
  );

  test('of a script is the file as it is', async () => {
    const page = await answer('/a.js');
    expect(Buffer.from(page.body).toString()).toBe('run()');
    expect(page.headers['content-type']).toBe('text/javascript; charset=utf-8');
  });
});

import { readFile } from 'node:fs/promises';
import path from 'node:path';

/** What a shell answers to a request for one of the renderer's files. */
export interface PageAnswer {
  status: 200 | 404;
  headers: Record<string, string>;
  body: Uint8Array<ArrayBuffer>;
}

/** The kinds of files that a built renderer consists of. Anything else in its folder is not served. */
const mimeTypes: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.json': 'application/json; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.ico': 'image/x-icon',
  '.woff2': 'font/woff2',
};

/**
 * The file that a URL's path names, or null when it names none that may be served. `pathname` is as the URL parser
 * gives it, still percent-encoded; `/` is `/index.html`.
 *
 * The resolved path is compared with the root *plus the separator*: without it `../renderer-secrets/x` would pass
 * for a child of `renderer`.
 */
export function pageFile(rootDir: string, pathname: string): { file: string; mimeType: string } | null {
  let decoded: string;
  try {
    decoded = decodeURIComponent(pathname);
  } catch (error) {
    if (error instanceof URIError) return null;
    throw error;
  }
  if (!decoded.startsWith('/') || decoded.includes('\0') || decoded.includes('\\')) return null;
  const root = path.resolve(rootDir);
  const file = path.resolve(root, `.${decoded === '/' ? '/index.html' : decoded}`);
  if (!file.startsWith(root + path.sep)) return null;
  const mimeType = mimeTypes[path.extname(file)];
  return mimeType === undefined ? null : { file, mimeType };
}

/**
 * The policy of every answer. The page may run and show only what came with it and asks nobody else for anything: what an
 * injected image or style read could not leave. `connect` lists the shell's own addresses, if it has any; `frames` where views of servers
 * come from, the one thing that it may hold.
 */
export function contentSecurityPolicy(nonce: string, connect: readonly string[], frames: readonly string[] = []): string {
  return [
    "default-src 'none'",
    "script-src 'self'",
    "worker-src 'self'",
    `style-src 'self' 'nonce-${nonce}'`,
    "img-src 'self' data: blob:",
    "font-src 'self'",
    `connect-src ${connect.length === 0 ? "'none'" : connect.join(' ')}`,
    `frame-src ${frames.length === 0 ? "'none'" : frames.join(' ')}`,
    "object-src 'none'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
    // The one policy that the renderer makes: addresses of its own workers.
    'trusted-types maitre',
  ].join('; ');
}

/**
 * Answers a GET for one of the renderer's files. The nonce of `index.html` stands in `<meta name="nonce">`, where the
 * page finds it for the styles that libraries insert; `nonce` must be new for each call.
 */
export async function answerPage(
  rootDir: string,
  pathname: string,
  { nonce, connect, frames }: { nonce: string; connect: readonly string[]; frames: readonly string[] },
): Promise<PageAnswer> {
  const headers: Record<string, string> = {
    'content-security-policy': contentSecurityPolicy(nonce, connect, frames),
    'x-content-type-options': 'nosniff',
    'referrer-policy': 'no-referrer',
    // A browser may look up the hosts of links before anybody follows one: a name can carry what a chat has read.
    'x-dns-prefetch-control': 'off',
    'cross-origin-opener-policy': 'same-origin',
    'cross-origin-resource-policy': 'same-origin',
    'cache-control': 'no-store',
  };
  const found = pageFile(rootDir, pathname);
  const bytes = found === null ? null : await readIfFile(found.file);
  if (found === null || bytes === null) {
    return {
      status: 404,
      headers: { ...headers, 'content-type': 'text/plain; charset=utf-8' },
      body: new Uint8Array(Buffer.from('There is no such page.\n')),
    };
  }
  const body = path.basename(found.file) === 'index.html' ? withNonce(bytes, nonce) : new Uint8Array(bytes);
  return { status: 200, headers: { ...headers, 'content-type': found.mimeType }, body };
}

function withNonce(html: Buffer, nonce: string): Uint8Array<ArrayBuffer> {
  const text = html.toString('utf8');
  const head = /<head[^>]*>/i.exec(text);
  if (head === null) throw new Error('The index page has no <head> that could carry the nonce.');
  const end = head.index + head[0].length;
  return new Uint8Array(Buffer.from(`${text.slice(0, end)}<meta name="nonce" content="${nonce}">${text.slice(end)}`));
}

async function readIfFile(file: string): Promise<Buffer | null> {
  try {
    return await readFile(file);
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined;
    if (code === 'ENOENT' || code === 'EISDIR' || code === 'ENOTDIR' || code === 'ENAMETOOLONG') return null;
    throw error;
  }
}

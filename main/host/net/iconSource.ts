import { createHash } from 'node:crypto';
import canonicalize from 'canonicalize';
import { GuardRefusal, type GuardedFetch } from './guardedFetch.ts';
import { type IconPicture, maxIconBytes, pictureOf } from './iconPicture.ts';

/** One icon as a server declares it (2025-11-25 `Icon`). `sides`: what its sizes say, `any` for one that fits everywhere. */
export interface DeclaredIcon {
  src: string;
  mimeType?: string | undefined;
  sides: (number | 'any')[];
  theme?: 'light' | 'dark' | undefined;
}

/** An icon that cannot be shown. The message is the end of a sentence "The icon cannot be shown: …". */
export class IconRefusal extends Error {}

/** Of one thing no more than these are looked at. */
const maxDeclared = 16;
const maxRedirects = 3;
const maxAddress = 2048;
/** As long as base64 makes {@link maxIconBytes}, or percent signs a smaller picture. */
const maxDataLength = Math.ceil(maxIconBytes / 3) * 4 + 200;

/** Names icons by what is declared of them, however it is written. */
export const iconKey = (icons: readonly unknown[]): string =>
  createHash('sha256')
    .update(canonicalize(icons) ?? '')
    .digest('base64url')
    .slice(0, 22);

/** The icons of a list as it came; what is none is left out. `sizes` may also be one string, as early drafts had it. */
export function declaredIcons(icons: readonly unknown[]): DeclaredIcon[] {
  return icons.slice(0, maxDeclared).flatMap((each): DeclaredIcon[] => {
    if (typeof each !== 'object' || each === null || !('src' in each) || typeof each.src !== 'string') return [];
    const sizes: unknown[] = 'sizes' in each ? (Array.isArray(each.sizes) ? each.sizes : [each.sizes]) : [];
    const sides = sizes
      .flatMap((size) => (typeof size === 'string' ? size.trim().split(/\s+/) : []))
      .flatMap((size): DeclaredIcon['sides'] => {
        if (size.toLowerCase() === 'any') return ['any'];
        const [, width, height] = /^(\d{1,5})x(\d{1,5})$/i.exec(size) ?? [];
        return width === undefined || height === undefined ? [] : [Math.min(Number(width), Number(height))];
      });
    const theme = 'theme' in each && (each.theme === 'light' || each.theme === 'dark') ? each.theme : undefined;
    const mimeType = 'mimeType' in each && typeof each.mimeType === 'string' ? each.mimeType : undefined;
    return [{ src: each.src, mimeType, sides, theme }];
  });
}

/** The icons in the order in which they are tried: those for this theme before those for any, then the one nearest to `side` pixels. */
export function byFitness(icons: readonly DeclaredIcon[], theme: 'light' | 'dark', side: number): DeclaredIcon[] {
  const ofTheme = (icon: DeclaredIcon) => (icon.theme === theme ? 0 : icon.theme === undefined ? 1 : 2);
  // Smaller ones are blurred, so that any larger one is nearer; of an unknown size it may be either.
  const distance = (declared: number | 'any') => (declared === 'any' ? 0 : declared >= side ? declared - side : 100_000 + side - declared);
  const ofSize = ({ sides }: DeclaredIcon) => (sides.length === 0 ? 50_000 : Math.min(...sides.map(distance)));
  return icons.toSorted((one, other) => ofTheme(one) - ofTheme(other) || ofSize(one) - ofSize(other));
}

/**
 * Why this source is never read, or undefined. Pictures come with what the server says (`data:`), or by https from the very origin that
 * the person connected to: anywhere else they would tell a stranger who uses the server, and when. `origin` undefined: a program, which
 * has none.
 */
export function sourceProblem(src: string, origin: string | undefined): string | undefined {
  if (/^data:/i.test(src)) return src.length > maxDataLength ? `it has more than ${maxIconBytes / 1024} kB` : undefined;
  const url = src.length > maxAddress ? null : URL.parse(src);
  if (!url) return 'it has no usable address';
  if (url.protocol !== 'https:')
    return `it lies at an address that begins with ${url.protocol.slice(0, 40)}, and only https: and data: are read`;
  if (url.username !== '' || url.password !== '') return 'its address carries a user name or password';
  if (origin === undefined)
    return `it lies at ${url.origin}, and a program has no address of its own: its pictures have to be part of what it says (data:)`;
  return url.origin === origin ? undefined : `it lies at ${url.origin}, which is not where the server is`;
}

/** A picture that was read and checked. */
export interface ReadIcon extends IconPicture {
  bytes: Uint8Array;
}

/**
 * Reads one icon whose source has no {@link sourceProblem}. Over https: a plain GET without cookies, sign-in or referrer; a
 * redirect only within the origin. Rejects with {@link IconRefusal}, or with what `fetch` rejects with.
 */
export async function readIcon(icon: DeclaredIcon, fetch: GuardedFetch | undefined, signal: AbortSignal): Promise<ReadIcon> {
  const { bytes, types } = /^data:/i.test(icon.src) ? dataOf(icon.src) : await download(new URL(icon.src), fetch, signal);
  const picture = pictureOf(bytes);
  if ('problem' in picture) throw new IconRefusal(picture.problem);
  // Whoever calls one thing another may hope that somebody believes it.
  for (const said of [icon.mimeType, ...types]) {
    const type = essence(said);
    if (type !== undefined && type !== picture.mimeType)
      throw new IconRefusal(`it calls itself ${type.slice(0, 60)} and is ${picture.mimeType}`);
  }
  return { ...picture, bytes };
}

const generic = new Set(['', 'application/octet-stream', 'binary/octet-stream']);

function essence(type: string | null | undefined): string | undefined {
  const bare = (type ?? '').split(';')[0]?.trim().toLowerCase() ?? '';
  if (generic.has(bare)) return undefined;
  return bare === 'image/jpg' ? 'image/jpeg' : bare;
}

function dataOf(src: string): { bytes: Uint8Array; types: string[] } {
  const comma = src.indexOf(',');
  if (comma === -1) throw new IconRefusal('its data: address is damaged');
  const about = src.slice(5, comma);
  const text = src.slice(comma + 1);
  // Without a type it is text by the rules of data:, which nobody means who puts a picture there.
  const [type = ''] = about.split(';');
  if (/;\s*base64\s*$/i.test(about)) {
    const base64 = text.includes('%') ? percentDecoded(text).toString('latin1') : text;
    return { bytes: Buffer.from(base64, 'base64'), types: [type] };
  }
  return { bytes: percentDecoded(text), types: [type] };
}

function percentDecoded(text: string): Buffer {
  const pieces = text.split(/%([0-9a-f]{2})/i);
  return Buffer.concat(pieces.map((piece, index) => (index % 2 === 0 ? Buffer.from(piece) : Buffer.from(piece, 'hex'))));
}

async function download(
  first: URL,
  fetch: GuardedFetch | undefined,
  signal: AbortSignal,
): Promise<{ bytes: Uint8Array; types: (string | null)[] }> {
  if (!fetch) throw new IconRefusal('a program has no address of its own');
  let url = first;
  for (let hop = 0; ; hop += 1) {
    const response = await fetch(url, {
      headers: { accept: 'image/png, image/jpeg, image/webp, image/svg+xml' },
      credentials: 'omit',
      referrerPolicy: 'no-referrer',
      redirect: 'manual',
      signal,
    });
    if (response.status < 300 || response.status >= 400) {
      if (!response.ok) {
        await response.body?.cancel();
        throw new IconRefusal(`${url.origin}${url.pathname} answered with HTTP status ${response.status}`);
      }
      return { bytes: await wholeBody(response), types: [response.headers.get('content-type')] };
    }
    await response.body?.cancel();
    const location = response.headers.get('location');
    const next = location === null ? null : URL.parse(location, url.href);
    if (!next || next.origin !== first.origin) throw new IconRefusal(`${first.origin} redirects to another place, which is not asked`);
    if (hop === maxRedirects) throw new IconRefusal(`${first.origin} redirects more than ${maxRedirects} times`);
    url = next;
  }
}

async function wholeBody(response: Response): Promise<Uint8Array> {
  try {
    return new Uint8Array(await response.arrayBuffer());
  } catch (error) {
    // The guard ends a body that is too long while it is read.
    if (error instanceof GuardRefusal) throw new IconRefusal(`it has more than ${maxIconBytes / 1024} kB`);
    throw error;
  }
}

import { visiblePieces } from '../text/visiblePieces.ts';

/** An address that may be opened (http and https, no credentials), with the host that it leads to; null for anything else. */
export function linkTarget(href: string | undefined): { url: string; host: string } | null {
  if (href === undefined || !URL.canParse(href)) return null;
  const url = new URL(href);
  if ((url.protocol !== 'https:' && url.protocol !== 'http:') || url.username !== '' || url.password !== '') return null;
  return { url: url.href, host: url.host };
}

const namesHost = /(?:[\p{L}\p{N}-]+\.)+\p{L}{2,}/giu;

/** What an eye takes the words for: without characters that have no look, dots and letters of other widths as the usual ones. */
const asSeen = (words: string): string =>
  visiblePieces(words)
    .map((piece) => (piece.kind === 'text' ? piece.text : ''))
    .join('')
    .normalize('NFKC')
    .replaceAll('。', '.');

/** True where the words of a link name a host, and the link leads to another. */
export const misleads = (words: string, host: string): boolean =>
  (asSeen(words).match(namesHost) ?? [])
    .map((named) => named.toLowerCase())
    .some((named) => named !== host && `www.${named}` !== host && named !== `www.${host}`);

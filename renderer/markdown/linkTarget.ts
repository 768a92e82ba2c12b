/** An address that may be opened (http and https, no credentials), with the host that it leads to; null for anything else. */
export function linkTarget(href: string | undefined): { url: string; host: string } | null {
  if (href === undefined || !URL.canParse(href)) return null;
  const url = new URL(href);
  if ((url.protocol !== 'https:' && url.protocol !== 'http:') || url.username !== '' || url.password !== '') return null;
  return { url: url.href, host: url.host };
}

const namesHost = /(?:https?:\/\/)?(?:[\p{L}\p{N}-]+\.)+\p{L}{2,}/iu;

/** True where the words of a link name a host, and the link leads to another. */
export function misleads(words: string, host: string): boolean {
  const named = namesHost
    .exec(words)?.[0]
    ?.replace(/^https?:\/\//i, '')
    .toLowerCase();
  return named !== undefined && named !== host && `www.${named}` !== host && named !== `www.${host}`;
}

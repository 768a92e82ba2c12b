/** An address that may be handed to the system's browser, or why not, as a sentence. */
export function openableUrl(text: string): { ok: true; url: string } | { ok: false; reason: string } {
  const url = URL.parse(text.trim());
  if (!url) return { ok: false, reason: 'This is no address that a browser can open.' };
  if (url.protocol !== 'https:' && url.protocol !== 'http:')
    return { ok: false, reason: `Maitre opens web pages only, not “${url.protocol.slice(0, 40)}” addresses.` };
  if (url.username !== '' || url.password !== '')
    return { ok: false, reason: 'This address carries a user name or password and may lead elsewhere than it seems. It was not opened.' };
  return { ok: true, url: url.href };
}

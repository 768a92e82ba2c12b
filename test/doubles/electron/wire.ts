/**
 * Values as JSON text. Electron's IPC clones; JSON alone would lose undefined, dates and bytes without a word.
 * Both functions are also put into pages as source, so they use nothing outside themselves.
 */
export function encode(value: unknown): string {
  const bytesTo64 = (bytes: Uint8Array): string => {
    let text = '';
    for (const byte of bytes) text += String.fromCharCode(byte);
    return btoa(text);
  };
  const tag = (item: unknown): unknown => {
    if (item === undefined) return { $: 'undefined' };
    if (typeof item === 'function' || typeof item === 'symbol') throw new TypeError('An object could not be cloned.');
    if (typeof item !== 'object' || item === null) return item;
    if (item instanceof Date) return { $: 'date', at: item.getTime() };
    if (item instanceof Uint8Array) return { $: 'bytes', data: bytesTo64(item) };
    if (Array.isArray(item)) return item.map(tag);
    return { $: 'object', entries: Object.entries(item).map(([name, member]) => [name, tag(member)]) };
  };
  return JSON.stringify(tag(value));
}

export function decode(text: string): unknown {
  const untag = (item: unknown): unknown => {
    if (typeof item !== 'object' || item === null) return item;
    if (Array.isArray(item)) return item.map(untag);
    const tagged = item as { $: string; at: number; data: string; entries: [string, unknown][] };
    switch (tagged.$) {
      case 'undefined':
        return undefined;
      case 'date':
        return new Date(tagged.at);
      case 'bytes':
        return Uint8Array.from(atob(tagged.data), (character) => character.charCodeAt(0));
      default:
        return Object.fromEntries(tagged.entries.map(([name, member]) => [name, untag(member)]));
    }
  };
  return untag(JSON.parse(text));
}

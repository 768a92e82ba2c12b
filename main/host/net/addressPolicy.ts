import ipaddr from 'ipaddr.js';

/**
 * What the person himself has said by typing a server's address: this host may be reached wherever it lies, and from a server on
 * this computer other ports of it.
 */
export interface TypedHost {
  /** Host of the typed address as `URL.hostname` writes it. */
  host: string;
  loopback: boolean;
}

export type AddressVerdict = { ok: true } | { ok: false; reason: string };

const allowed: AddressVerdict = { ok: true };
const refused = (reason: string): AddressVerdict => ({ ok: false, reason });

export function typedHostOf(url: string): TypedHost {
  const { hostname } = new URL(url);
  return { host: plainHost(hostname), loopback: isLoopbackHost(hostname) };
}

/** This computer, by name or number. Nothing that is sent to it leaves it. */
export function isLoopbackHost(hostname: string): boolean {
  const host = plainHost(hostname);
  if (host === 'localhost' || host.endsWith('.localhost')) return true;
  return ipaddr.isValid(host) && rangeOf(host) === 'loopback';
}

/** Endings of names that are given out inside a home or an office alone (RFC 6762, RFC 8375, and in use). */
const nearNames = /\.(local|localhost|internal|intranet|lan|home|corp|home\.arpa)$/;

/** Whether a host lies on this computer or in its network, as far as its spelling tells: a public name may lead there too. */
export function isNearHost(hostname: string): boolean {
  const host = plainHost(hostname);
  return ipaddr.isValid(host) ? rangeOf(host) !== 'unicast' : !host.includes('.') || nearNames.test(host);
}

/** Whether everybody on the way can read what is sent to this address. An address that cannot be read counts as such. */
export function isUnencrypted(url: string): boolean {
  const parsed = URL.parse(url);
  return !parsed || (parsed.protocol !== 'https:' && !isLoopbackHost(parsed.hostname));
}

/**
 * Whether an address that a server named may be asked for at all: https, or http on this computer where the server itself runs
 * there (S10, S11, S14). `URL` has brought numbers in decimal, octal and hexadecimal into one form before.
 */
export function checkUrl(url: URL, typed: TypedHost): AddressVerdict {
  const loopback = isLoopbackHost(url.hostname);
  if (url.protocol !== 'https:' && url.protocol !== 'http:')
    return refused(`${url.protocol.slice(0, 40)} addresses are not fetched, only those of the web`);
  if (url.protocol === 'http:' && !loopback) return refused(`${url.host} is not encrypted: the address must begin with https://`);
  if (url.username !== '' || url.password !== '') return refused('the address carries a user name or password');
  const host = plainHost(url.hostname);
  if (loopback) return typed.loopback ? allowed : refused(`${url.host} is this computer, and the server is not`);
  return ipaddr.isValid(host) ? checkAddress(host, host, typed) : allowed;
}

/**
 * Whether a connection to `address`, which is what `hostname` stands for now, may be made. To be asked with the very address that is
 * then connected to: a name can mean another one a moment later (S13).
 */
export function checkAddress(address: string, hostname: string, typed: TypedHost): AddressVerdict {
  const host = plainHost(hostname);
  const range = rangeOf(address);
  if (range === 'unicast') return allowed;
  if (range === 'loopback' && isLoopbackHost(host) && typed.loopback) return allowed;
  // The metadata services of clouds lie there: only who typed the number itself can mean it.
  if (host === typed.host && (range !== 'linkLocal' || address === host)) return allowed;
  return refused(`${hostname} leads to ${address}, an address inside this computer or its network (${range})`);
}

/** Range of an address, seen through the ways in which IPv6 carries IPv4. */
function rangeOf(address: string): string {
  const parsed = ipaddr.process(address);
  if (parsed instanceof ipaddr.IPv6 && parsed.range() === 'rfc6052') {
    return ipaddr.fromByteArray(parsed.toByteArray().slice(-4)).range();
  }
  // Outside of 2000::/3 nothing is given out for the whole net (RFC 4291 §2.4): site-local ones, and those that a network of its own
  // translates into IPv4 (64:ff9b:1::/48, RFC 8215), count as unicast to the library.
  const isGlobal = parsed instanceof ipaddr.IPv4 || ((parsed.parts[0] ?? 0) & 0xe000) === 0x2000;
  const range = parsed.range();
  return range === 'unicast' && !isGlobal ? 'reserved' : range;
}

/** Without the brackets of IPv6 and the dot that a full name may end with. */
function plainHost(hostname: string): string {
  const bare = hostname.toLowerCase().replace(/\.$/, '');
  return bare.startsWith('[') ? bare.slice(1, -1) : bare;
}

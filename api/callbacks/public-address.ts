/**
 * Which addresses and host names the service may talk to on behalf of somebody else. Pure, without I/O; every outgoing
 * path uses it (T-01, T-03). It is an allow-list: libraries call `::7f00:1`, ISATAP or 168.63.129.16 unicast (F8).
 */
import { isIPv4, isIPv6 } from 'node:net';

/** Ranges as first address and prefix length. */
const reservedV4: readonly (readonly [string, number])[] = [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['168.63.129.16', 32],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.31.196.0', 24],
  ['192.52.193.0', 24],
  ['192.88.99.0', 24],
  ['192.168.0.0', 16],
  ['192.175.48.0', 24],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['224.0.0.0', 4],
  ['240.0.0.0', 4],
];

/** Ranges inside 2000::/3 that are not for everybody. */
const reservedV6: readonly (readonly [string, number])[] = [
  ['2001::', 23],
  ['2001:db8::', 32],
  ['2002::', 16],
  ['3fff::', 20],
  ['2620:4f:8000::', 48],
];

const refusedNames = ['localhost', 'local', 'internal', 'onion', 'home.arpa'];

/** What a parsed host is: an address or a name that may be used, or not usable, and why. */
export type HostVerdict =
  | { readonly kind: 'address'; readonly address: string }
  | { readonly kind: 'name'; readonly name: string }
  | { readonly kind: 'refused'; readonly why: string };

/** Whether a dotted IPv4 address is public. */
function publicV4(address: string): boolean {
  const words = wordsOfV4(address);
  return words !== undefined && !reservedV4.some(([first, bits]) => isWithin(words, wordsOfV4(first), bits));
}

/** Whether an IPv6 address in any notation is public. Zone ids are not. */
function publicV6(address: string): boolean {
  const words = wordsOfV6(address);
  if (words === undefined || !isWithin(words, wordsOfV6('2000::'), 3)) return false;
  if (reservedV6.some(([first, bits]) => isWithin(words, wordsOfV6(first), bits))) return false;
  const [, , , , fifth = 0, sixth = 0, seventh = 0, eighth = 0] = words;
  // ISATAP carries an IPv4 address that a router may unpack.
  if ((fifth === 0 || fifth === 0x0200) && sixth === 0x5efe) {
    return publicV4([seventh >> 8, seventh & 255, eighth >> 8, eighth & 255].join('.'));
  }
  return true;
}

/** Whether an address, as a resolver or a socket gives it, is public. */
export function isPublicAddress(address: string): boolean {
  return isIPv4(address) ? publicV4(address) : publicV6(address);
}

/** Judges a host as the WHATWG parser gives it (`URL.hostname`): literals at once, names by their shape (F7). */
export function checkHost(hostname: string): HostVerdict {
  const bracketed = hostname.startsWith('[') && hostname.endsWith(']');
  const address = bracketed ? hostname.slice(1, -1) : hostname;
  if (bracketed || isIPv4(address)) {
    const isPublic = bracketed ? publicV6(address) : publicV4(address);
    return isPublic ? { kind: 'address', address } : { kind: 'refused', why: 'the address is not public' };
  }
  const name = hostname.endsWith('.') ? hostname.slice(0, -1) : hostname;
  if (name.length > 253) return { kind: 'refused', why: 'the host name is too long' };
  const labels = name.split('.');
  if (labels.length < 2 || !labels.every(isLabel))
    return { kind: 'refused', why: 'the host name is not a public name' };
  if (refusedNames.some((refused) => name === refused || name.endsWith(`.${refused}`))) {
    return { kind: 'refused', why: 'the host name is for local networks' };
  }
  return { kind: 'name', name };
}

/** Addresses of an explicit loopback host (`URL.hostname`); undefined for every other host, however it is written. */
export function loopbackAddresses(hostname: string): readonly string[] | undefined {
  if (hostname === 'localhost') return ['127.0.0.1', '::1'];
  if (hostname === '127.0.0.1') return ['127.0.0.1'];
  return hostname === '[::1]' ? ['::1'] : undefined;
}

/** The eight 16-bit words of an IPv6 address, or undefined when it is none or has a zone. */
function wordsOfV6(address: string): number[] | undefined {
  if (!isIPv6(address) || address.includes('%')) return undefined;
  // The parser writes the dotted tail of mapped addresses as two words.
  const canonical = new URL(`http://[${address}]`).hostname.slice(1, -1);
  const [head = '', tail] = canonical.split('::');
  const left = splitWords(head);
  const right = splitWords(tail ?? '');
  return [...left, ...new Array<number>(8 - left.length - right.length).fill(0), ...right];
}

function splitWords(text: string): number[] {
  return text === '' ? [] : text.split(':').map((word) => Number.parseInt(word, 16));
}

/** Two 16-bit words, so that both families compare alike. */
function wordsOfV4(address: string): number[] | undefined {
  if (!isIPv4(address)) return undefined;
  const [a = 0, b = 0, c = 0, d = 0] = address.split('.').map(Number);
  return [(a << 8) | b, (c << 8) | d];
}

function isWithin(words: readonly number[], first: readonly number[] | undefined, bits: number): boolean {
  if (first === undefined) throw new Error('the reserved ranges are written as addresses');
  return first.every((word, index) => {
    const left = Math.min(16, Math.max(0, bits - index * 16));
    const mask = (0xffff << (16 - left)) & 0xffff;
    return ((words[index] ?? 0) & mask) === (word & mask);
  });
}

function isLabel(label: string): boolean {
  return label.length <= 63 && /^[a-z0-9-]+$/.test(label) && !label.startsWith('-') && !label.endsWith('-');
}

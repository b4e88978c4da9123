/**
 * Decides which addresses and host names the service may talk to on behalf of somebody else. It is pure, without I/O,
 * and every outgoing path uses it. It is an allow-list, because libraries call `::7f00:1`, ISATAP or 168.63.129.16
 * unicast.
 */

import { BlockList, isIPv4, isIPv6, SocketAddress } from 'node:net';
import { type Reason, reasonOf } from '../../reasons/reason.ts';

/** The reserved ranges of IPv4, as first address and prefix length. */
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

/** The ranges inside 2000::/3 that are not for everybody. */
const reservedV6: readonly (readonly [string, number])[] = [
  ['2001::', 23],
  ['2001:db8::', 32],
  ['2002::', 16],
  ['3fff::', 20],
  ['2620:4f:8000::', 48],
];

/** The ranges that belong to nobody and that houses use, as first address and prefix length. */
const privateV4 = [
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['172.16.0.0', 12],
  ['192.168.0.0', 16],
] as const;
const privateV6 = [['fc00::', 7]] as const;

/** Addresses within private ranges at which clouds give a machine its secrets. */
const metadataAddresses = ['100.100.100.200', 'fd00:ec2::23', 'fd00:ec2::254', 'fd20:ce::254'];

const refusedNames = ['localhost', 'local', 'internal', 'onion', 'home.arpa'];

/** The verdict on a parsed host: an address or a name that may be used, or not usable, and why. */
export type HostVerdict =
  | { readonly kind: 'address'; readonly address: string }
  | { readonly kind: 'name'; readonly name: string }
  | { readonly kind: 'refused'; readonly why: Reason };

/**
 * Makes the list of one family's ranges. Each family has a list of its own: in a shared one, `::/96` and the like would
 * hold all of IPv4.
 */
function listOf(family: 'ipv4' | 'ipv6', ranges: typeof reservedV4): BlockList {
  const list = new BlockList();
  for (const [first, bits] of ranges) list.addSubnet(first, bits, family);
  return list;
}

const reserved = { ipv4: listOf('ipv4', reservedV4), ipv6: listOf('ipv6', reservedV6) };
const globalUnicast = listOf('ipv6', [['2000::', 3]]);

/**
 * The form of ISATAP, which carries an IPv4 address, in the last two words, that a router may unpack; both words may be
 * left out as zeros.
 */
const isatap = /:(?:0|200)?:5efe:(?:([0-9a-f]+):([0-9a-f]+)|:)$/;

/** Returns whether a dotted IPv4 address is public. */
function publicV4(address: string): boolean {
  return isIPv4(address) && !reserved.ipv4.check(address, 'ipv4');
}

/** Returns whether an IPv6 address in any notation is public. An address with a zone id is not. */
function publicV6(address: string): boolean {
  if (!isIPv6(address) || address.includes('%')) return false;
  if (!globalUnicast.check(address, 'ipv6') || reserved.ipv6.check(address, 'ipv6')) return false;
  const carried = isatap.exec(new SocketAddress({ address, family: 'ipv6' }).address);
  if (carried === null) return true;
  const [high, low] = carried.slice(1).map((word) => Number.parseInt(word ?? '0', 16));
  const bytes = [high, low].flatMap((word = 0) => [word >> 8, word & 255]);
  return publicV4(bytes.join('.'));
}

/** Returns whether an address, as a resolver or a socket gives it, is public. */
export function isPublicAddress(address: string): boolean {
  return isIPv4(address) ? publicV4(address) : publicV6(address);
}

/** Returns the prefix length of the private range that an address lies in; undefined for any other address. */
export function privateRange(address: string): number | undefined {
  if (address.includes('%')) return undefined;
  const family = isIPv4(address) ? 'ipv4' : isIPv6(address) ? 'ipv6' : undefined;
  const ranges = family === 'ipv4' ? privateV4 : family === 'ipv6' ? privateV6 : [];
  return ranges.find((range) => family !== undefined && listOf(family, [range]).check(address, family))?.[1];
}

/**
 * Returns whether an address may be of a house: private, and not one at which a cloud gives out secrets. Loopback, link-local and
 * what carries another address within are not.
 */
export function isHomeAddress(address: string): boolean {
  if (privateRange(address) === undefined) return false;
  const family = isIPv4(address) ? 'ipv4' : 'ipv6';
  const plain = new SocketAddress({ address, family }).address;
  return !metadataAddresses.includes(plain) && !isatap.test(plain);
}

/** Judges a host as the WHATWG parser gives it (`URL.hostname`): literals at once, names by their shape (FACT-07). */
export function checkHost(hostname: string): HostVerdict {
  const bracketed = hostname.startsWith('[') && hostname.endsWith(']');
  const address = bracketed ? hostname.slice(1, -1) : hostname;
  if (bracketed || isIPv4(address)) {
    const isPublic = bracketed ? publicV6(address) : publicV4(address);
    return isPublic ? { kind: 'address', address } : { kind: 'refused', why: reasonOf('address-not-public') };
  }
  const name = hostname.endsWith('.') ? hostname.slice(0, -1) : hostname;
  if (name.length > 253) return { kind: 'refused', why: reasonOf('host-name-too-long') };
  const labels = name.split('.');
  if (labels.length < 2 || !labels.every(isLabel)) return { kind: 'refused', why: reasonOf('host-not-public') };
  if (refusedNames.some((refused) => name === refused || name.endsWith(`.${refused}`))) {
    return { kind: 'refused', why: reasonOf('host-local') };
  }
  return { kind: 'name', name };
}

/**
 * Returns the addresses of an explicit loopback host (`URL.hostname`); undefined for every other host, however it is
 * written.
 */
export function loopbackAddresses(hostname: string): readonly string[] | undefined {
  if (hostname === 'localhost') return ['127.0.0.1', '::1'];
  if (hostname === '127.0.0.1') return ['127.0.0.1'];
  return hostname === '[::1]' ? ['::1'] : undefined;
}

function isLabel(label: string): boolean {
  return label.length <= 63 && /^[a-z0-9-]+$/.test(label) && !label.startsWith('-') && !label.endsWith('-');
}

/** The one spelling of an IP address. */
import { isIP, isIPv6, SocketAddress } from 'node:net';

/**
 * Returns an address in its one spelling: IPv4 that came as IPv6 is IPv4, a scope is left out.
 * @returns undefined when the text is not an address
 */
export function plainAddress(text: string): string | undefined {
  if (isIP(text) !== 6) return isIP(text) === 4 ? text : undefined;
  const { address } = new SocketAddress({ address: text, family: 'ipv6' });
  return /^::ffff:(\d+\.\d+\.\d+\.\d+)$/.exec(address)?.[1] ?? address;
}

/** Returns the place in the network that an address stands for. An IPv6 caller owns a whole /64, so the /64 counts (T-23). */
export function addressBucket(address: string): string {
  if (!address.includes(':')) return address;
  const plain = plainAddress(address) ?? address;
  if (!isIPv6(plain)) return plain;
  const [head = '', tail] = plain.split('::');
  const front = head === '' ? [] : head.split(':');
  const back = tail === undefined || tail === '' ? [] : tail.split(':');
  const zeros = tail === undefined ? [] : Array<string>(Math.max(0, 8 - front.length - back.length)).fill('0');
  return `${[...front, ...zeros, ...back].slice(0, 4).join(':')}::/64`;
}

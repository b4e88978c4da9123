/** The one spelling of an IP address. */
import { isIP, SocketAddress } from 'node:net';

/**
 * Returns an address in its one spelling: IPv4 that came as IPv6 is IPv4, a scope is left out.
 * @returns undefined when the text is no address
 */
export function plainAddress(text: string): string | undefined {
  if (isIP(text) !== 6) return isIP(text) === 4 ? text : undefined;
  const { address } = new SocketAddress({ address: text, family: 'ipv6' });
  return /^::ffff:(\d+\.\d+\.\d+\.\d+)$/.exec(address)?.[1] ?? address;
}

/** Joins host and port to addresses, and reads them, in one place, because an IPv6 address itself contains colons. */
import { isIPv6 } from 'node:net';
import { parseUrl } from './read-address.ts';

/** The hosts that a server listens on and nobody can dial, as `URL` writes them. */
const everywhere: readonly string[] = ['0.0.0.0', '[::]'];

/** Writes a host as it stands in an address. A scope is left out: it means something to one machine's dialling alone. */
const hostInAddress = (host: string): string => (isIPv6(host) ? `[${host.split('%')[0]}]` : host);

/** Returns whether a text is a host name or an IP address, and nothing more. */
export function isHost(text: string): boolean {
  return (isIPv6(text) || /^[^\s/?#@:\\[\]]+$/.test(text)) && parseUrl(`http://${hostInAddress(text)}`) !== undefined;
}

/** Returns whether a server on that host listens on every address of the machine, however the host is written. */
export function isEveryAddress(host: string): boolean {
  return isHost(host) && everywhere.includes(new URL(`http://${hostInAddress(host)}`).hostname);
}

/** Returns the host at which this machine reaches a server that listens on `host`. */
export function dialledHost(host: string): string {
  // A server on `::` takes connections of IPv4 too.
  return isEveryAddress(host) ? '127.0.0.1' : host;
}

/**
 * Joins an address, as `mqtts://[::1]:8883`, without a path. The port stays where it is the scheme's own, because those
 * who read the address look for one.
 * @throws TypeError for a text that is not a host
 */
export function joinAddress(scheme: 'http' | 'mqtt' | 'mqtts', host: string, port: number): string {
  const { hostname } = new URL(`${scheme}://${hostInAddress(host)}:${port}`);
  return `${scheme}://${hostname}:${port}`;
}

/** Returns whether a host is that of the machine that dials it, however it is written. */
export const isLoopbackHost = (host: string): boolean => /^(?:localhost|127(?:\.\d+){3}|\[?::1\]?)$/i.test(host);

/** Returns whether only the machine of the service reaches an address; false for a text that is not an address. */
export const isReachedOnlyHere = (url: string): boolean => isLoopbackHost(parseUrl(url)?.hostname ?? '');

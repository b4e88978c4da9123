/**
 * Limits the sockets that wait for their login: a flood from one address ends here, a fleet behind one router does not.
 */
import type { Socket } from 'node:net';

/**
 * The most sockets that one address may hold open before logging in (T-45). Addresses of this machine have no limit:
 * behind a proxy on it, all callers have one address.
 */
export function maxUnauthenticated(address: string): number {
  return /^(::ffff:)?127\.|^::1$/.test(address) ? Number.POSITIVE_INFINITY : 256;
}

/** The most sockets that all addresses together may hold open before logging in. */
export const maxUnauthenticatedInAll = 10_000;

/** The remote address and port, which are the same for a TLS socket and the socket below it. */
export function peerOf({ remoteAddress, remotePort }: Socket): string {
  return `${remoteAddress} ${remotePort}`;
}

/** Creates the count of sockets that have not logged in yet. */
export function limitUnauthenticated(most: (address: string) => number, maxInAll = maxUnauthenticatedInAll) {
  const waiting = new Map<string, number>();
  /** The sockets without a login by their peers, oldest first. */
  const withoutLogin = new Map<string, { readonly socket: Socket; readonly leave: () => void }>();

  /**
   * Ends the oldest socket without a login: a frame logs in at once, so the longest silent socket is the least likely
   * to be one.
   */
  function pushOutOldest(): void {
    const [oldest] = withoutLogin.values();
    oldest?.leave();
    oldest?.socket.destroy();
  }

  return {
    /** Counts a new socket until it logs in or closes; false, and nothing counted, when its address has too many. */
    enter(socket: Socket): boolean {
      const { remoteAddress } = socket;
      // The socket is gone already, and its end was announced before anybody could listen for it.
      if (remoteAddress === undefined) return false;
      const count = (waiting.get(remoteAddress) ?? 0) + 1;
      if (count > most(remoteAddress)) return false;
      const key = peerOf(socket);
      waiting.set(remoteAddress, count);
      const leave = (): void => {
        if (withoutLogin.get(key)?.leave !== leave) return;
        withoutLogin.delete(key);
        const left = (waiting.get(remoteAddress) ?? 1) - 1;
        if (left === 0) waiting.delete(remoteAddress);
        else waiting.set(remoteAddress, left);
      };
      withoutLogin.set(key, { socket, leave });
      socket.once('close', leave);
      if (withoutLogin.size > maxInAll) pushOutOldest();
      return true;
    },
    /** Called when the login of a socket was accepted. */
    known: (socket: Socket): void => withoutLogin.get(peerOf(socket))?.leave(),
    /** The number of addresses that are remembered. */
    size: (): number => waiting.size,
  };
}

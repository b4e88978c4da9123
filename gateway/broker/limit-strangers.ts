/** How many sockets of one address may be waiting for their login: a flood ends here, a fleet behind one router does not (T-45). */
import type { Socket } from 'node:net';

/** What one address may hold open before logging in. Addresses of this machine tell nobody apart: a proxy may run here. */
export function mostStrangers(address: string): number {
  return /^(::ffff:)?127\.|^::1$/.test(address) ? Number.POSITIVE_INFINITY : 256;
}

/** What all addresses together may hold open before logging in. */
export const mostStrangersInAll = 10_000;

/** Who is at the other end: the same for a TLS socket and the one below it. */
export function peerOf({ remoteAddress, remotePort }: Socket): string {
  return `${remoteAddress} ${remotePort}`;
}

/** Counts sockets that have not logged in yet. */
export function limitStrangers(most: (address: string) => number, mostInAll = mostStrangersInAll) {
  const waiting = new Map<string, number>();
  /** Oldest first, by their peers. */
  const strangers = new Map<string, { readonly socket: Socket; readonly leave: () => void }>();

  /** A frame logs in at once; whoever has been silent for longest is the likeliest to be none. */
  function pushOutOldest(): void {
    const [oldest] = strangers.values();
    oldest?.leave();
    oldest?.socket.destroy();
  }

  return {
    /** Counts a new socket until it logs in or closes; false, and nothing counted, when its address has too many. */
    enter(socket: Socket): boolean {
      const { remoteAddress } = socket;
      // Gone already: its end was announced before anybody could listen for it.
      if (remoteAddress === undefined) return false;
      const count = (waiting.get(remoteAddress) ?? 0) + 1;
      if (count > most(remoteAddress)) return false;
      const key = peerOf(socket);
      waiting.set(remoteAddress, count);
      const leave = (): void => {
        if (strangers.get(key)?.leave !== leave) return;
        strangers.delete(key);
        const left = (waiting.get(remoteAddress) ?? 1) - 1;
        if (left === 0) waiting.delete(remoteAddress);
        else waiting.set(remoteAddress, left);
      };
      strangers.set(key, { socket, leave });
      socket.once('close', leave);
      if (strangers.size > mostInAll) pushOutOldest();
      return true;
    },
    /** Its login is through: it is no stranger any more. */
    known: (socket: Socket): void => strangers.get(peerOf(socket))?.leave(),
    /** How many addresses are remembered. */
    size: (): number => waiting.size,
  };
}

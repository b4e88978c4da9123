/** How many sockets of one address may be waiting for their login: a flood ends here, a fleet behind one router does not (T-45). */
import type { Socket } from 'node:net';

/** What one address may hold open before logging in. Addresses of this machine tell nobody apart: a proxy may run here. */
export function mostStrangers(address: string): number {
  return /^(::ffff:)?127\.|^::1$/.test(address) ? Number.POSITIVE_INFINITY : 256;
}

/** Counts sockets that have not logged in yet. */
export function limitStrangers(most: (address: string) => number) {
  const waiting = new Map<string, number>();
  /** By address and port: a TLS socket and the one below it share both. */
  const leaving = new Map<string, () => void>();
  return {
    /** Counts a new socket until it logs in or closes; false, and nothing counted, when its address has too many. */
    enter(socket: Socket): boolean {
      const { remoteAddress, remotePort } = socket;
      // Gone already: its end was announced before anybody could listen for it.
      if (remoteAddress === undefined) return false;
      const count = (waiting.get(remoteAddress) ?? 0) + 1;
      if (count > most(remoteAddress)) return false;
      const key = `${remoteAddress} ${remotePort}`;
      waiting.set(remoteAddress, count);
      const leave = (): void => {
        if (leaving.get(key) !== leave) return;
        leaving.delete(key);
        const left = (waiting.get(remoteAddress) ?? 1) - 1;
        if (left === 0) waiting.delete(remoteAddress);
        else waiting.set(remoteAddress, left);
      };
      leaving.set(key, leave);
      socket.once('close', leave);
      return true;
    },
    /** Its login is through: it is no stranger any more. */
    known: ({ remoteAddress, remotePort }: Socket): void => leaving.get(`${remoteAddress} ${remotePort}`)?.(),
    /** How many addresses are remembered. */
    size: (): number => waiting.size,
  };
}

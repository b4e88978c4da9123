/** Makes a server listen. */
import type { Server } from 'node:http';
import { dialledHost, joinAddress } from '../../runtime/join-address.ts';

/** Returns the address at which this machine reaches a server that listens there. */
export function reachableAddress(host: string, port: number): string {
  return joinAddress('http', dialledHost(host), port);
}

/**
 * Listens and resolves with the address of the server; port 0 takes a free one. Rejects when the server cannot listen.
 */
export function listen(server: Server, port: number, host: string): Promise<string> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, () => {
      const address = server.address();
      if (address === null || typeof address === 'string') return reject(new Error('no address'));
      return resolve(reachableAddress(host, address.port));
    });
  });
}

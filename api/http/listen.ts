/** Makes a server listen. */
import type { Server } from 'node:http';

/** Returns the address at which this machine reaches a server that listens there. */
export function reachableAddress(host: string, port: number): string {
  const reachable = host === '0.0.0.0' || host === '::' ? '127.0.0.1' : host;
  return `http://${reachable.includes(':') ? `[${reachable}]` : reachable}:${port}`;
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

/** Makes a server listen. */
import type { Server } from 'node:http';

/**
 * Listens and resolves with the address of the server; port 0 takes a free one. Rejects when the server cannot listen.
 */
export function listen(server: Server, port: number, host: string): Promise<string> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, () => {
      const address = server.address();
      if (address === null || typeof address === 'string') return reject(new Error('no address'));
      const reachable = host === '0.0.0.0' || host === '::' ? '127.0.0.1' : host;
      return resolve(`http://${reachable.includes(':') ? `[${reachable}]` : reachable}:${address.port}`);
    });
  });
}
